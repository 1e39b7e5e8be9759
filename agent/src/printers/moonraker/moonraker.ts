import { version } from '../../../../backend/src/shared/version.ts';
import { createSerialQueue } from '../../backoff.ts';
import type { MoonrakerPrinter } from '../../config.ts';
import { gramsUsed } from '../../grams.ts';
import type { EndedPrint, PrintOutcome } from '../../report.ts';
import { openSocket } from '../../socket.ts';
import { keepWatching, type Watch } from '../watcher.ts';

/** An entry of Moonraker's history (docs/external_api/history.md there). */
export interface Job {
  /** hexadecimal; restarts at 1 when the history is cleared */
  job_id: string;
  filename: string;
  status: string;
  /** seconds since 1970 */
  start_time: number;
  /** null while printing, and after Moonraker was killed */
  end_time: number | null;
  total_duration: number;
  /** mm */
  filament_used: number;
  metadata?: { filament_weight_total?: number; filament_total?: number };
}

export interface MoonrakerState {
  /** the newest job seen */
  newest: { key: string; id: number; start: number } | null;
  /** jobs that were printing when last seen */
  open: string[];
}

const PAGE = 50;
/** Maximum pages of history to read after a long absence. */
const MAX_PAGES = 40;

const REASONS: Record<string, string> = {
  error: 'the print ended with an error',
  klippy_shutdown: 'Klipper shut down',
  klippy_disconnect: 'Moonraker lost the connection to Klipper',
  interrupted: 'Moonraker shut down during the print',
  server_exit: 'Moonraker stopped during the print',
};

const keyOf = ({ job_id, start_time }: Job) => `${job_id}:${Math.round(start_time * 1000)}`;
const idOf = ({ job_id }: Job) => Number.parseInt(job_id, 16);

function outcomeOf(status: string): PrintOutcome {
  if (status === 'completed') return 'finished';
  return status === 'cancelled' ? 'cancelled' : 'failed';
}

/** Pure reducer of history jobs, oldest first. @returns the next state and the prints that ended */
export function reduceJobs(
  state: MoonrakerState,
  jobs: Job[],
  filament: Pick<MoonrakerPrinter, 'filament_density' | 'filament_diameter'>,
): { state: MoonrakerState; ended: EndedPrint[] } {
  let newest = state.newest;
  const open = new Set(state.open);
  const ended: EndedPrint[] = [];
  for (const job of jobs) {
    const key = keyOf(job);
    // a cleared history restarts its ids, and a host without a clock may reset its time, so either one may grow alone
    const isNew = newest === null || idOf(job) > newest.id || job.start_time > newest.start;
    if (job.status === 'in_progress') {
      if (isNew) open.add(key);
    } else if (open.delete(key) || isNew) {
      ended.push(toEnded(job, filament));
    }
    if (isNew) newest = { key, id: idOf(job), start: job.start_time };
  }
  return { state: { newest, open: [...open] }, ended };
}

function toEnded(job: Job, filament: Pick<MoonrakerPrinter, 'filament_density' | 'filament_diameter'>): EndedPrint {
  const outcome = outcomeOf(job.status);
  return {
    key: keyOf(job),
    filename: job.filename,
    at: (job.end_time ?? job.start_time + job.total_duration) * 1000,
    outcome,
    grams: gramsUsed(
      {
        usedMm: job.filament_used,
        totalMm: job.metadata?.filament_total,
        totalGrams: job.metadata?.filament_weight_total,
      },
      { density: filament.filament_density, diameter: filament.filament_diameter },
    ),
    reason: outcome === 'failed' ? (REASONS[job.status] ?? job.status) : undefined,
  };
}

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
async function listNew(moonraker: Moonraker, { newest, open }: MoonrakerState): Promise<Job[]> {
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

/** Watches a Klipper printer through Moonraker. The history is authoritative; notifications only trigger reading it. */
export async function watchMoonraker(printer: MoonrakerPrinter, watch: Watch<MoonrakerState>): Promise<void> {
  const { name, log } = watch;
  await keepWatching(watch, async (isUp) => {
    let moonraker: Moonraker | undefined;
    const enqueue = createSerialQueue((error) => moonraker?.fail(error));
    let buffered: (() => Promise<void>)[] | null = [];

    async function applyJobs(jobs: Job[]): Promise<void> {
      const known = watch.state() ?? { newest: null, open: [] };
      const { state, ended } = reduceJobs(known, jobs, printer);
      if (ended.length === 0 && JSON.stringify(state) === JSON.stringify(known)) return;
      await watch.record(state, ended);
      const begun = jobs.find((job) => state.open.includes(keyOf(job)) && !known.open.includes(keyOf(job)));
      if (begun) log.info(`${name}: started printing ${begun.filename}`);
    }

    /** Processes what happened since the stored state. */
    async function catchUp(connected: Moonraker): Promise<void> {
      const known = watch.state();
      if (known === undefined) {
        // prints from before the first connection are not reported
        const { jobs } = await connected.call<{ jobs: Job[] }>('server.history.list', { limit: 1, order: 'desc' });
        const [job] = jobs;
        const newest = job ? { key: keyOf(job), id: idOf(job), start: job.start_time } : { key: '', id: 0, start: 0 };
        await watch.record({ newest, open: job?.status === 'in_progress' ? [keyOf(job)] : [] });
        log.info(`${name}: first connection; prints that end from now on are reported`);
      } else {
        const jobs = await listNew(connected, known);
        const still = new Set(jobs.map(keyOf));
        const open = known.open.filter((key) => still.has(key));
        if (open.length < known.open.length) {
          log.warn(`${name}: the current print was deleted from Moonraker's history; it won't be reported`);
          await watch.record({ ...known, open });
        }
        await applyJobs(jobs);
      }
    }

    try {
      moonraker = await openMoonraker(printer, watch, ({ job }) => {
        const work = () => applyJobs([job]);
        if (buffered) buffered.push(work);
        else enqueue(work);
      });
      await catchUp(moonraker);
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
