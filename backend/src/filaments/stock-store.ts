// Batches, and the ledger of every gram that was added to or deducted from one.
import { toIso, toIsoOrNull } from '../shared/clock.ts';
import { toMajorOrNull } from '../shared/currency.ts';
import { fromThousandths, type Listed, offsetOf, type Page } from '../shared/schemas.ts';
import { bool, type Db, placeholders, query, queryOne, typedRows } from '../storage/dialect.ts';
import { queryPage, toLimits } from '../storage/page.ts';
import type { Batch, HeldBatch, LedgerEntry, OpenBatch, Share } from './filament.ts';
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
  `seq, id, received_at, spool_count, used_mg, spool_price_minor, needs_review, archived_at, created_at,
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

/** Archived batches count too, because their ledger entries depend on the spool weight. */
export async function hasBatches(db: Db, id: string): Promise<boolean> {
  return (await query(db, 'SELECT 1 AS found FROM filament_batches WHERE filament_id = ? LIMIT 1', [id])).length > 0;
}

interface OpenBatchRow {
  seq: number;
  id: string;
  spool_count: number;
  used_mg: number;
  spool_price_minor: number | null;
}

/** The start of a statement; its first value is the filament's id. */
const UNARCHIVED =
  'SELECT seq, id, spool_count, used_mg, spool_price_minor FROM filament_batches WHERE filament_id = ? AND archived_at IS NULL';

const toOpenBatch = (row: OpenBatchRow, spoolWeightMg: number): HeldBatch => ({
  seq: row.seq,
  id: row.id,
  leftMg: row.spool_count * spoolWeightMg - row.used_mg,
  usedMg: row.used_mg,
  spoolPriceMinor: row.spool_price_minor,
});

/** The unarchived batches of a locked filament that have grams left, in the order in which they are used. */
export async function batchesWithStock(db: Db, filament: LockedFilament): Promise<OpenBatch[]> {
  const rows = await query<OpenBatchRow>(
    db,
    `${UNARCHIVED} AND used_mg < spool_count * CAST(? AS BIGINT) ORDER BY received_at, seq`,
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
 * Returns grams to batches (or deducts them, if negative) and marks exactly those batches for review that are overdrawn
 * afterwards.
 */
export async function returnToBatches(
  db: Db,
  filament: Pick<LockedFilament, 'spoolWeightMg'>,
  gains: readonly { seq: number; gramsMg: number }[],
): Promise<void> {
  await query(
    db,
    `WITH v (seq, gain) AS (VALUES ${typedRows(gains.length, ['BIGINT', 'BIGINT'])})
     UPDATE filament_batches AS b SET used_mg = b.used_mg - v.gain,
       needs_review = CASE WHEN b.used_mg - v.gain > b.spool_count * CAST(? AS BIGINT) THEN 1 ELSE 0 END
     FROM v WHERE b.seq = v.seq`,
    [...gains.flatMap(({ seq, gramsMg }) => [seq, gramsMg]), filament.spoolWeightMg],
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
  const { rows, total, next } = await queryPage<LedgerRow>(db, {
    columns: `seq, id, kind, batch_id, booking_id, undoes_id, (SELECT u.id FROM filament_ledger u WHERE u.undoes_id = t.id) AS undone_by_id,
      grams_mg, cost_minor, order_id, printer_id, note, overdraw, actor, at,
      (SELECT a.currency FROM filaments f JOIN accounts a ON a.id = f.account_id WHERE f.id = t.filament_id) AS currency`,
    table: 'filament_ledger',
    where: ['t.filament_id = ?'],
    values: [filamentId],
    orderBy: 't.seq DESC',
    ...toLimits(page),
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
  return { items, total, next };
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

/** Finds a ledger entry of a locked filament and the entries deducted with it; empty if there is none. */
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
