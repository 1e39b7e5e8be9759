import type { Clock } from '../../../common/src/clock.ts';
import type { Logger } from '../../../common/src/logger.ts';
import type { Storage } from './open.ts';
import type { Tx } from './transaction.ts';

/** Far more than are in use at a time; clearing them costs at most one extra write each. */
const MAX_REMEMBERED = 10_000;

/** Something in use: its id, and when it was last used according to the database (ms). */
export interface Used {
  id: string;
  lastUsedAt: number | null;
}

/**
 * Records when tokens and sessions were last used, at most once per interval. Callers do not wait for the write, and
 * its failure is only logged.
 * @param what for the log, such as `token`
 * @param intervalMs minimum age (ms) of the recorded use before it is written again
 * @param write stores the time of use
 */
export function createLastUse<T extends Used>(
  { storage, clock, logger }: { storage: Storage; clock: Clock; logger: Logger },
  what: string,
  intervalMs: number,
  write: (tx: Tx, used: T, now: number) => Promise<void>,
) {
  /** times that this process has written or is writing */
  const recorded = new Map<string, number>();

  return (used: T): void => {
    const now = clock();
    if (now - Math.max(used.lastUsedAt ?? 0, recorded.get(used.id) ?? 0) < intervalMs) return;
    if (recorded.size >= MAX_REMEMBERED) recorded.clear();
    recorded.set(used.id, now);
    storage
      .inTransaction((tx) => write(tx, used, now))
      .catch((error: unknown) => logger.warn({ err: error }, `failed to record the last use of a ${what}`));
  };
}
