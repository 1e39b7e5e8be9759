// The ledger of every gram that was added to a batch or deducted from one.
import { DAY_MS, toIso } from '../../../common/src/clock.ts';
import { toMajorOrNull } from '../shared/currency.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import { fromThousandths } from '../shared/units.ts';
import { bool, type Db, placeholders, query, queryOne } from '../storage/dialect.ts';
import { queryPage, toLimits } from '../storage/page.ts';
import type { DeductionSource } from './filament.ts';
import type { LedgerEntry } from './filament-schema.ts';

/** Not reversed by an undo; on a ledger entry by its alias. */
const isInForce = (alias: string) => `NOT EXISTS (SELECT 1 FROM filament_ledger u WHERE u.undoes_id = ${alias}.id)`;

/** Whether grams were deducted from the unarchived batches, or counted in them, and that was not undone. */
export async function isUsedOrCounted(db: Db, filamentId: string): Promise<boolean> {
  const rows = await query(
    db,
    `SELECT 1 AS found FROM filament_batches b JOIN filament_ledger l ON l.batch_id = b.id
     WHERE b.filament_id = ? AND b.archived_at IS NULL AND l.kind IN ('consumption', 'adjustment') AND ${isInForce('l')} LIMIT 1`,
    [filamentId],
  );
  return rows.length > 0;
}

/** The receipt of an unarchived batch. */
export interface Receipt {
  id: string;
  batchId: string;
  spoolCount: number;
  gramsMg: number;
  costMinor: number | null;
}

/** The receipts of a filament's unarchived batches, oldest first. */
export async function findReceipts(db: Db, filamentId: string): Promise<Receipt[]> {
  const rows = await query<{
    id: string;
    batch_id: string;
    spool_count: number;
    grams_mg: number;
    cost_minor: number | null;
  }>(
    db,
    `SELECT l.id, l.batch_id, b.spool_count, l.grams_mg, l.cost_minor FROM filament_batches b JOIN filament_ledger l ON l.batch_id = b.id
     WHERE b.filament_id = ? AND b.archived_at IS NULL AND l.kind = 'receipt' AND ${isInForce('l')} ORDER BY l.seq`,
    [filamentId],
  );
  return rows.map((row) => ({
    id: row.id,
    batchId: row.batch_id,
    spoolCount: row.spool_count,
    gramsMg: row.grams_mg,
    costMinor: row.cost_minor,
  }));
}

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
  /** of a consumption */
  source?: DeductionSource;
  /** of a stocktake: what it counted, in this batch alone or in all */
  counted?: { gramsMg: number; isOfBatch: boolean };
}

export async function insertLedger(
  db: Db,
  filamentId: string,
  entries: readonly NewLedgerEntry[],
  by: { actor: string; at: number },
): Promise<void> {
  await query(
    db,
    `INSERT INTO filament_ledger (id, filament_id, batch_id, kind, deduction_id, undoes_id, grams_mg, cost_minor, order_id, printer_id,
       note, overdraw, source, counted_mg, counted_batch, actor, at)
     VALUES ${placeholders(entries.length, 17)}`,
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
      entry.source ?? null,
      entry.counted?.gramsMg ?? null,
      bool(entry.counted?.isOfBatch ?? false),
      by.actor,
      by.at,
    ]),
  );
}

/** How long before or after a deduction another one for the same order is noticed. */
const SAME_PRINT_MS = DAY_MS;

/** Grams deducted for the order of entry `t`, within a day, from the other source. */
const ALSO_DEDUCTED = `CASE WHEN t.kind = 'consumption' AND t.source IS NOT NULL THEN
    (SELECT CAST(-sum(o.grams_mg) AS BIGINT) FROM filament_ledger o
     WHERE o.order_id = t.order_id AND o.at >= t.at - ${SAME_PRINT_MS} AND o.at <= t.at + ${SAME_PRINT_MS}
       AND o.kind = 'consumption' AND o.source <> t.source AND ${isInForce('o')}) END`;

/** The newest stocktake after entry `t` that counted its batch. A stocktake has an entry for each batch it corrected. */
const LATER_STOCKTAKE = `(SELECT a.id FROM filament_ledger a
    WHERE a.filament_id = t.filament_id AND a.kind = 'adjustment' AND a.seq > t.seq AND ${isInForce('a')}
      AND (a.counted_batch = 0 OR a.batch_id = t.batch_id) AND coalesce(a.deduction_id, a.id) <> coalesce(t.deduction_id, t.id)
    ORDER BY a.seq DESC LIMIT 1)`;

/**
 * Milligrams deducted for an order from one source in the last 24 hours and not undone, of whichever filament.
 * @param until milliseconds
 */
export async function sumDeducted(db: Db, orderId: string, source: DeductionSource, until: number): Promise<number> {
  const row = await queryOne<{ mg: number }>(
    db,
    `SELECT CAST(coalesce(-sum(o.grams_mg), 0) AS BIGINT) AS mg FROM filament_ledger o
     WHERE o.order_id = ? AND o.at >= ? AND o.at <= ? AND o.kind = 'consumption' AND o.source = ? AND ${isInForce('o')}`,
    [orderId, until - SAME_PRINT_MS, until, source],
  );
  return row?.mg ?? 0;
}

