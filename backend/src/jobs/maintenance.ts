import type { Logger } from '../../../common/src/logger.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import type { JobHandlers } from './jobs.ts';

/** Together with LOST_AFTER_MS of the sweep (1 s), finds deliveries without a wake-up within 2 s. */
const SWEEP_EVERY_MS = 500;
/** Until then an account has as many more rows of its counters to add up as it has changes. */
const REFRESH_EVERY_MS = 5_000;
const PURGE_EVERY_MS = 60 * 60 * 1000;

/** How long a shutdown waits for them: a database that is away may leave them without a response. */
const END_WITHIN_MS = 1_000;

type MaintenanceHandlers = Pick<JobHandlers, 'sweep' | 'refresh' | 'purge'>;

/** Starts a task that may take minutes, unless it is still running or began less than `every` ms ago. */
function createTask(every: number, onError: (error: unknown) => void) {
  let running: Promise<void> | undefined;
  let startedAt = 0;
  return {
    start(work: () => Promise<void>): void {
      if (running || Date.now() - startedAt <= every) return;
      startedAt = Date.now();
      running = work()
        .catch(onError)
        .finally(() => {
          running = undefined;
        });
    },
    ended: () => running,
  };
}

/**
 * Runs the sweep periodically, and beside it what may take longer. Runs of one kind never overlap, and a failed run does
 * not stop the next.
 */
export function createMaintenance(deps: { logger: Logger; wake(subscriptionIds: string[]): void }) {
  const { logger, wake } = deps;
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let failing = false;

  const refreshing = createTask(REFRESH_EVERY_MS, (error) =>
    logger.warn({ err: error }, 'failed to update the statistics of the database; reads may become slower'),
  );
  const purging = createTask(PURGE_EVERY_MS, (error) =>
    logger.error({ err: error }, 'the purge failed; retrying in an hour'),
  );

  async function runMaintenance({ sweep, refresh, purge }: MaintenanceHandlers): Promise<void> {
    try {
      wake(await sweep());
      refreshing.start(refresh);
      purging.start(() => purge(() => stopped));
      if (failing) logger.info('the sweep is working again');
      failing = false;
    } catch (error) {
      // log only the first failure of an outage
      if (!failing) logger.error({ err: error }, 'the sweep failed; retrying');
      failing = true;
    }
  }

  function schedule(handlers: MaintenanceHandlers, delay: number): void {
    timer = setTimeout(() => {
      if (stopped) return;
      round = runMaintenance(handlers).finally(() => schedule(handlers, SWEEP_EVERY_MS));
    }, delay);
    timer.unref();
  }

  return {
    start: (handlers: MaintenanceHandlers) => schedule(handlers, 0),
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await waitAtMost(END_WITHIN_MS, Promise.all([round, refreshing.ended(), purging.ended()]));
    },
  };
}
