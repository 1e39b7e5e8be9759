import type { Db } from './dialect.ts';
import { isPostgres, query } from './dialect.ts';
import * as createOrderBook from './migrations/20261121120000_create_order_book.ts';
import type { Storage } from './open.ts';

interface Migration {
  name: string;
  up(db: Db): Promise<void>;
}

/** In order, append only. The list is explicit because a folder read at run time differs between source and build. */
export const MIGRATIONS: Migration[] = [{ name: '20261121120000_create_order_book', up: createOrderBook.up }];

/** Any fixed number: PostgreSQL holds this lock until the transaction ends, however its process ends. */
const ADVISORY_LOCK = 7_260_427;

/**
 * Brings the schema up to date: each missing migration in a transaction of its own, with the row that says it ran.
 * Safe at every start and in many processes at once: the transaction holds the engine's own lock. (Knex's migrator keeps
 * its lock in a row, which a killed process leaves locked for ever; that is why it is not used here.)
 * @returns the names of the migrations that ran now
 */
export async function migrate(storage: Storage): Promise<string[]> {
  const ran: string[] = [];
  for (const migration of MIGRATIONS) {
    await storage.inTransaction(async ({ db }) => {
      if (isPostgres(db)) await query(db, `SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
      await query(db, 'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, ran_at BIGINT NOT NULL)');
      const [done] = await query(db, 'SELECT name FROM schema_migrations WHERE name = ?', [migration.name]);
      if (done) return;
      await migration.up(db);
      await query(db, 'INSERT INTO schema_migrations (name, ran_at) VALUES (?, ?)', [migration.name, Date.now()]);
      ran.push(migration.name);
    });
  }
  return ran;
}
