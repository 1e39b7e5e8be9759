import { setTimeout } from 'node:timers/promises';
import { type Db, query } from '../dialect.ts';

/** The trace of the request that caused an event. The previous release inserts events without one. */
export async function up(db: Db): Promise<void> {
  await query(db, 'ALTER TABLE events ADD COLUMN traceparent TEXT');
}

const LOCK_TIMEOUT_MS = 300;
const PAUSE_MS = 200;

/**
 * As `up` on PostgreSQL, while others use the table. The column itself takes no time, but waits for the transactions
 * that read or write events, and new ones wait for it: gives up soon, and tries again.
 */
export async function online(db: Db): Promise<void> {
  for (;;) {
    try {
      await db.transaction(async (trx) => {
        await query(trx, `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await query(trx, 'ALTER TABLE events ADD COLUMN IF NOT EXISTS traceparent TEXT');
      });
      return;
    } catch (error) {
      // lock_not_available
      if ((error as { code?: string }).code !== '55P03') throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
