// Batches, and the ledger of every gram that was added to or deducted from one.
import { DAY_MS, toIso, toIsoOrNull } from '../shared/clock.ts';
import { toMajorOrNull } from '../shared/currency.ts';
import { fromThousandths, type Listed, offsetOf, type Page } from '../shared/schemas.ts';
import { bool, type Db, placeholders, query, queryOne, typedRows } from '../storage/dialect.ts';
import { queryPage, toLimits } from '../storage/page.ts';
import type { Batch, DeductionSource, HeldBatch, LaterStocktake, LedgerEntry, OpenBatch, Share } from './filament.ts';
import { type LockedFilament, remainingMg, toPrice } from './filament-store.ts';

interface BatchRow {
  id: string;
  received_at: number;
  spool_count: number;
  used_mg: number;
  spool_price_minor: number | null;
  needs_review: number;
  archived_at: number | null;
  created_at: number;
  spool_weight_mg: number;
  currency: string;
}

const batchColumns = (alias: string) =>
  `seq, id, received_at, spool_count, used_mg - surplus_mg AS used_mg, spool_price_minor, needs_review, archived_at, created_at,
   (SELECT f.spool_weight_mg FROM filaments f WHERE f.id = ${alias}.filament_id) AS spool_weight_mg,
   (SELECT a.currency FROM filaments f JOIN accounts a ON a.id = f.account_id WHERE f.id = ${alias}.filament_id) AS currency`;

const toBatch = (row: BatchRow): Batch => ({
  id: row.id,
  received_at: toIso(row.received_at),
  spool_count: row.spool_count,
  used_grams: fromThousandths(row.used_mg),
  remaining_grams: fromThousandths(remainingMg(row)),
  ...toPrice(row),
  needs_review: row.needs_review === 1,
  archived_at: toIsoOrNull(row.archived_at),
  created_at: toIso(row.created_at),
});

export async function findBatch(db: Db, filamentId: string, id: string): Promise<Batch | undefined> {
  const sql = `SELECT ${batchColumns('t')} FROM filament_batches t WHERE id = ? AND filament_id = ?`;
  const row = await queryOne<BatchRow>(db, sql, [id, filamentId]);
  return row && toBatch(row);
}

