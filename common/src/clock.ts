/** The current time in ms since 1970. Injected everywhere so that tests can set it. */
export type Clock = () => number;

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

export const systemClock: Clock = () => Date.now();

const monotonicClock: Clock = () => performance.now();

/**
 * Measures the time since this call in ms, at least: the monotonic clock stands still while the machine is suspended, and
 * the wall clock may be set back.
 */
export function startStopwatch(clock: Clock = systemClock, monotonic: Clock = monotonicClock): () => number {
  const [startedAt, monotonicStart] = [clock(), monotonic()];
  return () => Math.max(clock() - startedAt, monotonic() - monotonicStart);
}

/** ISO 8601 in UTC with milliseconds and `Z`, the only time format in the API. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

/** The UTC calendar day of a time, `YYYY-MM-DD`. */
export const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
