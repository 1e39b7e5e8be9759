import type { Logger } from '../shared/logger.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import type { JobHandlers } from './jobs.ts';

/** Together with LOST_AFTER_MS of the sweep (1 s), finds deliveries without a wake-up within 2 s. */
const SWEEP_EVERY_MS = 500;
const PURGE_EVERY_MS = 60 * 60 * 1000;

/** How long a shutdown waits for them: a database that is away may leave them without a response. */
const END_WITHIN_MS = 1_000;

/**
 * Runs the sweep periodically, and the purge, which may take minutes, beside it once an hour. Runs of either never overlap,
 * and a failed run does not stop the next.
 */
export function createMaintenance(deps: { logger: Logger; wake(channelIds: string[]): void }) {
  const { logger, wake } = deps;
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  let purging: Promise<void> | undefined;
  let purgedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;

  function startPurge(purge: JobHandlers['purge']): void {
    if (purging || Date.now() - purgedAt <= PURGE_EVERY_MS) return;
    purgedAt = Date.now();
    purging = purge(() => stopped)
      .catch((error: unknown) => logger.error({ err: error }, 'the purge failed; retrying in an hour'))
      .finally(() => {
        purging = undefined;
      });
  }

  async function runMaintenance({ sweep, purge }: Pick<JobHandlers, 'sweep' | 'purge'>): Promise<void> {
    try {
      wake(await sweep());
      startPurge(purge);
      if (failing) logger.info('the sweep is working again');
      failing = false;
    } catch (error) {
      // log only the first failure of an outage
      if (!failing) logger.error({ err: error }, 'the sweep failed; retrying');
      failing = true;
    }
  }

  function schedule(handlers: Pick<JobHandlers, 'sweep' | 'purge'>, delay: number): void {
    timer = setTimeout(() => {
      if (stopped) return;
      round = runMaintenance(handlers).finally(() => schedule(handlers, SWEEP_EVERY_MS));
    }, delay);
    timer.unref();
  }

  return {
    start: (handlers: Pick<JobHandlers, 'sweep' | 'purge'>) => schedule(handlers, 0),
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await waitAtMost(END_WITHIN_MS, Promise.all([round, purging]));
    },
  };
}