export async function listBatches(db: Db, filamentId: string, page: Page): Promise<Listed<Batch>> {
  const { rows, total } = await queryPage<BatchRow>(db, {
    columns: batchColumns('t'),
    table: 'filament_batches',
    where: ['t.filament_id = ?'],
    values: [filamentId],
    orderBy: 't.seq DESC',
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map(toBatch), total };
}

export async function insertBatch(
  db: Db,
  filamentId: string,
  batch: { id: string; receivedAt: number; spoolCount: number; spoolPriceMinor: number | null; at: number },
): Promise<Batch> {
  const [row] = await query<BatchRow>(
    db,
    `INSERT INTO filament_batches (id, filament_id, received_at, spool_count, spool_price_minor, created_at)
     VALUES (?, ?, ?, ?, ?, ?) RETURNING ${batchColumns('filament_batches')}`,
    [batch.id, filamentId, batch.receivedAt, batch.spoolCount, batch.spoolPriceMinor, batch.at],
  );
  return toBatch(row as BatchRow);
}

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

/** Forgets the surplus of unarchived batches of which nothing is used. */
export async function resetBatches(db: Db, filamentId: string): Promise<void> {
  await query(
    db,
    'UPDATE filament_batches SET used_mg = 0, surplus_mg = 0 WHERE filament_id = ? AND archived_at IS NULL AND used_mg = surplus_mg',
    [filamentId],
  );
}

interface OpenBatchRow {
  seq: number;
  id: string;
  spool_count: number;
  used_mg: number;
  surplus_mg: number;
  spool_price_minor: number | null;
}

/** The start of a statement; its first value is the filament's id. */
const UNARCHIVED =
  'SELECT seq, id, spool_count, used_mg, surplus_mg, spool_price_minor FROM filament_batches WHERE filament_id = ? AND archived_at IS NULL';

const toOpenBatch = (row: OpenBatchRow, spoolWeightMg: number): HeldBatch => ({
  seq: row.seq,
  id: row.id,
  leftMg: row.spool_count * spoolWeightMg + row.surplus_mg - row.used_mg,
  usedMg: row.used_mg,
  labelMg: row.spool_count * spoolWeightMg,
  spoolPriceMinor: row.spool_price_minor,
});

/** The unarchived batches of a locked filament that have grams left, in the order in which they are used. */
export async function batchesWithStock(db: Db, filament: LockedFilament): Promise<OpenBatch[]> {
  const rows = await query<OpenBatchRow>(
    db,
    `${UNARCHIVED} AND used_mg < spool_count * CAST(? AS BIGINT) + surplus_mg ORDER BY received_at, seq`,
    [filament.id, filament.spoolWeightMg],
  );
  return rows.map((row) => toOpenBatch(row, filament.spoolWeightMg));
}

/** The youngest unarchived batch of a locked filament, which may be overdrawn, with or without grams left. */
export async function youngestBatch(db: Db, filament: LockedFilament): Promise<OpenBatch | undefined> {
  const row = await queryOne<OpenBatchRow>(db, `${UNARCHIVED} ORDER BY received_at DESC, seq DESC LIMIT 1`, [
    filament.id,
  ]);
  return row && toOpenBatch(row, filament.spoolWeightMg);
}

/** The unarchived batches of a locked filament, in the order in which they are used. */
export async function unarchivedBatches(db: Db, filament: LockedFilament): Promise<HeldBatch[]> {
  const rows = await query<OpenBatchRow>(db, `${UNARCHIVED} ORDER BY received_at, seq`, [filament.id]);
  return rows.map((row) => toOpenBatch(row, filament.spoolWeightMg));
}

/**
 * Returns grams to batches (or deducts them, if negative), with the surplus that was found in them, and marks exactly those batches for review that are overdrawn
 * afterwards.
 */
export async function returnToBatches(
  db: Db,
  filament: Pick<LockedFilament, 'spoolWeightMg'>,
  gains: readonly { batch: { seq: number }; gramsMg: number; surplusMg: number }[],
): Promise<void> {
  await query(
    db,
    `WITH v (seq, gain, surplus) AS (VALUES ${typedRows(gains.length, ['BIGINT', 'BIGINT', 'BIGINT'])})
     UPDATE filament_batches AS b SET used_mg = b.used_mg - v.gain + v.surplus, surplus_mg = b.surplus_mg + v.surplus,
       needs_review = CASE WHEN b.used_mg - v.gain > b.spool_count * CAST(? AS BIGINT) + b.surplus_mg THEN 1 ELSE 0 END
     FROM v WHERE b.seq = v.seq`,
    [...gains.flatMap(({ batch, gramsMg, surplusMg }) => [batch.seq, gramsMg, surplusMg]), filament.spoolWeightMg],
  );
}

/** Whether the account has a stored spool price, or a cost calculated from one. */
export async function hasPrices(db: Db, accountId: string): Promise<boolean> {
  const rows = await query(
    db,
    `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM filament_batches b JOIN filaments f ON f.id = b.filament_id
         WHERE f.account_id = ? AND b.spool_price_minor IS NOT NULL)
       OR EXISTS (SELECT 1 FROM order_history WHERE account_id = ? AND cost_minor IS NOT NULL)`,
    [accountId, accountId],
  );
  return rows.length > 0;
}

/** Archives a batch that was entered by mistake, so that it no longer counts. */
export async function archiveBatch(db: Db, seq: number, at: number): Promise<void> {
  await query(db, 'UPDATE filament_batches SET archived_at = ? WHERE seq = ?', [at, seq]);
}

/** Deducts all shares from their batches in one statement. */
export async function deductFromBatches(db: Db, shares: readonly Share[]): Promise<void> {
  // PostgreSQL would treat untyped parameters of a VALUES list as text
  const row = '(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS SMALLINT))';
  await query(
    db,
    `WITH v (seq, take, overdraw) AS (VALUES ${shares.map(() => row).join(', ')})
     UPDATE filament_batches AS b SET used_mg = b.used_mg + v.take,
       needs_review = CASE WHEN v.overdraw = 1 THEN 1 ELSE b.needs_review END
     FROM v WHERE b.seq = v.seq`,
    shares.flatMap(({ batch, gramsMg, overdraw }) => [batch.seq, gramsMg, bool(overdraw)]),
  );
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
    `INSERT INTO filament_ledger (id, filament_id, batch_id, kind, booking_id, undoes_id, grams_mg, cost_minor, order_id, printer_id,
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
      AND (a.counted_batch = 0 OR a.batch_id = t.batch_id) AND coalesce(a.booking_id, a.id) <> coalesce(t.booking_id, t.id)
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
    | 'booking_id'
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
    columns: `t.seq, t.id, t.kind, t.batch_id, t.booking_id, t.undoes_id,
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
      deduction_id: row.booking_id,
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
async function findStocktakes(db: Db, ids: readonly string[]): Promise<Map<string, LaterStocktake>> {
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
       SELECT o.id FROM filament_ledger e JOIN filament_ledger o ON o.booking_id = e.booking_id WHERE e.id = ?)
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
