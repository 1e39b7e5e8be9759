import { z } from 'zod';
import type { Clock } from '../../../../common/src/clock.ts';
import { pause } from '../../backoff.ts';
import type { FilamentOnPrinter } from '../../grams.ts';
import { parseJson } from '../../json.ts';
import { type Response, request } from '../../request.ts';
import type { Protocol } from '../protocol.ts';
import { http, printerFields, secret } from '../settings.ts';
import { createTracker, type Tracker } from '../tracker.ts';
import { keepWatching, type Timing, type Watch } from '../watcher.ts';
import { answerChallenge, type Challenge, readChallenge } from './digest-auth.ts';
import { type JobInfo, needsJob, type Observation, rules, type State, type Status } from './prusalink-state.ts';

const schema = z
  .strictObject({
    type: z.literal('prusalink'),
    ...printerFields,
    url: http(),
    user: z.string().min(1).max(200).default('maker'),
    password: secret().optional(),
    api_key: secret().optional(),
  })
  .refine((printer) => (printer.password === undefined) !== (printer.api_key === undefined), {
    path: ['password'],
    error: 'set either password (with user) or api_key',
  });

export type PrusaLinkPrinter = z.output<typeof schema>;

/** A PrusaLink client: HTTP digest authentication with user and password, or the API key of older versions. */
function createPrusaLink(printer: Pick<PrusaLinkPrinter, 'url' | 'user' | 'password' | 'api_key'>, timing: Timing) {
  const { url, user, password, api_key } = printer;
  let challenge: Challenge | null = null;
  let count = 0;

  async function get(path: string): Promise<Response> {
    const { pathname } = new URL(`${url}${path}`);
    const authorize = (): Record<string, string> => {
      if (api_key !== undefined) return { 'X-Api-Key': api_key };
      if (challenge === null || password === undefined) return {};
      count += 1;
      const answer = { user, password, method: 'GET', uri: pathname, count };
      return { Authorization: answerChallenge(challenge, answer) };
    };
    const ask = () =>
      request(`${url}${path}`, {
        headers: { Accept: 'application/json', ...authorize() },
        timeoutMs: timing.timeoutMs,
      });
    const response = await ask();
    const header = response.headers['www-authenticate'];
    if (response.status === 401 && header !== undefined && password !== undefined) {
      // the first challenge, or an expired nonce
      challenge = readChallenge(header);
      count = 0;
      if (challenge === null)
        throw new Error(`PrusaLink requires an unsupported kind of login (${header.slice(0, 200)})`);
      return ask();
    }
    return response;
  }

  /** @returns null without content (204). @throws Error with a message for the user */
  async function read<T>(path: string): Promise<T | null> {
    const { status, text } = await get(path);
    if (status === 401 || status === 403)
      throw new Error(`PrusaLink rejected the ${api_key === undefined ? 'user name and password' : 'api_key'}`);
    if (status === 204) return null;
    if (status < 200 || status > 299) throw new Error(`PrusaLink responded with ${status} at ${path}`);
    try {
      return parseJson(text) as T;
    } catch {
      throw new Error(`${url}${path} isn't PrusaLink`);
    }
  }

  return {
    async status(): Promise<Status> {
      const status = await read<Status>('/api/v1/status');
      if (typeof status?.printer?.state !== 'string') throw new Error(`${url} isn't PrusaLink`);
      return status;
    },
    job: () => read<JobInfo>('/api/v1/job'),
  };
}

export interface Polling {
  link: Pick<ReturnType<typeof createPrusaLink>, 'status' | 'job'>;
  tracker: Tracker<State, Observation>;
  clock: Clock;
  filament: FilamentOnPrinter;
}

/**
 * Asks the printer once.
 * @param lastState of the last poll of this connection
 * @param connectedAt ms
 * @returns its state
 */
export async function poll(deps: Polling, lastState: string, connectedAt: number): Promise<string> {
  const { link, tracker, clock, filament } = deps;
  const status = await link.status();
  const job = needsJob(tracker.state(), status) ? await link.job() : null;
  const { state } = status.printer;
  await tracker.observe({ status, job, now: clock(), isRepeated: state === lastState, connectedAt, filament });
  return state;
}

/** Watches a Prusa printer by polling, because PrusaLink has neither notifications nor a history. */
async function watchPrusaLink(printer: PrusaLinkPrinter, watch: Watch<State>): Promise<void> {
  const { clock, timing, signal } = watch;
  const link = createPrusaLink(printer, timing);
  const filament = { density: printer.filament_density, diameter: printer.filament_diameter };
  const polling = { link, tracker: createTracker(watch, rules), clock, filament };
  await keepWatching(watch, async (isUp) => {
    let lastState = '';
    const connectedAt = clock();
    while (!signal.aborted) {
      lastState = await poll(polling, lastState, connectedAt);
      isUp();
      await pause(timing.pollMs, signal);
    }
  });
}

async function probePrusaLink(printer: PrusaLinkPrinter, { timing }: Pick<Watch<unknown>, 'timing'>) {
  const status = await createPrusaLink(printer, timing).status();
  return `PrusaLink is online, the printer is ${status.printer.state}`;
}

export const prusalink = {
  schema,
  address: ({ url }: PrusaLinkPrinter) => url,
  watch: watchPrusaLink,
  probe: probePrusaLink,
} satisfies Protocol;
