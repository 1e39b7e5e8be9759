import type { Clock } from '../../../../common/src/clock.ts';
import type { Enqueue } from '../../backoff.ts';
import type { Tracker } from '../tracker.ts';
import type { Print } from './bambu-print.ts';
import { hasFailed, isAboutJobs, isAnotherJob, isTentative, type Observation, type State } from './bambu-state.ts';

/** How many times the settling time a failure waits for its code, which printers send up to 8 s later. */
const WAIT_FOR_CODE = 5;

/**
 * The reports of one connection. What may be contradicted or explained by the next message waits for it: an idle state
 * during a print, a failure without an error.
 * @param enqueue runs work after what was enqueued before
 * @param isUp the printer responds
 */
export function createBambuSession(deps: {
  tracker: Tracker<State, Observation>;
  clock: Clock;
  settleMs: number;
  enqueue: Enqueue;
  isUp: () => void;
}) {
  const { tracker, clock, settleMs, enqueue, isUp } = deps;
  let merged: Print = {};
  let isFirst = true;
  let isWhole = false;
  let waiting: NodeJS.Timeout | undefined;

  function stopWaiting(): void {
    clearTimeout(waiting);
    waiting = undefined;
  }

  async function observe(print: Print, fingerprint: string | undefined): Promise<void> {
    stopWaiting();
    await tracker.observe({ print, now: clock(), isFirst, fingerprint });
    isFirst &&= !isAboutJobs(print);
    isUp();
  }

  return {
    /** A complete report has arrived. */
    isWhole: () => isWhole,

    /** @param changed the changed fields */
    async handle(changed: Print, fingerprint: string | undefined): Promise<void> {
      const earlier = merged;
      merged = { ...merged, ...changed };
      // before the response to our request, only changed fields may arrive
      isWhole ||= changed.gcode_state !== undefined && changed.subtask_name !== undefined;
      if (!isWhole) return;
      // another job is named or begins before the time is up
      const isOver = () => (hasFailed(earlier) && !hasFailed(merged)) || isAnotherJob(earlier, merged);
      if (waiting && isOver()) await observe(earlier, fingerprint);
      if (!isTentative(tracker.state(), merged, changed, isFirst)) return observe(merged, fingerprint);
      if (waiting && hasFailed(earlier) === hasFailed(merged)) return;
      stopWaiting();
      const waitMs = hasFailed(merged) ? WAIT_FOR_CODE * settleMs : settleMs;
      waiting = setTimeout(() => enqueue(() => observe(merged, fingerprint)), waitMs);
    },

    close: stopWaiting,
  };
}
