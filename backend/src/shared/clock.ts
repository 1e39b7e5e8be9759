/** The current time in milliseconds since 1970, UTC. Handed in everywhere so that a test can set it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** ISO 8601 in UTC with milliseconds and `Z`: the one form of a time on the wire. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

/** The UTC calendar day of an instant, `YYYY-MM-DD`. */
export const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
