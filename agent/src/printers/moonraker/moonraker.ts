import { version } from '../../../../backend/src/shared/version.ts';
import { createSerialQueue } from '../../backoff.ts';
import type { MoonrakerPrinter } from '../../config.ts';
import { openSocket } from '../../socket.ts';
import { createTracker } from '../tracker.ts';
import { keepWatching, type Watch } from '../watcher.ts';
import { isListed, type Job, keyOf, reduce, type State } from './moonraker-state.ts';

const PAGE = 50;
/** Maximum pages of history to read after a long absence. */
const MAX_PAGES = 40;

type Answer = { result?: unknown; error?: { code: number; message: string } };

class RpcError extends Error {}

/** A JSON-RPC client for Moonraker's websocket. */
export async function openMoonraker(
  printer: Pick<MoonrakerPrinter, 'url' | 'api_key'>,
  { timing, signal }: Pick<Watch<unknown>, 'timing' | 'signal'>,
  onHistory: (change: { action: string; job: Job }) => void,
) {
  const calls = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  const key = printer.api_key;
  const socket = await openSocket({
    url: `${printer.url.replace(/^http/, 'ws')}/websocket`,
    // for versions that require authentication before the first message
    ...(key === undefined ? {} : { headers: { 'X-Api-Key': key } }),
    timeoutMs: timing.answerMs,
    heartbeatMs: timing.heartbeatMs,
    signal,
    onMessage(text) {
      const message = JSON.parse(text) as Answer & { id?: number; method?: string; params?: unknown[] };
      if (message.method === 'notify_history_changed') {
        onHistory(message.params?.[0] as { action: string; job: Job });
      } else if (message.id !== undefined) {
        calls.get(message.id)?.(message);
      }
    },
  });

  /** @throws RpcError if Moonraker returns an error, Error if it does not respond in time */
  async function call<T>(method: string, params: Record<string, unknown>): Promise<T> {
    lastId += 1;
    const id = lastId;
    let timer: NodeJS.Timeout | undefined;
    try {
      const answered = new Promise<Answer>((resolve, reject) => {
        calls.set(id, resolve);
        timer = setTimeout(() => reject(new Error(`no response to ${method} in time`)), timing.answerMs);
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
  return { call, closed: socket.closed, fail: socket.fail };
}

type Moonraker = Awaited<ReturnType<typeof openMoonraker>>;

/** Lists history jobs since the newest known one, oldest first. */
async function listNew(moonraker: Moonraker, { newest, open }: State): Promise<Job[]> {
  const found: Job[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const { jobs } = await moonraker.call<{ jobs: Job[] }>('server.history.list', {
      limit: PAGE,
      start: page * PAGE,
      order: 'desc',
    });
    const end = jobs.findIndex((job) => keyOf(job) === newest?.key);
    found.push(...(end < 0 ? jobs : jobs.slice(0, end + 1)));
    if (end >= 0 || jobs.length < PAGE) break;
  }
  // a job that was printing is only found further back if the history was edited manually
  const seen = new Set(found.map(keyOf));
  for (const key of open.filter((one) => !seen.has(one))) {
    const answer = await moonraker
      .call<{ job: Job }>('server.history.get_job', { uid: key.split(':')[0] })
      .catch((error) => {
        if (error instanceof RpcError) return null;
        throw error;
      });
    if (answer && keyOf(answer.job) === key) found.push(answer.job);
  }
  // a print started between two pages shifts them, so a job may appear twice
  return [...new Map(found.map((job) => [keyOf(job), job])).values()].reverse();
}

async function listNewest(moonraker: Moonraker): Promise<Job[]> {
  const { jobs } = await moonraker.call<{ jobs: Job[] }>('server.history.list', { limit: 1, order: 'desc' });
  return jobs;
}

/** Watches a Klipper printer through Moonraker. The history is authoritative; notifications contain its changed entry. */
export async function watchMoonraker(printer: MoonrakerPrinter, watch: Watch<State>): Promise<void> {
  const { name, log } = watch;
  const filament = { density: printer.filament_density, diameter: printer.filament_diameter };
  const tracker = createTracker(watch, reduce);
  await keepWatching(watch, async (isUp) => {
    let moonraker: Moonraker | undefined;
    const enqueue = createSerialQueue((error) => moonraker?.fail(error));
    let buffered: (() => Promise<void>)[] | null = [];
    try {
      moonraker = await openMoonraker(printer, watch, ({ job }) => {
        const work = () => tracker.observe({ jobs: [job], isFirst: false, filament });
        if (buffered) buffered.push(work);
        else enqueue(work);
      });
      const known = tracker.state();
      const jobs = await (known ? listNew(moonraker, known) : listNewest(moonraker));
      if (known?.open.some((key) => !isListed(jobs, key)))
        log.warn(`${name}: the current print was deleted from Moonraker's history; it won't be reported`);
      await tracker.observe({ jobs, isFirst: true, filament });
      isUp();
      for (const work of buffered) enqueue(work);
      buffered = null;
      await moonraker.closed;
    } finally {
      moonraker?.fail(new Error('cancelled'));
    }
  });
}

/** @returns one line about the printer. @throws Error with a message for the user */
export async function probeMoonraker(printer: MoonrakerPrinter, watch: Pick<Watch<unknown>, 'timing' | 'signal'>) {
  const moonraker = await openMoonraker(printer, watch, () => undefined);
  try {
    const { count } = await moonraker.call<{ count: number }>('server.history.list', { limit: 1 });
    const info = await moonraker.call<{ moonraker_version?: string; klippy_state?: string }>('server.info', {});
    return `Moonraker ${info.moonraker_version ?? ''} is online, Klipper is ${info.klippy_state ?? 'unknown'}, the history ${count > 0 ? 'has prints' : 'is empty'}`;
  } finally {
    moonraker.fail(new Error('done'));
  }
}
