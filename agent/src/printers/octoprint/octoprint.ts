import { z } from 'zod';
import { createSerialQueue } from '../../backoff.ts';
import { type Budget, createTraffic } from '../../budget.ts';
import { parseJson } from '../../json.ts';
import { request } from '../../request.ts';
import { openSocket } from '../../socket.ts';
import type { Protocol } from '../protocol.ts';
import { http, printerFields, secret } from '../settings.ts';
import { createTracker } from '../tracker.ts';
import { keepWatching, type Timing, type Watch } from '../watcher.ts';
import { createOctoPrintSession, type Message, type OctoPrintRecords, readMessage } from './octoprint-session.ts';
import { rules, type State } from './octoprint-state.ts';

const schema = z.strictObject({
  type: z.literal('octoprint'),
  ...printerFields,
  url: http(),
  api_key: secret(),
});

export type OctoPrintPrinter = z.output<typeof schema>;

/** OctoPrint's HTTP API, with the key of a user with access to status and files. */
function createOctoPrint({ url, api_key }: Pick<OctoPrintPrinter, 'url' | 'api_key'>, timing: Timing, traffic: Budget) {
  async function ask<T>(method: string, path: string, body?: object): Promise<T | null> {
    const { status, text } = await request(`${url}${path}`, {
      method,
      headers: { 'X-Api-Key': api_key, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
      timeoutMs: timing.timeoutMs,
    });
    traffic.take(text.length);
    if (status === 404) return null;
    if (status === 401 || status === 403) throw new Error('OctoPrint rejected the api_key');
    if (status < 200 || status > 299) throw new Error(`OctoPrint responded with ${status} at ${path}`);
    try {
      return parseJson(text) as T;
    } catch {
      throw new Error(`${url}${path} isn't OctoPrint`);
    }
  }

  return {
    /** @returns the credentials for the `auth` message. @throws Error with a message for the user */
    async login(): Promise<string> {
      const user = await ask<{ name?: string; session?: string }>('POST', '/api/login', { passive: true });
      if (!user?.name || !user.session) throw new Error('OctoPrint has no user with this api_key');
      return `${user.name}:${user.session}`;
    },

    version: () => ask<{ server?: string; text?: string }>('GET', '/api/version'),

    lastPrintOf: async (printed: Parameters<OctoPrintRecords['lastPrintOf']>[0]) => {
      if (printed?.origin !== 'local') return null;
      const file = await ask<{ prints?: { last?: { date?: number; success?: boolean } } }>(
        'GET',
        `/api/files/local/${printed.path.split('/').map(encodeURIComponent).join('/')}`,
      );
      const last = file?.prints?.last;
      return typeof last?.date === 'number' ? { at: last.date * 1000, success: last.success === true } : null;
    },
  };
}

/** Messages of plugins may be long. */
const OTHER_MESSAGE = /^\{"(?!connected"|reauthRequired"|current"|history"|event")\w+"/;
/** Of a `history`, which has all temperatures of half an hour, or of as many hours as are set in OctoPrint. */
const MAX_HISTORY_BYTES = 4 * 1024 * 1024;
const HISTORY = /^(?:a\["?)?\{\\?"history/;

/** Parses a SockJS frame: plain JSON on the raw endpoint, `a[…]` if a proxy leads to the framed one. */
function readFrame(text: string): Message[] {
  if (OTHER_MESSAGE.test(text)) return [];
  const isLong = HISTORY.test(text);
  if (text.startsWith('{')) return [parseJson(text, { isLong }) as Message];
  if (text.startsWith('a')) {
    const messages = parseJson(text.slice(1), { isLong }) as (string | Message)[];
    return messages.map((one) => (typeof one === 'string' ? (parseJson(one, { isLong }) as Message) : one));
  }
  // open and heartbeat frames
  return [];
}

/** Watches a printer through OctoPrint. Its push socket reports events, and its record per file covers missed ones. */
async function watchOctoPrint(printer: OctoPrintPrinter, watch: Watch<State>): Promise<void> {
  const { clock, timing, signal } = watch;
  const filament = { density: printer.filament_density, diameter: printer.filament_diameter };
  const tracker = createTracker(watch, rules);
  await keepWatching(watch, async (isUp, traffic) => {
    const octoPrint = createOctoPrint(printer, timing, traffic);
    let socket: Awaited<ReturnType<typeof openSocket>> | undefined;
    let failure: unknown;
    const fail = (error: unknown) => {
      failure ??= error;
      socket?.fail(error);
    };
    const enqueue = createSerialQueue(fail);
    const session = createOctoPrintSession({
      octoPrint,
      tracker,
      clock,
      filament,
      enqueue,
      isUp,
      settleMs: timing.settleMs,
    });
    const auth = await octoPrint.login();
    // a user without the status permission can connect but receives nothing
    const silence = setTimeout(() => {
      if (!session.isReconciled())
        fail(new Error('OctoPrint sends no data; the user of this api_key needs the "Status" permission'));
    }, timing.timeoutMs);
    try {
      socket = await openSocket({
        url: `${printer.url.replace(/^http/, 'ws')}/sockjs/websocket`,
        maxBytes: MAX_HISTORY_BYTES,
        timeoutMs: timing.timeoutMs,
        heartbeatMs: timing.heartbeatMs,
        signal,
        traffic,
        onMessage: (text) => {
          const receivedAt = clock();
          for (const message of readFrame(text)) {
            const read = readMessage(message);
            if (read) enqueue(() => session.handle(read, receivedAt), text.length);
          }
        },
      });
      socket.send({ auth });
      if (failure) throw failure;
      await socket.closed;
    } finally {
      socket?.fail(new Error('cancelled'));
      clearTimeout(silence);
      session.close();
    }
  });
}

async function probeOctoPrint(printer: OctoPrintPrinter, { timing }: Pick<Watch<unknown>, 'timing'>) {
  const octoPrint = createOctoPrint(printer, timing, createTraffic());
  await octoPrint.login();
  const version = await octoPrint.version();
  return `OctoPrint ${version?.server ?? ''} is online and accepts the api_key`;
}

export const octoprint = {
  schema,
  address: ({ url }: OctoPrintPrinter) => url,
  watch: watchOctoPrint,
  probe: probeOctoPrint,
} satisfies Protocol;
