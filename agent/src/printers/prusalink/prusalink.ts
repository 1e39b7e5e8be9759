import { pause } from '../../backoff.ts';
import type { PrusaLinkPrinter, Timing } from '../../config.ts';
import { digestOf, type EndedPrint, inferOutcome, type PrintOutcome } from '../../report.ts';
import { keepWatching, type Watch } from '../watcher.ts';
import { answerChallenge, type Challenge, readChallenge } from './digest-auth.ts';

/** The fields we read of `/api/v1/status` and `/api/v1/job` (Prusa-Link-Web, spec/openapi.yaml). */
export interface Status {
  printer: { state: string };
  job?: { id?: number; progress?: number; time_remaining?: number; time_printing?: number };
}

interface JobFile {
  name?: string;
  display_name?: string;
  path?: string;
  meta?: Record<string, unknown>;
}

export interface JobInfo {
  id: number;
  state: string;
  file?: JobFile;
}

interface OpenJob {
  id: number;
  filename: string;
  /** the slicer's estimate for the whole print */
  grams: number | undefined;
  /** by our clock, ms; with the id it is the print's key */
  startedAt: number;
  progress: number;
  seenAt: number;
  leftMs: number | undefined;
}

export interface PrusaLinkState {
  open: OpenJob | null;
  /** the job whose end was processed; the printer shows its end until somebody clears it */
  settled: { id: number; timePrinting: number } | null;
}

const OUTCOMES: Record<string, PrintOutcome> = { FINISHED: 'finished', STOPPED: 'cancelled', ERROR: 'failed' };
const ACTIVE_STATES = new Set(['PRINTING', 'PAUSED']);
/** No print, or it ended and was cleared. Other states (BUSY, ATTENTION) say nothing about a print. */
const NO_PRINT = new Set(['IDLE', 'READY']);
/** How often the progress of a print is stored, in case the agent is killed. */
const CHECKPOINT_MS = 60_000;

const keyOf = (open: OpenJob) => `${open.id}:${digestOf(open.filename)}:${open.startedAt}`;

function close(open: OpenJob, outcome: PrintOutcome, at: number, reason?: string): EndedPrint {
  // the share of an unfinished print is an estimate, but the filament is used
  const share = outcome === 'finished' ? 1 : open.progress / 100;
  return {
    key: keyOf(open),
    filename: open.filename,
    at,
    outcome,
    grams: open.grams === undefined ? undefined : open.grams * share,
    reason: reason ?? (outcome === 'failed' ? 'the printer reports an error' : undefined),
  };
}

/**
 * Pure reducer of one poll.
 * @param job response of `/api/v1/job` for the job of this status; null: none
 * @param isSecond the previous poll returned the same state
 * @returns the next state and the prints that ended
 */
export function reduceStatus(
  known: PrusaLinkState | undefined,
  status: Status,
  job: JobInfo | null,
  now: number,
  isSecond: boolean,
): { state: PrusaLinkState; ended: EndedPrint[] } {
  const { state: printerState } = status.printer;
  const id = status.job?.id ?? job?.id;
  const timePrinting = status.job?.time_printing ?? 0;
  const ended: EndedPrint[] = [];
  let { open, settled } = known ?? { open: null, settled: null };

  const begin = (jobId: number): OpenJob => {
    const { file } = job?.id === jobId ? (job ?? {}) : {};
    const grams = file?.meta?.['filament used [g]'];
    return {
      id: jobId,
      filename: file?.display_name ?? file?.name ?? `job ${jobId}`,
      grams: typeof grams === 'number' && grams > 0 ? grams : undefined,
      startedAt: now,
      progress: 0,
      seenAt: now,
      leftMs: undefined,
    };
  };

  const infer = (one: OpenJob) => {
    const { outcome, reason } = inferOutcome(one, now);
    ended.push(close(one, outcome, now, reason));
    settled = { id: one.id, timePrinting: 0 };
    open = null;
  };

  if (open && id !== undefined && id !== open.id && (ACTIVE_STATES.has(printerState) || printerState in OUTCOMES))
    infer(open);

  if (ACTIVE_STATES.has(printerState) && id !== undefined) {
    // a job that is still shown is not a new print; only one that has restarted is
    const hasEnded = open === null && settled?.id === id && timePrinting >= settled.timePrinting;
    if (!hasEnded) {
      open = {
        ...(open ?? begin(id)),
        progress: status.job?.progress ?? open?.progress ?? 0,
        seenAt: now,
        leftMs: status.job?.time_remaining === undefined ? undefined : status.job.time_remaining * 1000,
      };
    }
  } else if (OUTCOMES[printerState] !== undefined) {
    const outcome = OUTCOMES[printerState];
    if (open) {
      const progress = status.job?.progress ?? open.progress;
      ended.push(close({ ...open, progress }, outcome, now));
      settled = { id: open.id, timePrinting };
      open = null;
    } else if (id !== undefined && settled?.id !== id) {
      // started and ended between polls; one shown at the first connection is old
      if (known !== undefined) {
        const unseen = begin(id);
        ended.push(close({ ...unseen, progress: status.job?.progress ?? 0 }, outcome, now));
      }
      settled = { id, timePrinting };
    }
  } else if (open && NO_PRINT.has(printerState) && isSecond) {
    infer(open);
  }
  return { state: { open, settled }, ended };
}

