import { type Db, query } from '../dialect.ts';

/**
 * Indexes for the dashboard: open orders by due date, and the days on which orders were done or failed. They are
 * partial, so that other writes cost the same. The history gets the account id, because reading it from each order took
 * most of the time.
 */
export async function up(db: Db): Promise<void> {
  await query(
    db,
    `CREATE INDEX orders_open_due ON orders (account_id, due_date, id)
     WHERE workflow_status NOT IN ('done', 'cancelled', 'closed')`,
  );
  await query(db, 'ALTER TABLE order_history ADD COLUMN account_id TEXT');
  await query(
    db,
    'UPDATE order_history SET account_id = (SELECT o.account_id FROM orders o WHERE o.id = order_history.order_id)',
  );
  await query(
    db,
    `CREATE INDEX order_history_outcomes ON order_history (account_id, to_status, at, order_id)
     WHERE to_status IN ('done', 'print_error')`,
  );
}
