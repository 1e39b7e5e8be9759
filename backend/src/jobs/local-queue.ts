import type { DrainControl } from '../shared/drain-control.ts';
import type { Logger } from '../shared/logger.ts';
import type { JobHandlers } from './jobs.ts';
import { createSignal, type Signal } from './signal.ts';

/**
 * The drains of this process, at most one per channel. Waking a channel during its drain notifies that drain and runs
 * it once more, so that deliveries committed at its end are not left pending.
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
        // the sweep retries the channel
        logger.error({ err: error, subscription_id: channelId }, 'failed to send the deliveries of a channel');
        return;
      }
    }
  }

  function run(channelId: string): void {
    if (!drain || stopped || running.has(channelId)) return;
    const given = drain;
    const signal = createSignal();
    // started asynchronously after it is registered, because a drain may wake channels itself
    const job = Promise.resolve()
      .then(() => work(channelId, given, signal.next))
      .finally(() => {
        running.delete(channelId);
        // woken after the drain's last check
        if (woken.has(channelId)) run(channelId);
      });
    running.set(channelId, { job, signal });
  }

  /** Notifies a running drain; does not start one. */
  function notify(channelId: string): void {
    running.get(channelId)?.signal.notify();
  }

  return {
    notify,
    wake(channelIds: string[]): void {
      for (const id of channelIds) {
        woken.add(id);
        // a drain that waits for a slow receiver may have capacity for more
        notify(id);
        run(id);
      }
    },
    start(given: JobHandlers['drain']): void {
      drain = given;
      for (const id of woken) run(id);
    },
    /** Starts no more drains and resolves when the running ones have ended. */
    async stop(): Promise<void> {
      stopped = true;
      await Promise.allSettled([...running.values()].map(({ job }) => job));
    },
  };
}
