import type { Logger } from '../../../common/src/logger.ts';
import type { DrainControl } from '../shared/drain-control.ts';
import type { JobHandlers } from './jobs.ts';
import { createSignal, type Signal } from './signal.ts';

/**
 * The drains of this process, at most one per subscription. Waking a subscription during its drain notifies that drain
 * and runs it once more, so that deliveries committed at its end are not left pending.
 */
export function createLocalQueue(deps: { logger: Logger }) {
  const { logger } = deps;
  const woken = new Set<string>();
  const running = new Map<string, { job: Promise<void>; signal: Signal }>();
  let drain: JobHandlers['drain'] | undefined;
  let stopped = false;

  async function work(
    subscriptionId: string,
    run: JobHandlers['drain'],
    nextWake: DrainControl['nextWake'],
  ): Promise<void> {
    while (woken.delete(subscriptionId) && !stopped) {
      try {
        await run(subscriptionId, { stopping: () => stopped, nextWake });
      } catch (error) {
        // the sweep retries the subscription
        logger.error(
          { err: error, subscription_id: subscriptionId },
          'failed to send the deliveries of a subscription',
        );
        return;
      }
    }
  }

  function run(subscriptionId: string): void {
    if (!drain || stopped || running.has(subscriptionId)) return;
    const given = drain;
    const signal = createSignal();
    // started asynchronously after it is registered, because a drain may wake subscriptions itself
    const job = Promise.resolve()
      .then(() => work(subscriptionId, given, signal.next))
      .finally(() => {
        running.delete(subscriptionId);
        // woken after the drain's last check
        if (woken.has(subscriptionId)) run(subscriptionId);
      });
    running.set(subscriptionId, { job, signal });
  }

  /** Notifies a running drain; does not start one. */
  function notify(subscriptionId: string): void {
    running.get(subscriptionId)?.signal.notify();
  }

  return {
    notify,
    wake(subscriptionIds: string[]): void {
      for (const id of subscriptionIds) {
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
