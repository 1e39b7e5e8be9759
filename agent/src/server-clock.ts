import type { Clock } from '../../common/src/clock.ts';

/** A smaller difference doesn't matter: the server accepts signatures that are up to 300 s old. */
const MAX_SKEW_MS = 60_000;

/** What to say about a clock that differs from the server's by this many milliseconds; empty if that is little. */
export function describeSkew(aheadMs: number): string {
  if (!(Math.abs(aheadMs) > MAX_SKEW_MS)) return '';
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return `This machine's clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the server's. Set it.`;
}

export type ServerClock = ReturnType<typeof createServerClock>;

/**
 * The server's clock, by which requests are signed. It is this machine's clock until the server rejects a signature:
 * only then is the `Date` of its answer believed, because a proxy may set a wrong one.
 */
export function createServerClock(clock: Clock, warn: (message: string) => void) {
  let behindMs = 0;
  let isWarned = false;

  return {
    now: (): number => clock() + behindMs,

    /** Warns once if an answer's `Date` shows that this machine's clock is wrong. */
    observe(date: string | null): void {
      const skew = describeSkew(clock() - Date.parse(date ?? ''));
      if (skew !== '' && !isWarned) warn(skew);
      isWarned = skew !== '';
    },

    /** Takes the time from the `Date` of an answer. @returns whether signing again makes a difference */
    adopt(date: string | null): boolean {
      const skew = Date.parse(date ?? '') - clock();
      const wanted = Math.abs(skew) > MAX_SKEW_MS ? skew : 0;
      const differs = Math.abs(wanted - behindMs) > MAX_SKEW_MS;
      if (differs) behindMs = wanted;
      return differs;
    },

    /** Back to this machine's clock. */
    reset(): void {
      behindMs = 0;
    },
  };
}
