import { toIso } from '../../../common/src/clock.ts';
import { toMajor } from '../shared/currency.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import { fromThousandths } from '../shared/units.ts';
import { type Db, query } from '../storage/dialect.ts';
import { queryPage, toLimits } from '../storage/page.ts';
import type { HistoryEntry } from './order-schema.ts';
import type { WorkflowStatus } from './status.ts';

interface HistoryRow extends Omit<HistoryEntry, 'at' | 'grams' | 'cost' | 'cost_currency' | 'cost_rub'> {
  at: number;
  grams_mg: number | null;
  cost_minor: number | null;
  currency: string;
}

export interface NewHistoryEntry {
  id: string;
  orderId: string;
  kind: HistoryEntry['kind'];
  at: number;
  actor: string;
  fromStatus?: WorkflowStatus;
  toStatus?: WorkflowStatus;
  received?: string;
  filamentId?: string;
  gramsMg?: number;
  costMinor?: number | null;
  note?: string | null;
}

export async function insertHistory(db: Db, entry: NewHistoryEntry): Promise<void> {
  await query(
    db,
    `INSERT INTO order_history (id, order_id, account_id, kind, at, actor, from_status, to_status, received, filament_id, grams_mg, cost_minor, note)
     VALUES (?, ?, (SELECT account_id FROM orders WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      entry.id,
      entry.orderId,
      entry.orderId,
      entry.kind,
      entry.at,
      entry.actor,
      entry.fromStatus ?? null,
      entry.toStatus ?? null,
      entry.received ?? null,
      entry.filamentId ?? null,
      entry.gramsMg ?? null,
      entry.costMinor ?? null,
      entry.note ?? null,
    ],
  );
}

function toCost(minor: number | null, currency: string): Pick<HistoryEntry, 'cost' | 'cost_currency' | 'cost_rub'> {
  if (minor === null) return { cost: null, cost_currency: null, cost_rub: null };
  const cost = toMajor(minor, currency);
  return { cost, cost_currency: currency, cost_rub: currency === 'RUB' ? cost : null };
}

export async function listHistory(db: Db, orderId: string, page: Page): Promise<Listed<HistoryEntry>> {
  const { rows, total, next } = await queryPage<HistoryRow>(db, {
    columns: `seq, id, kind, at, actor, from_status, to_status, received, filament_id, grams_mg, cost_minor, note,
      (SELECT a.currency FROM orders o JOIN accounts a ON a.id = o.account_id WHERE o.id = t.order_id) AS currency`,
    table: 'order_history',
    where: ['t.order_id = ?'],
    values: [orderId],
    orderBy: 't.seq DESC',
    ...toLimits(page),
  });
  const items = rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    at: toIso(row.at),
    actor: row.actor,
    from_status: row.from_status,
    to_status: row.to_status,
    received: row.received,
    filament_id: row.filament_id,
    grams: row.grams_mg === null ? null : fromThousandths(row.grams_mg),
    ...toCost(row.cost_minor, row.currency),
    note: row.note,
  }));
  return { items, total, next };
}
