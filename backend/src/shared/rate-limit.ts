/** How often a key was used in the current period. */
export interface Usage {
  used: number;
  /** used more often than the limit allows */
  isOver: boolean;
  /** uses that are left in this period */
  remaining: number;
  /** seconds until the period ends, at least 1 */
  retryAfter: number;
}

/**
 * Limits uses per key: at most `max` in a period of `withinMs`, which begins with the first use. Counted over all
 * processes where there is Redis; while it doesn't respond, each process counts by itself. Never rejects.
 */
export interface RateLimit {
  readonly max: number;
  /** ms */
  readonly withinMs: number;
  /** Counts one use, also above the limit. Call it before the work, so that concurrent uses count too. */
  count(key: string): Promise<Usage>;
  /** What was counted so far. */
  read(key: string): Promise<Usage>;
  /** Subtracts one counted use. */
  undo(key: string): Promise<void>;
  /** Forgets all uses of a key. */
  reset(key: string): Promise<void>;
}

/** How many times as much as one IPv6 /64 those of a /48 may do together. */
export const NETWORK_FACTOR = 4;

/** @param name unique; part of the keys in Redis */
export type CreateRateLimit = (name: string, options: { max: number; withinMs: number }) => RateLimit;
