import { toIso } from '../shared/clock.ts';
import { toMajorOrNull } from '../shared/currency.ts';
import { fromThousandths, type Listed, offsetOf, type Page } from '../shared/schemas.ts';
import { bool, type Db, placeholders, query } from '../storage/dialect.ts';
import { queryPage } from '../storage/page.ts';
import type { LedgerEntry } from './filament.ts';

export interface NewLedgerEntry {
  id: string;
  batchId: string;
  kind: LedgerEntry['kind'];
  consumptionId: string | null;
  /** set for an undo only; an entry can be undone once */
  undoesId: string | null;
  /** positive: added to the batch; negative: deducted */
  gramsMg: number;
  costMinor: number | null;
  orderId: string | null;
  printerId: string | null;
  note: string | null;
  overdraw: boolean;
}

export async function insertLedger(
  db: Db,
  filamentId: string,
  entries: readonly NewLedgerEntry[],
  by: { actor: string; at: number },
): Promise<void> {
  await query(
    db,
    `INSERT INTO filament_ledger (id, filament_id, batch_id, kind, booking_id, undoes_id, grams_mg, cost_minor, order_id, printer_id,
       note, overdraw, actor, at)
     VALUES ${placeholders(entries.length, 14)}`,
    entries.flatMap((entry) => [
      entry.id,
      filamentId,
      entry.batchId,
      entry.kind,
      entry.consumptionId,
      entry.undoesId,
      entry.gramsMg,
      entry.costMinor,
      entry.orderId,
      entry.printerId,
      entry.note,
      bool(entry.overdraw),
      by.actor,
      by.at,
    ]),
  );
}

interface LedgerRow extends Omit<LedgerEntry, 'grams' | 'cost' | 'cost_currency' | 'cost_rub' | 'overdraw' | 'at'> {
  grams_mg: number;
  cost_minor: number | null;
  currency: string;
  overdraw: number;
  at: number;
}

export async function listLedger(db: Db, filamentId: string, page: Page): Promise<Listed<LedgerEntry>> {
  const { rows, total } = await queryPage<LedgerRow>(db, {
    columns: `seq, id, kind, batch_id, booking_id, undoes_id, (SELECT u.id FROM filament_ledger u WHERE u.undoes_id = t.id) AS undone_by_id,
      grams_mg, cost_minor, order_id, printer_id, note, overdraw, actor, at,
      (SELECT a.currency FROM filaments f JOIN accounts a ON a.id = f.account_id WHERE f.id = t.filament_id) AS currency`,
    table: 'filament_ledger',
    where: ['t.filament_id = ?'],
    values: [filamentId],
    orderBy: 't.seq DESC',
    limit: page.per_page,
    offset: offsetOf(page),
  });
  const items = rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    batch_id: row.batch_id,
    booking_id: row.booking_id,
    undoes_id: row.undoes_id,
    undone_by_id: row.undone_by_id,
    grams: fromThousandths(row.grams_mg),
    cost: toMajorOrNull(row.cost_minor, row.currency),
    cost_currency: row.currency,
    cost_rub: row.currency === 'RUB' ? toMajorOrNull(row.cost_minor, row.currency) : null,
    order_id: row.order_id,
    printer_id: row.printer_id,
    note: row.note,
    overdraw: row.overdraw === 1,
    actor: row.actor,
    at: toIso(row.at),
  }));
  return { items, total };
}

/** A ledger entry of a locked filament, with its batch. */
export interface DeductedLine {
  id: string;
  kind: LedgerEntry['kind'];
  gramsMg: number;
  costMinor: number | null;
  orderId: string | null;
  printerId: string | null;
  isUndone: boolean;
  batch: { seq: number; id: string; spoolCount: number; usedMg: number; isArchived: boolean };
}

interface DeductedRow {
  id: string;
  kind: LedgerEntry['kind'];
  grams_mg: number;
  cost_minor: number | null;
  order_id: string | null;
  printer_id: string | null;
  undone_by_id: string | null;
  batch_seq: number;
  batch_id: string;
  spool_count: number;
  used_mg: number;
  archived_at: number | null;
}

/** A ledger entry of a locked filament, with those deducted together with it; empty if there is no such entry. */
export async function findDeduction(db: Db, filamentId: string, entryId: string): Promise<DeductedLine[]> {
  const rows = await query<DeductedRow>(
    db,
    `SELECT l.id, l.kind, l.grams_mg, l.cost_minor, l.order_id, l.printer_id, b.seq AS batch_seq, b.id AS batch_id, b.spool_count,
       b.used_mg, b.archived_at, (SELECT u.id FROM filament_ledger u WHERE u.undoes_id = l.id) AS undone_by_id
     FROM filament_ledger l JOIN filament_batches b ON b.id = l.batch_id
     WHERE l.filament_id = ? AND l.id IN (
       SELECT id FROM filament_ledger WHERE id = ? UNION
       SELECT o.id FROM filament_ledger e JOIN filament_ledger o ON o.booking_id = e.booking_id WHERE e.id = ?)
     ORDER BY l.seq`,
    [filamentId, entryId, entryId],
  );
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    gramsMg: row.grams_mg,
    costMinor: row.cost_minor,
    orderId: row.order_id,
    printerId: row.printer_id,
    isUndone: row.undone_by_id !== null,
    batch: {
      seq: row.batch_seq,
      id: row.batch_id,
      spoolCount: row.spool_count,
      usedMg: row.used_mg,
      isArchived: row.archived_at !== null,
    },
  }));
}
