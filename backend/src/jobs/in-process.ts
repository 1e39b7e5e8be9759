import type { Logger } from '../logger.ts';
import type { DrainControl, JobHandlers, Jobs } from './jobs.ts';

/** With what a wake-up can lose by at most (1 s of age before it counts as lost), found within 2 s. */
const SWEEP_EVERY_MS = 500;
const PURGE_EVERY_MS = 60 * 60 * 1000;

/** A bell that can be waited for again and again. */
function createBell() {
  let ring: () => void = () => undefined;
  let next = new Promise<void>((resolve) => {
    ring = resolve;
  });
  return {
    next: () => next,
    ring() {
      ring();
      next = new Promise<void>((resolve) => {
        ring = resolve;
      });
    },
  };
}

/**
 * Jobs inside this process. A channel has at most one drain at a time; a wake-up that comes while it runs makes it run once
 * more, so that what was committed in its last moments is not left lying.
 */
export function createInProcessJobs(deps: { logger: Logger }): Jobs {
  const { logger } = deps;
  const woken = new Set<string>();
  const running = new Map<string, { job: Promise<void>; bell: ReturnType<typeof createBell> }>();
  let handlers: JobHandlers | undefined;
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();
  let purgedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  async function work(channelId: string, { drain }: JobHandlers, control: DrainControl): Promise<void> {
    while (woken.delete(channelId) && !stopped) {
      try {
        await drain(channelId, control);
      } catch (error) {
        // the sweep will come back to the channel; here there is nobody to tell but the log
        logger.error({ err: error, subscription_id: channelId }, 'a channel could not be drained');
        return;
      }
    }
  }

  function run(channelId: string): void {
    if (!handlers || stopped || running.has(channelId)) return;
    const given = handlers;
    const bell = createBell();
    // begun a moment later, when it is known to run: a drain may itself wake channels
    const job = Promise.resolve()
      .then(() => work(channelId, given, { stopping: () => stopped, nextWake: bell.next }))
      .finally(() => {
        running.delete(channelId);
        // a wake-up between the last look and this moment
        if (woken.has(channelId)) run(channelId);
      });
    running.set(channelId, { job, bell });
  }

  function wake(channelIds: string[]): void {
    for (const id of channelIds) {
      woken.add(id);
      // a drain that waits for a slow receiver has places free that this may use
      running.get(id)?.bell.ring();
      run(id);
    }
  }

  async function tend({ sweep, purge }: JobHandlers): Promise<void> {
    try {
      wake(await sweep());
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
      await Promise.allSettled([...running.values()].map(({ job }) => job));
    },
  };
}
