import type { Logger } from '../shared/logger.ts';
import type { DrainControl, JobHandlers } from './jobs.ts';
import { createSignal, type Signal } from './signal.ts';

/**
 * The drains that run in this process. A channel has at most one at a time; when it is woken while its drain runs, that
 * drain is told, and runs once more, so that what was committed in its last moments is not left lying.
 */
export function createLocalQueue(deps: { logger: Logger }) {
  const { logger } = deps;
  const woken = new Set<string>();
  const running = new Map<string, { job: Promise<void>; signal: Signal }>();
  let drain: JobHandlers['drain'] | undefined;
  let stopped = false;

  async function work(channelId: string, run: JobHandlers['drain'], nextWake: DrainControl['nextWake']): Promise<void> {
    while (woken.delete(channelId) && !stopped) {
      try {
        await run(channelId, { stopping: () => stopped, nextWake });
      } catch (error) {
        // the sweep will come back to the channel; here there is nobody to tell but the log
        logger.error({ err: error, subscription_id: channelId }, 'failed to send the deliveries of a channel');
        return;
      }
    }
  }

  function run(channelId: string): void {
    if (!drain || stopped || running.has(channelId)) return;
    const given = drain;
    const signal = createSignal();
    // begun a moment later, when it is known to run: a drain may itself wake channels
    const job = Promise.resolve()
      .then(() => work(channelId, given, signal.next))
      .finally(() => {
        running.delete(channelId);
        // a wake-up between the last look and this moment
        if (woken.has(channelId)) run(channelId);
      });
    running.set(channelId, { job, signal });
  }

  /** Tells a running drain that there is more; does not begin one. */
  function notify(channelId: string): void {
    running.get(channelId)?.signal.notify();
  }

  return {
    ring: notify,
    wake(channelIds: string[]): void {
      for (const id of channelIds) {
        woken.add(id);
        // a drain that waits for a slow receiver has places free that this may use
        notify(id);
        run(id);
      }
    },
    start(given: JobHandlers['drain']): void {
      drain = given;
      for (const id of woken) run(id);
    },
    /** Begins nothing more and resolves when what runs has ended. */
    async stop(): Promise<void> {
      stopped = true;
      await Promise.allSettled([...running.values()].map(({ job }) => job));
    },
  };
}
