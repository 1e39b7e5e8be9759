import { uptime } from 'node:os';
import type { Clock } from '../../common/src/clock.ts';

/** In milliseconds. */
interface Moment {
  clock: number;
  uptime: number;
}

/**
 * Tells when a report is sent by the clock that its `at` was written by. A machine without a battery for its clock
 * starts with a wrong time and learns the right one later, often when the network comes back and reports are sent. The
 * system's uptime goes on evenly meanwhile, also while the machine sleeps.
 * @param uptimeMs replaced in tests
 */
export function createSendClock(clock: Clock, uptimeMs: Clock = () => uptime() * 1000) {
  const recorded = new Map<string, Moment>();
  return {
    now: (): Moment => ({ clock: clock(), uptime: uptimeMs() }),
    /** Says by which clock, and when, reports were written. */
    recorded(eventIds: readonly string[], at: Moment): void {
      for (const id of eventIds) recorded.set(id, at);
    },
    /** ms; for reports of an earlier run, by the clock of now */
    sentAt(eventId: string): number {
      const at = recorded.get(eventId);
      return at ? at.clock + (uptimeMs() - at.uptime) : clock();
    },
    settled: (eventId: string): boolean => recorded.delete(eventId),
  };
}

export type SendClock = ReturnType<typeof createSendClock>;
