import type { Logger } from '../shared/logger.ts';
import type { Jobs } from './jobs.ts';
import { createLive } from './live.ts';
import { createDrains } from './local-queue.ts';
import { createTending } from './maintenance.ts';

/** Jobs inside this process: a wake-up begins a drain at once. */
export function createInProcessJobs(deps: { logger: Logger }): Jobs {
  const drains = createDrains(deps);
  const tending = createTending({ ...deps, wake: drains.wake });
  return {
    wake: drains.wake,
    live: createLive(),
    start(handlers) {
      drains.start(handlers.drain);
      tending.start(handlers);
    },
    missing: () => [],
    async stop() {
      await Promise.all([tending.stop(), drains.stop()]);
    },
  };
}
