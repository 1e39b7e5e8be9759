import type { Clock } from '../../../../common/src/clock.ts';
import type { Enqueue } from '../../backoff.ts';
import type { FilamentOnPrinter } from '../../grams.ts';
import type { Tracker } from '../tracker.ts';
import { type Job, keyOf, type Observation, readJob, type State } from './moonraker-state.ts';

const PAGE = 20;
/** Maximum pages of history to read after a long absence. */
const MAX_PAGES = 100;
/** Of a page. An entry has some kB, and in old versions of Moonraker the pictures of its file as well. */
export const MAX_PAGE_BYTES = PAGE * 100 * 1024;

/** Moonraker's answer is an error. */
export class RpcError extends Error {}

/** What a session asks Moonraker. */
export interface History {
  /** @throws RpcError if Moonraker returns an error, Error if it does not respond in time */
  call<T>(method: string, params: Record<string, unknown>): Promise<T>;
}

async function listPage(history: History, start: number, limit: number): Promise<Job[]> {
  const { jobs } = await history.call<{ jobs: Job[] }>('server.history.list', { limit, start, order: 'desc' });
  return jobs.slice(0, limit).map(readJob);
}

/** Lists history jobs since the newest known one, oldest first. */
async function listNew(history: History, { newest, open }: State): Promise<Job[]> {
  const found: Job[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const jobs = await listPage(history, page * PAGE, PAGE);
    const end = jobs.findIndex((job) => keyOf(job) === newest?.key);
    found.push(...(end < 0 ? jobs : jobs.slice(0, end + 1)));
    if (end >= 0 || jobs.length < PAGE) break;
  }
  // a job that was printing is only found further back if the history was edited manually
  const seen = new Set(found.map(keyOf));
  for (const key of open.map(({ key }) => key).filter((one) => !seen.has(one))) {
    const answer = await history
      .call<{ job: Job }>('server.history.get_job', { uid: key.split(':')[0] })
      .catch((error) => {
        if (error instanceof RpcError) return null;
        throw error;
      });
    const job = answer && readJob(answer.job);
    if (job && keyOf(job) === key) found.push(job);
  }
  // a print started between two pages shifts them, so a job may appear twice
  return [...new Map(found.map((job) => [keyOf(job), job])).values()].reverse();
}

/**
 * The history of one connection.
 * @param enqueue runs work after what was enqueued before; what arrives before `start` has read the history must wait
 */
export function createMoonrakerSession(deps: {
  tracker: Tracker<State, Observation>;
  clock: Clock;
  filament: FilamentOnPrinter;
  enqueue: Enqueue;
}) {
  const { tracker, clock, filament, enqueue } = deps;
  let offset = 0;

  const observe = (jobs: Job[], isFirst: boolean) => tracker.observe({ jobs, isFirst, filament, now: clock(), offset });

  return {
    /**
     * A changed entry.
     * @param bytes of the message
     */
    onHistory(changed: Job, bytes = 0): void {
      const job = readJob(changed);
      enqueue(() => observe([job], false), bytes);
    },

    /**
     * Reads what has happened since the last connection.
     * @param ahead how far the clock of Moonraker's host is ahead of ours, ms
     */
    async start(history: History, ahead: number): Promise<void> {
      offset = ahead;
      const known = tracker.state();
      await observe(await (known ? listNew(history, known) : listPage(history, 0, 1)), true);
    },
  };
}
