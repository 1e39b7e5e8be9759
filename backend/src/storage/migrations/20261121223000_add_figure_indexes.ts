import { type Db, query } from '../dialect.ts';

/**
 * What the overview asks for, over books of any age: open orders by their day, and the days on which orders ended well
 * or failed. The indexes hold only the rows that are asked for, so that other writes stay as they are. The history says whose it is, because looking that up in each order took most of the time.
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
