import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import type { Storage, Tx } from './open.ts';

/** Far more than are in use at a time; forgetting them all costs one needless note of each. */
const MAX_REMEMBERED = 10_000;

/** What is used: an id, and when it was used according to the database, in milliseconds since 1970. */
export interface Used {
  id: string;
  lastUsedAt: number | null;
}

/**
 * Writes down when something was last used: exact enough to find what nobody uses, rarely enough to cost nothing. Nobody
 * waits for it, and a failure of it turns nobody away.
 * @param what for the log, such as `token`
 * @param grainMs how old, in milliseconds, the last note must be before another is made
 * @param write stores the note
 */
export function createLastUse<T extends Used>(
  { storage, clock, logger }: { storage: Storage; clock: Clock; logger: Logger },
  what: string,
  grainMs: number,
  write: (tx: Tx, used: T, now: number) => Promise<void>,
) {
  /** what this process is writing down, or has just written down */
  const noted = new Map<string, number>();

  return (used: T): void => {
    const now = clock();
    if (now - Math.max(used.lastUsedAt ?? 0, noted.get(used.id) ?? 0) < grainMs) return;
    if (noted.size >= MAX_REMEMBERED) noted.clear();
    noted.set(used.id, now);
    storage
      .inTransaction((tx) => write(tx, used, now))
      .catch((error: unknown) => logger.warn({ err: error }, `failed to record the last use of a ${what}`));
  };
}
