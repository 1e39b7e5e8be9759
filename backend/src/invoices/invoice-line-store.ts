import { type Db, placeholders, query } from '../storage/dialect.ts';
import type { Line } from './invoice.ts';

/** The orders of each invoice, in the order of its lines. */
export async function listOrderIds(db: Db, ids: string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (ids.length === 0) return found;
  const rows = await query<{ invoice_id: string; order_id: string }>(
    db,
    `SELECT invoice_id, order_id FROM invoice_lines WHERE order_id IS NOT NULL AND invoice_id IN ${placeholders(1, ids.length)}
     ORDER BY invoice_id, place`,
    ids,
  );
  for (const { invoice_id, order_id } of rows) {
    const list = found.get(invoice_id) ?? [];
    if (!list.includes(order_id)) list.push(order_id);
    found.set(invoice_id, list);
  }
  return found;
}

export async function listLines(db: Db, id: string): Promise<Line[]> {
  const rows = await query<{
    order_id: string | null;
    description: string;
    quantity: number;
    unit_price_minor: number;
  }>(
    db,
    'SELECT order_id, description, quantity, unit_price_minor FROM invoice_lines WHERE invoice_id = ? ORDER BY place',
    [id],
  );
  return rows.map(({ unit_price_minor, ...line }) => ({ ...line, unit_price: unit_price_minor }));
}

export async function replaceLines(db: Db, id: string, lines: readonly Line[]): Promise<void> {
  await query(db, 'DELETE FROM invoice_lines WHERE invoice_id = ?', [id]);
  if (lines.length === 0) return;
  await query(
    db,
    `INSERT INTO invoice_lines (invoice_id, place, order_id, description, quantity, unit_price_minor) VALUES ${placeholders(lines.length, 6)}`,
    lines.flatMap((line, index) => [id, index + 1, line.order_id, line.description, line.quantity, line.unit_price]),
  );
}
