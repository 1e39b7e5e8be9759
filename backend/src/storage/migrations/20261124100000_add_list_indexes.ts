import { type Db, query } from '../dialect.ts';
import { createIndexOnline } from '../online.ts';

/**
 * Indexes for lists: a page of orders is read from one index range per status, and the events of a kind from one range.
 * As many as before contain the status, so a change of it costs the same.
 */
const ADDED = {
  orders_by_creation: 'orders (account_id, created_at, id)',
  orders_by_status_due: 'orders (account_id, workflow_status, due_date, id)',
  orders_by_status_updated: 'orders (account_id, workflow_status, updated_at, id)',
  orders_status_reset: 'orders (account_id) WHERE status_reset_received IS NOT NULL',
  events_by_kind: 'events (account_id, event, seq)',
};
const REPLACED = ['orders_newest', 'orders_open_due', 'orders_updated'];

export async function up(db: Db): Promise<void> {
  for (const [name, on] of Object.entries(ADDED)) await query(db, `CREATE INDEX ${name} ON ${on}`);
  for (const name of REPLACED) await query(db, `DROP INDEX ${name}`);
}

/** As `up` on PostgreSQL, while others write. */
export async function online(db: Db): Promise<void> {
  for (const [name, on] of Object.entries(ADDED)) await createIndexOnline(db, name, on);
  for (const name of REPLACED) await query(db, `DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
