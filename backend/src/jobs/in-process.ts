import type { Logger } from '../../../common/src/logger.ts';
import type { Jobs } from './jobs.ts';
import { createLive } from './live.ts';
import { createLocalQueue } from './local-queue.ts';
import { createMaintenance } from './maintenance.ts';
import { createRateLimits } from './rate-limits.ts';

/** Jobs inside this process: a wake-up starts a drain immediately. */
export function createInProcessJobs(deps: { logger: Logger }): Jobs {
  const localQueue = createLocalQueue(deps);
  const maintenance = createMaintenance({ ...deps, wake: localQueue.wake });
  return {
    wake: localQueue.wake,
    live: createLive(),
    createRateLimit: createRateLimits(),
    start(handlers) {
      localQueue.start(handlers.drain);
      maintenance.start(handlers);
    },
    missing: () => [],
    async stop() {
      await Promise.all([maintenance.stop(), localQueue.stop()]);
    },
  };
}