interface LedgerRow
  extends Pick<
    LedgerEntry,
    | 'id'
    | 'kind'
    | 'batch_id'
    | 'deduction_id'
    | 'undoes_id'
    | 'undone_by_id'
    | 'order_id'
    | 'printer_id'
    | 'note'
    | 'source'
    | 'actor'
  > {
  grams_mg: number;
  cost_minor: number | null;
  currency: string;
  overdraw: number;
  also_deducted_mg: number | null;
  counted_mg: number | null;
  later_stocktake_id: string | null;
  at: number;
}

export async function listLedger(db: Db, filamentId: string, page: Page): Promise<Listed<LedgerEntry>> {
  const { rows, total, next } = await queryPage<LedgerRow>(db, {
    columns: `t.seq, t.id, t.kind, t.batch_id, t.deduction_id, t.undoes_id,
      (SELECT u.id FROM filament_ledger u WHERE u.undoes_id = t.id) AS undone_by_id, t.grams_mg, t.cost_minor, t.order_id, t.printer_id,
      t.note, t.overdraw, t.source, ${ALSO_DEDUCTED} AS also_deducted_mg, t.counted_mg, ${LATER_STOCKTAKE} AS later_stocktake_id,
      t.actor, t.at, (SELECT a.currency FROM filaments f JOIN accounts a ON a.id = f.account_id WHERE f.id = t.filament_id) AS currency`,
    table: 'filament_ledger',
    where: ['t.filament_id = ?'],
    values: [filamentId],
    orderBy: 't.seq DESC',
    key: 'seq',
    ...toLimits(page),
  });
  const stocktakes = await findStocktakes(db, [...new Set(rows.flatMap((row) => row.later_stocktake_id ?? []))]);
  const items = rows.map((row) => {
    // an entry that is undone, or an undo, can't be undone again
    const isFinal = row.undone_by_id !== null || row.kind === 'undo';
    return {
      id: row.id,
      kind: row.kind,
      batch_id: row.batch_id,
      deduction_id: row.deduction_id,
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
      source: row.source,
      also_deducted_grams: isFinal ? null : gramsOrNull(row.also_deducted_mg),
      counted_grams: gramsOrNull(row.counted_mg),
      later_stocktake: isFinal ? null : (stocktakes.get(row.later_stocktake_id ?? '') ?? null),
      actor: row.actor,
      at: toIso(row.at),
    };
  });
  return { items, total, next };
}

const gramsOrNull = (mg: number | null): number | null => (mg === null ? null : fromThousandths(mg));

/** Stocktakes by the ids of one of their entries. */
async function findStocktakes(db: Db, ids: readonly string[]): Promise<Map<string, LedgerEntry['later_stocktake']>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{
    id: string;
    at: number;
    counted_mg: number | null;
    counted_batch: number;
    batch_id: string;
  }>(
    db,
    `SELECT id, at, counted_mg, counted_batch, batch_id FROM filament_ledger WHERE id IN ${placeholders(1, ids.length)}`,
    ids,
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        entry_id: row.id,
        at: toIso(row.at),
        counted_grams: gramsOrNull(row.counted_mg),
        batch_id: row.counted_batch === 1 ? row.batch_id : null,
      },
    ]),
  );
}

/** When the newest stocktake after ledger entries counted one of their batches, in milliseconds. */
export async function findLaterStocktake(
  db: Db,
  filamentId: string,
  lines: readonly DeductedLine[],
): Promise<number | undefined> {
  const batchIds = [...new Set(lines.map(({ batch }) => batch.id))];
  const row = await queryOne<{ at: number }>(
    db,
    `SELECT a.at FROM filament_ledger a WHERE a.filament_id = ? AND a.kind = 'adjustment' AND a.seq > ? AND ${isInForce('a')}
       AND (a.counted_batch = 0 OR a.batch_id IN ${placeholders(1, batchIds.length)}) ORDER BY a.seq DESC LIMIT 1`,
    [filamentId, Math.max(...lines.map(({ seq }) => seq)), ...batchIds],
  );
  return row?.at;
}

/** A ledger entry of a locked filament, with its batch. */
export interface DeductedLine {
  seq: number;
  id: string;
  kind: LedgerEntry['kind'];
  gramsMg: number;
  costMinor: number | null;
  orderId: string | null;
  printerId: string | null;
  isUndone: boolean;
  batch: { seq: number; id: string; spoolCount: number; usedMg: number; surplusMg: number; isArchived: boolean };
}

interface DeductedRow {
  seq: number;
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
  surplus_mg: number;
  archived_at: number | null;
}

/** Finds a ledger entry of a locked filament and the entries deducted with it; empty if there is none. */
export async function findDeduction(db: Db, filamentId: string, entryId: string): Promise<DeductedLine[]> {
  const rows = await query<DeductedRow>(
    db,
    `SELECT l.seq, l.id, l.kind, l.grams_mg, l.cost_minor, l.order_id, l.printer_id, b.seq AS batch_seq, b.id AS batch_id, b.spool_count,
       b.used_mg, b.surplus_mg, b.archived_at, (SELECT u.id FROM filament_ledger u WHERE u.undoes_id = l.id) AS undone_by_id
     FROM filament_ledger l JOIN filament_batches b ON b.id = l.batch_id
     WHERE l.filament_id = ? AND l.id IN (
       SELECT id FROM filament_ledger WHERE id = ? UNION
       SELECT o.id FROM filament_ledger e JOIN filament_ledger o ON o.deduction_id = e.deduction_id WHERE e.id = ?)
     ORDER BY l.seq`,
    [filamentId, entryId, entryId],
  );
  return rows.map((row) => ({
    seq: row.seq,
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
      surplusMg: row.surplus_mg,
      isArchived: row.archived_at !== null,
    },
  }));
}
