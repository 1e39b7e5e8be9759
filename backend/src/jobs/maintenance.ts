import type { Logger } from '../shared/logger.ts';
import type { JobHandlers } from './jobs.ts';

/** With what a wake-up can lose by at most (1 s of age before it counts as lost), found within 2 s. */
const SWEEP_EVERY_MS = 500;
const PURGE_EVERY_MS = 60 * 60 * 1000;

/**
 * Looks again and again for what no wake-up reached, and now and then deletes what has been kept long enough. One such
 * round runs at a time; one that fails is followed by the next.
 */
export function createMaintenance(deps: { logger: Logger; wake(channelIds: string[]): void }) {
  const { logger, wake } = deps;
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  let purgedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;

  async function runMaintenance({ sweep, purge }: Pick<JobHandlers, 'sweep' | 'purge'>): Promise<void> {
    try {
      wake(await sweep());
      if (Date.now() - purgedAt > PURGE_EVERY_MS) {
        purgedAt = Date.now();
        await purge();
      }
      if (failing) logger.info('the sweep is working again');
      failing = false;
    } catch (error) {
      // once: a database that is away for an hour fails every round of it
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
      await round;
    },
  };
}