/** A PrusaLink client: HTTP digest authentication with user and password, or the API key of older versions. */
export function createPrusaLink(
  printer: Pick<PrusaLinkPrinter, 'url' | 'user' | 'password' | 'api_key'>,
  timing: Timing,
) {
  const { url, user, password, api_key } = printer;
  let challenge: Challenge | null = null;
  let count = 0;

  async function request(path: string): Promise<Response> {
    const { pathname } = new URL(`${url}${path}`);
    const authorize = (): Record<string, string> => {
      if (api_key !== undefined) return { 'X-Api-Key': api_key };
      if (challenge === null || password === undefined) return {};
      count += 1;
      const answer = { user, password, method: 'GET', uri: pathname, count };
      return { Authorization: answerChallenge(challenge, answer) };
    };
    const get = () =>
      fetch(`${url}${path}`, {
        headers: { Accept: 'application/json', ...authorize() },
        redirect: 'manual',
        signal: AbortSignal.timeout(timing.answerMs),
      });
    let response = await get();
    const header = response.headers.get('www-authenticate');
    if (response.status === 401 && header !== null && password !== undefined) {
      await response.body?.cancel();
      // the first challenge, or an expired nonce
      challenge = readChallenge(header);
      count = 0;
      if (challenge === null) throw new Error(`PrusaLink requires an unsupported kind of login (${header})`);
      response = await get();
    }
    return response;
  }

  /** @returns null without content (204). @throws Error with a message for the user */
  async function read<T>(path: string): Promise<T | null> {
    const response = await request(path);
    if (response.status === 401 || response.status === 403) {
      await response.body?.cancel();
      throw new Error(`PrusaLink rejected the ${api_key === undefined ? 'user name and password' : 'api_key'}`);
    }
    if (response.status === 204) return null;
    const text = await response.text();
    if (!response.ok) throw new Error(`PrusaLink responded with ${response.status} at ${path}`);
    try {
      return JSON.parse(text) as T;
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

/** Watches a Prusa printer by polling, because PrusaLink has neither notifications nor a history. */
export async function watchPrusaLink(printer: PrusaLinkPrinter, watch: Watch<PrusaLinkState>): Promise<void> {
  const { name, log, clock, timing, signal } = watch;
  const link = createPrusaLink(printer, timing);
  let live = watch.state();
  let lastSays = '';
  let storedAt = 0;
  await keepWatching(watch, async (isUp) => {
    while (!signal.aborted) {
      const status = await link.status();
      const id = status.job?.id;
      const printerState = status.printer.state;
      const isShown = ACTIVE_STATES.has(printerState) || printerState in OUTCOMES;
      const isUnknown = isShown && live?.open?.id !== (id ?? live?.open?.id) && live?.settled?.id !== id;
      const isNameless = isShown && id === undefined && !live?.open;
      const begins = ACTIVE_STATES.has(printerState) && !live?.open;
      const job = isUnknown || isNameless || begins ? await link.job() : null;
      const { state, ended } = reduceStatus(live, status, job, clock(), printerState === lastSays);
      const isOther =
        live === undefined ||
        ended.length > 0 ||
        state.open?.id !== live.open?.id ||
        state.open?.startedAt !== live.open?.startedAt ||
        state.settled?.id !== live.settled?.id;
      if (isOther || (state.open && clock() - storedAt > CHECKPOINT_MS)) {
        await watch.record(state, ended);
        storedAt = clock();
      }
      if (live === undefined) log.info(`${name}: first connection; prints that end from now on are reported`);
      if (state.open && state.open.startedAt !== live?.open?.startedAt)
        log.info(`${name}: started printing ${state.open.filename}`);
      live = state;
      lastSays = printerState;
      isUp();
      await pause(timing.pollMs, signal);
    }
  });
}

/** @returns one line about the printer. @throws Error with a message for the user */
export async function probePrusaLink(printer: PrusaLinkPrinter, { timing }: Pick<Watch<unknown>, 'timing'>) {
  const status = await createPrusaLink(printer, timing).status();
  return `PrusaLink is online, the printer is ${status.printer.state}`;
}
