import { z } from 'zod';
import { version } from '../../../../common/src/version.ts';
import { createSerialQueue, pause } from '../../backoff.ts';
import { type Budget, createTraffic } from '../../budget.ts';
import { parseJson } from '../../json.ts';
import { openSocket } from '../../socket.ts';
import type { Protocol } from '../protocol.ts';
import { http, printerFields, secret } from '../settings.ts';
import { createTracker } from '../tracker.ts';
import { keepWatching, type Watch } from '../watcher.ts';
import { createMoonrakerSession, MAX_PAGE_BYTES, RpcError } from './moonraker-session.ts';
import { type Job, rules, type State } from './moonraker-state.ts';

const schema = z.strictObject({
  type: z.literal('moonraker'),
  ...printerFields,
  url: http(),
  api_key: secret().optional(),
});

type MoonrakerPrinter = z.output<typeof schema>;

type Answer = { result?: unknown; error?: { code: number; message: string } };

/** What Moonraker tells every client, such as each line of the console, and what the agent doesn't read. */
const OTHER_NOTIFICATION = /^\{"jsonrpc": ?"2\.0", ?"method": ?"notify_(?!history_changed")/;

/**
 * A JSON-RPC client for Moonraker's websocket.
 * @param onHistory receives a changed entry and the length of its message
 */
async function openMoonraker(
  printer: Pick<MoonrakerPrinter, 'url' | 'api_key'>,
  { timing, signal }: Pick<Watch<unknown>, 'timing' | 'signal'>,
  traffic: Budget,
  onHistory: (job: Job, bytes: number) => void,
) {
  const calls = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  const key = printer.api_key;
  const socket = await openSocket({
    url: `${printer.url.replace(/^http/, 'ws')}/websocket`,
    maxBytes: MAX_PAGE_BYTES,
    // for versions that require authentication before the first message
    ...(key === undefined ? {} : { headers: { 'X-Api-Key': key } }),
    timeoutMs: timing.timeoutMs,
    heartbeatMs: timing.heartbeatMs,
    signal,
    traffic,
    onMessage(text) {
      if (OTHER_NOTIFICATION.test(text)) return;
      const message = parseJson(text, { isLong: calls.size > 0 }) as Answer & {
        id?: number;
        method?: string;
        params?: unknown[];
      };
      if (message.method === 'notify_history_changed') {
        const [change] = (message.params ?? []) as { action: string; job: Job | null }[];
        if (change?.job) onHistory(change.job, text.length);
      } else if (message.id !== undefined) {
        calls.get(message.id)?.(message);
      }
    },
  });

  /** @throws RpcError if Moonraker returns an error, Error if it does not respond in time */
  async function call<T>(method: string, params: Record<string, unknown>): Promise<T> {
    // a long history takes long rather than too much, with as much left for what arrives meanwhile
    const waitMs = method.startsWith('server.history.') ? traffic.msUntil(2 * MAX_PAGE_BYTES) : 0;
    if (waitMs > 0) await pause(waitMs, signal);
    lastId += 1;
    const id = lastId;
    let timer: NodeJS.Timeout | undefined;
    try {
      const answered = new Promise<Answer>((resolve, reject) => {
        calls.set(id, resolve);
        timer = setTimeout(() => reject(new Error(`no response to ${method} in time`)), timing.timeoutMs);
      });
      socket.send({ jsonrpc: '2.0', method, params, id });
      const answer = (await Promise.race([answered, socket.closed])) as Answer | undefined;
      if (answer?.error) throw new RpcError(`${method}: ${answer.error.message}`);
      return answer?.result as T;
    } finally {
      clearTimeout(timer);
      calls.delete(id);
    }
  }

  const identified = call('server.connection.identify', {
    client_name: 'farmboard agent',
    version,
    type: 'other',
    url: 'https://github.com/farmboard',
    ...(key === undefined ? {} : { api_key: key }),
  });
  await identified.catch((error) => {
    socket.fail(error);
    throw error;
  });
  return { call, closed: socket.closed, serverTime: socket.serverTime, fail: socket.fail };
}

type Moonraker = Awaited<ReturnType<typeof openMoonraker>>;

/** Smaller differences are the resolution of the header and the time it took to arrive. */
const MIN_OFFSET_MS = 5_000;
const MIN_WARNED_MS = 5 * 60_000;

/** How far the host's clock is ahead of ours, ms. Warns if it is wrong, because it is shown in Moonraker, too. */
function offsetOf({ serverTime }: Moonraker, { name, log, clock }: Watch<State>): number {
  const offset = serverTime === undefined ? 0 : serverTime - clock();
  if (Math.abs(offset) > MIN_WARNED_MS) {
    const minutes = Math.round(Math.abs(offset) / 60_000);
    log.warn(`${name}: the clock of Moonraker's host is ${minutes} min ${offset > 0 ? 'ahead' : 'behind'}`);
  }
  return Math.abs(offset) > MIN_OFFSET_MS ? offset : 0;
}

/** Watches a Klipper printer through Moonraker. The history is authoritative; notifications contain its changed entry. */
async function watchMoonraker(printer: MoonrakerPrinter, watch: Watch<State>): Promise<void> {
  const { clock } = watch;
  const filament = { density: printer.filament_density, diameter: printer.filament_diameter };
  const tracker = createTracker(watch, rules);
  await keepWatching(watch, async (isUp, traffic) => {
    const fail = (error: unknown) => opened.then((moonraker) => moonraker.fail(error)).catch(() => undefined);
    const enqueue = createSerialQueue(fail);
    const session = createMoonrakerSession({ tracker, clock, filament, enqueue });
    const opened = openMoonraker(printer, watch, traffic, session.onHistory);
    // the first work, so that what arrives meanwhile waits for it
    enqueue(async () => {
      const moonraker = await opened;
      await session.start(moonraker, offsetOf(moonraker, watch));
      isUp();
    });
    await (await opened).closed;
  });
}

async function probeMoonraker(printer: MoonrakerPrinter, watch: Pick<Watch<unknown>, 'timing' | 'signal'>) {
  const moonraker = await openMoonraker(printer, watch, createTraffic(), () => undefined);
  try {
    const { count } = await moonraker.call<{ count: number }>('server.history.list', { limit: 1 });
    const info = await moonraker.call<{ moonraker_version?: string; klippy_state?: string }>('server.info', {});
    return `Moonraker ${info.moonraker_version ?? ''} is online, Klipper is ${info.klippy_state ?? 'unknown'}, the history ${count > 0 ? 'has prints' : 'is empty'}`;
  } finally {
    moonraker.fail(new Error('done'));
  }
}

export const moonraker = {
  schema,
  address: ({ url }: MoonrakerPrinter) => url,
  watch: watchMoonraker,
  probe: probeMoonraker,
} satisfies Protocol;
