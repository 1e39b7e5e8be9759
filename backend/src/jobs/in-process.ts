import type { Logger } from '../logger.ts';
import type { JobHandlers, Jobs } from './jobs.ts';

/** With what a wake-up can lose by at most (1 s of age before it counts as lost), found within 2 s. */
const SWEEP_EVERY_MS = 500;
const PURGE_EVERY_MS = 60 * 60 * 1000;

/**
 * Jobs inside this process. A channel has at most one drain at a time; a wake-up that comes while it runs makes it run once
 * more, so that what was committed in its last moments is not left lying.
 */
export function createInProcessJobs(deps: { logger: Logger }): Jobs {
  const { logger } = deps;
  const woken = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let handlers: JobHandlers | undefined;
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();
  let purgedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  async function work(channelId: string, { drain }: JobHandlers): Promise<void> {
    while (woken.delete(channelId) && !stopped) {
      try {
        await drain(channelId, () => stopped);
      } catch (error) {
        // the sweep will come back to the channel; here there is nobody to tell but the log
        logger.error({ err: error, subscription_id: channelId }, 'a channel could not be drained');
        return;
      }
    }
  }

  function run(channelId: string): void {
    if (!handlers || stopped || running.has(channelId)) return;
    const job = work(channelId, handlers).finally(() => {
      running.delete(channelId);
      // a wake-up between the last look and this moment
      if (woken.has(channelId)) run(channelId);
    });
    running.set(channelId, job);
  }

  function wake(channelIds: string[]): void {
    for (const id of channelIds) {
      woken.add(id);
      run(id);
    }
  }

  async function tend({ sweep, purge }: JobHandlers): Promise<void> {
    try {
      // what is being drained will get there by itself
      wake((await sweep()).filter((id) => !running.has(id)));
      if (Date.now() - purgedAt > PURGE_EVERY_MS) {
        purgedAt = Date.now();
        await purge();
      }
    } catch (error) {
      logger.error({ err: error }, 'the sweep failed; it will run again');
    }
  }

  function schedule(delay: number): void {
    timer = setTimeout(() => {
      if (!handlers || stopped) return;
      sweeping = tend(handlers).finally(() => schedule(SWEEP_EVERY_MS));
    }, delay);
    timer.unref();
  }

  return {
    wake,
    start(given) {
      handlers = given;
      for (const id of woken) run(id);
      schedule(0);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
      await Promise.allSettled(running.values());
    },
  };
}
