import { toIso, toIsoOrNull } from '../../../common/src/clock.ts';
import { type Listed, offsetOf, type Page } from '../shared/pagination.ts';
import { fromThousandths } from '../shared/units.ts';
import { bool, type Db, query, queryOne, typedRows } from '../storage/dialect.ts';
import { queryPage } from '../storage/page.ts';
import type { HeldBatch, OpenBatch, Share } from './filament.ts';
import type { Batch } from './filament-schema.ts';
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
