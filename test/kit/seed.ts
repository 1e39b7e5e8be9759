import sqlite3 from 'sqlite3';

/** Runs statements on a SQLite file that no service has open. */
export async function execute(file: string, sql: string): Promise<void> {
  const db = new sqlite3.Database(file);
  try {
    await new Promise<void>((resolve, reject) => db.exec(sql, (error) => (error ? reject(error) : resolve())));
  } finally {
    await new Promise((resolve) => db.close(resolve));
  }
}

/** How many deliveries of the first subscription `seed` leaves pending. */
export const WAITING = 5;

/**
 * Seeds years of farm data directly: orders with history, events, deliveries, filaments with batches and a consistent
 * ledger, including texts that are hard to copy. The newest events are from the last minute and still pending for the
 * first subscription.
 */
export async function seed(file: string, orders: number): Promise<void> {
  const filaments = Math.max(1, Math.floor(orders / 100));
  const id = (kind: number | string, n: string) => `printf('%08x-0000-7000-8000-%012x', ${kind}, ${n})`;
  const numbers = (most: number) =>
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${most})`;
  const account = '(SELECT id FROM accounts ORDER BY created_at LIMIT 1)';
  const statuses = "CASE n % 3 WHEN 0 THEN 'done' WHEN 1 THEN 'printing' ELSE 'negotiation' END";
  // events of the last minute, one per millisecond
  const at = `(${Date.now() - 2 * orders} + n)`;
  await execute(
    file,
    `PRAGMA foreign_keys = ON;
     BEGIN;
     ${numbers(orders)} INSERT INTO orders (id, account_id, model_name, quantity_pieces, material_name, color_hex, material_mg, print_mh,
         due_date, order_notes, workflow_status, printer_id, customer_name, price, currency, search_text, version, created_at, updated_at)
       SELECT ${id(1, 'n')}, ${account}, 'part ' || n, n % 7 + 1, 'PETG', '#00ff00', n * 1000, n % 5000, '2026-12-01',
         CASE n % 6 WHEN 0 THEN '' WHEN 1 THEN 'it''s "quoted" \\ and ? and \\n' WHEN 2 THEN 'Größe 5 µm, 打印, 🖨️' || char(10, 9, 13)
           WHEN 3 THEN 'e' || char(769) || ' is not é' WHEN 4 THEN '12' ELSE ' [1,{"a":null}] ' END,
         ${statuses}, CASE WHEN n % 2 THEN (SELECT id FROM printers LIMIT 1) END, CASE WHEN n % 4 THEN 'Customer ' || n END,
         CASE WHEN n % 5 THEN n * 100000 END, CASE WHEN n % 5 THEN 'RUB' END, 'part ' || n, 1, ${at}, ${at} FROM n;
     ${numbers(3 * orders)} INSERT INTO order_history (id, order_id, kind, at, actor, from_status, to_status)
       SELECT ${id(2, 'n')}, ${id(1, '(n - 1) / 3 + 1')}, CASE n % 3 WHEN 1 THEN 'created' ELSE 'status_changed' END, ${at}, 'seed',
         CASE n % 3 WHEN 1 THEN NULL ELSE 'negotiation' END, ${statuses} FROM n;
     ${numbers(2 * orders)} INSERT INTO events (id, account_id, event, subject, occurred_at, body)
       SELECT ${id(3, 'n')}, ${account}, 'order.status_changed', 'order:' || ${id(1, '(n - 1) / 2 + 1')}, ${at},
         json_object('event', 'order.status_changed', 'occurred_at', '2026-11-21T09:30:00.000Z', 'data',
           json_object('id', ${id(1, '(n - 1) / 2 + 1')}, 'model_name', 'part', 'quantity_pieces', n, 'material_name', 'PETG',
             'color_hex', '#00ff00', 'material_grams', 1.5, 'print_hours', 2, 'due_date', '2026-12-01', 'order_notes', '', 'workflow_status', 'printing',
             'printer_id', NULL, 'printer_name', NULL)) FROM n;
     INSERT INTO deliveries (id, subscription_id, event_seq, subject, state, committed_at, sequence, attempted_at, duration_ms, response_status)
       SELECT ${id('112 + s.slot', 'e.seq')}, s.id, e.seq, e.subject, 'succeeded', e.occurred_at,
         row_number() OVER (PARTITION BY s.id ORDER BY e.seq), e.occurred_at, 5, 204
       FROM subscriptions s CROSS JOIN events e WHERE e.id <= ${id(3, String(2 * orders - WAITING))};
     UPDATE subscriptions SET last_sequence = ${2 * orders - WAITING};
     INSERT INTO deliveries (subscription_id, event_seq, subject, state, committed_at)
       SELECT s.id, e.seq, e.subject, 'pending', e.occurred_at
       FROM subscriptions s CROSS JOIN events e WHERE s.slot = 0 AND e.id > ${id(3, String(2 * orders - WAITING))};
     ${numbers(filaments)} INSERT INTO filaments (id, account_id, name, brand, type_name, colors, spool_weight_mg, spool_count, used_mg, search_text, created_at, updated_at)
       SELECT ${id(4, 'n')}, ${account}, 'spool ' || n, '', 'PETG', '[]', 1000000, 1001, 0, 'spool', ${at}, ${at} FROM n;
     ${numbers(2 * filaments)} INSERT INTO filament_batches (id, filament_id, received_at, spool_count, created_at)
       SELECT ${id(5, 'n')}, ${id(4, `(n - 1) % ${filaments} + 1`)}, n, CASE WHEN n <= ${filaments} THEN 1000 ELSE 1 END, ${at} FROM n;
     INSERT INTO filament_ledger (id, filament_id, batch_id, kind, grams_mg, actor, at)
       SELECT lower(hex(randomblob(16))), filament_id, id, 'receipt', spool_count * 1000000, 'seed', created_at FROM filament_batches WHERE id LIKE '00000005-%';
     ${numbers(orders)} INSERT INTO filament_ledger (id, filament_id, batch_id, kind, grams_mg, cost_minor, order_id, note, actor, at)
       SELECT ${id(6, 'n')}, ${id(4, `n % ${filaments} + 1`)}, ${id(5, `n % ${filaments} + 1`)}, 'consumption', -1000 - n % 7, 5, ${id(1, 'n')}, 'note ' || n, 'seed', ${at} FROM n;
     UPDATE filament_batches SET used_mg = (SELECT coalesce(-sum(grams_mg), 0) FROM filament_ledger l WHERE l.batch_id = filament_batches.id AND kind = 'consumption')
       WHERE id LIKE '00000005-%';
     UPDATE filaments SET used_mg = (SELECT sum(used_mg) FROM filament_batches b WHERE b.filament_id = filaments.id) WHERE id LIKE '00000004-%';
     ${numbers(filaments)} INSERT INTO idempotency_keys (account_id, key, request_hash, result, created_at)
       SELECT ${account}, CASE n % 2 WHEN 0 THEN 'Ключ-' ELSE 'key-' END || n, 'x', '{"n":1}', ${at} FROM n;
     -- numbers that were given out and are gone, as after a purge
     UPDATE sqlite_sequence SET seq = seq + 1000;
     COMMIT;`,
  );
}
