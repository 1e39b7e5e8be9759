import { setTimeout } from 'node:timers/promises';
import { type Db, query, queryOne } from './dialect.ts';

// What migrations do on PostgreSQL while others use the tables.

/** Creates an index without a lock that writers wait for. An interrupted attempt leaves one that is not used. */
export async function createIndexOnline(
  db: Db,
  name: string,
  on: string,
  kind: 'INDEX' | 'UNIQUE INDEX' = 'INDEX',
): Promise<void> {
  const left = await queryOne(db, 'SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(?) AND NOT indisvalid', [
    name,
  ]);
  if (left) await query(db, `DROP INDEX CONCURRENTLY ${name}`);
  await query(db, `CREATE ${kind} CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
}

const LOCK_TIMEOUT_MS = 300;
const PAUSE_MS = 200;

/**
 * Runs work that locks a table for a moment, in a transaction. It waits for the transactions that use the table, and new
 * ones wait for it: so it gives up soon, and tries again.
 */
export async function lockBriefly(db: Db, work: (trx: Db) => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await db.transaction(async (trx) => {
        await query(trx, `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await work(trx);
      });
      return;
    } catch (error) {
      // lock_not_available
      if ((error as { code?: string }).code !== '55P03') throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
