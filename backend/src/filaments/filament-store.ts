import { toIso } from '../../../common/src/clock.ts';
import { toMajorOrNull } from '../shared/currency.ts';
import { type Listed, offsetOf, type Page } from '../shared/pagination.ts';
import { fromThousandths } from '../shared/units.ts';
import { bool, type Db, forKeyShare, forUpdate, query, queryOne, type Value } from '../storage/dialect.ts';
import { queryPage, toOrderBy } from '../storage/page.ts';
import { matchesText } from '../storage/search.ts';
import { type FilamentSort, isLowStock } from './filament.ts';
import type { Filament } from './filament-schema.ts';

interface FilamentRow {
  id: string;
  name: string;
  brand: string;
  type_name: string;
  colors: string;
  is_gradient: number;
  spool_weight_mg: number;
  low_stock_threshold_mg: number;
  spool_count: number;
  used_mg: number;
  spool_price_minor: number | null;
  currency: string;
  needs_review: number | null;
  created_at: number;
  updated_at: number;
}

/**
 * The price is that of the oldest batch with grams left, otherwise of the youngest: negative values reverse the order
 * among empty batches.
 */
const columns = (alias: string) => {
  const hasLeft = `b.used_mg < b.spool_count * ${alias}.spool_weight_mg + b.surplus_mg`;
  return `id, name, brand, type_name, colors, is_gradient, spool_weight_mg, low_stock_threshold_mg, spool_count, used_mg,
   (SELECT b.spool_price_minor FROM filament_batches b WHERE b.filament_id = ${alias}.id AND b.archived_at IS NULL
    ORDER BY CASE WHEN ${hasLeft} THEN 0 ELSE 1 END, CASE WHEN ${hasLeft} THEN b.received_at ELSE -b.received_at END,
      CASE WHEN ${hasLeft} THEN b.seq ELSE -b.seq END LIMIT 1) AS spool_price_minor,
   (SELECT a.currency FROM accounts a WHERE a.id = ${alias}.account_id) AS currency,
   (SELECT max(b.needs_review) FROM filament_batches b WHERE b.filament_id = ${alias}.id AND b.archived_at IS NULL) AS needs_review,
   created_at, updated_at`;
};

const SELECTED = columns('t');
const RETURNED = columns('filaments');

export const remainingMg = (row: Pick<FilamentRow, 'spool_weight_mg' | 'spool_count' | 'used_mg'>): number =>
  row.spool_weight_mg * row.spool_count - row.used_mg;

export const toPrice = ({ spool_price_minor, currency }: Pick<FilamentRow, 'spool_price_minor' | 'currency'>) => {
  const spool_price = toMajorOrNull(spool_price_minor, currency);
  return { spool_price, spool_price_currency: currency, spool_price_rub: currency === 'RUB' ? spool_price : null };
};

const toFilament = (row: FilamentRow): Filament => ({
  id: row.id,
  name: row.name,
  brand: row.brand,
  type_name: row.type_name,
  colors: JSON.parse(row.colors) as string[],
  is_gradient: row.is_gradient === 1,
  spool_weight_grams: fromThousandths(row.spool_weight_mg),
  used_grams: fromThousandths(row.used_mg),
  spool_count: row.spool_count,
  low_stock_threshold_grams: fromThousandths(row.low_stock_threshold_mg),
  ...toPrice(row),
  remaining_grams: fromThousandths(remainingMg(row)),
  is_low_stock: isLowStock(remainingMg(row), row.low_stock_threshold_mg),
  needs_review: row.needs_review === 1,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

/** `isLowStock` in SQL, on alias `t`. */
const IS_LOW =
  't.low_stock_threshold_mg > 0 AND t.spool_weight_mg * t.spool_count - t.used_mg <= t.low_stock_threshold_mg';

/**
 * The text that a search matches. In lower case, because SQLite folds only ASCII letters and PostgreSQL all of them.
 */
const searchText = (fields: Pick<Filament, 'name' | 'brand' | 'type_name'>): string =>
  [fields.name, fields.brand, fields.type_name].join('\n').toLowerCase();

export async function findFilament(db: Db, accountId: string, id: string): Promise<Filament | undefined> {
  const sql = `SELECT ${SELECTED} FROM filaments t WHERE id = ? AND account_id = ?`;
  const row = await queryOne<FilamentRow>(db, sql, [id, accountId]);
  return row && toFilament(row);
}

export async function filamentExists(db: Db, accountId: string, id: string): Promise<boolean> {
  return (await query(db, 'SELECT id FROM filaments WHERE id = ? AND account_id = ?', [id, accountId])).length > 0;
}

/** As `filamentExists`, and the filament can't be deleted (FOR KEY SHARE) until the transaction ends. */
export async function holdFilament(db: Db, accountId: string, id: string): Promise<boolean> {
  const sql = `SELECT id FROM filaments WHERE id = ? AND account_id = ?${forKeyShare(db)}`;
  return (await query(db, sql, [id, accountId])).length > 0;
}

/** A filament's stock as read from its locked row, in milligrams. */
export interface LockedFilament {
  id: string;
  name: string;
  spoolWeightMg: number;
  thresholdMg: number;
  remainingMg: number;
}

/**
 * Locks a filament and its batches (FOR UPDATE) until the transaction ends. It only reads columns of the locked row:
 * after waiting for the lock, PostgreSQL reads these again, but not the result of a subselect.
 */
export async function lockFilament(db: Db, accountId: string, id: string): Promise<LockedFilament | undefined> {
  const row = await queryOne<FilamentRow>(
    db,
    `SELECT id, name, spool_weight_mg, low_stock_threshold_mg, spool_count, used_mg FROM filaments
     WHERE id = ? AND account_id = ?${forUpdate(db)}`,
    [id, accountId],
  );
  return (
    row && {
      id: row.id,
      name: row.name,
      spoolWeightMg: row.spool_weight_mg,
      thresholdMg: row.low_stock_threshold_mg,
      remainingMg: remainingMg(row),
    }
  );
}

export interface FilamentFilter {
  low_stock?: boolean | undefined;
  q?: string | undefined;
  sort?: FilamentSort | undefined;
}

export async function listFilaments(
  db: Db,
  accountId: string,
  { low_stock, q, sort = '-created_at' }: FilamentFilter,
  page: Page,
): Promise<Listed<Filament>> {
  const byText = matchesText(q);
  const where = ['t.account_id = ?', ...byText.where];
  const values: Value[] = [accountId, ...byText.values];
  if (low_stock !== undefined) where.push(low_stock ? IS_LOW : `NOT (${IS_LOW})`);
  const { rows, total } = await queryPage<FilamentRow>(db, {
    columns: SELECTED,
    table: 'filaments',
    where,
    values,
    orderBy: toOrderBy(sort),
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map(toFilament), total };
}

export interface NewFilamentRow {
  id: string;
  name: string;
  brand: string;
  type_name: string;
  colors: string[];
  is_gradient: boolean;
  spoolWeightMg: number;
  thresholdMg: number;
  /** milliseconds */
  at: number;
}

/** Inserts a filament without stock; spools are added in batches. */
export async function insertFilament(db: Db, accountId: string, filament: NewFilamentRow): Promise<Filament> {
  const [row] = await query<FilamentRow>(
    db,
    `INSERT INTO filaments (id, account_id, name, brand, type_name, colors, is_gradient, spool_weight_mg, low_stock_threshold_mg,
       search_text, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${RETURNED}`,
    [
      filament.id,
      accountId,
      filament.name,
      filament.brand,
      filament.type_name,
      JSON.stringify(filament.colors),
      bool(filament.is_gradient),
      filament.spoolWeightMg,
      filament.thresholdMg,
      searchText(filament),
      filament.at,
      filament.at,
    ],
  );
  return toFilament(row as FilamentRow);
}

/** What an update of a filament sets. */
export type FilamentChange = Pick<Filament, 'name' | 'brand' | 'type_name' | 'colors' | 'is_gradient'> & {
  spoolWeightMg: number;
  thresholdMg: number;
};

export async function updateFilament(db: Db, id: string, change: FilamentChange, at: number): Promise<Filament> {
  const [row] = await query<FilamentRow>(
    db,
    `UPDATE filaments SET name = ?, brand = ?, type_name = ?, colors = ?, is_gradient = ?, spool_weight_mg = ?,
       low_stock_threshold_mg = ?, search_text = ?, updated_at = ? WHERE id = ? RETURNING ${RETURNED}`,
    [
      change.name,
      change.brand,
      change.type_name,
      JSON.stringify(change.colors),
      bool(change.is_gradient),
      change.spoolWeightMg,
      change.thresholdMg,
      searchText(change),
      at,
      id,
    ],
  );
  return toFilament(row as FilamentRow);
}

/** Deletes a filament with its batches and its ledger. */
export async function deleteFilament(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM filaments WHERE id = ?', [id]);
}

/**
 * Adds to the sums that the filament's row keeps over its unarchived batches. To be called after the batches were
 * changed. The new version is later than the one before, even if the clock stands still,
 * unless the filament is inserted by the same transaction (`isNew`).
 */
export async function addToStock(
  db: Db,
  id: string,
  added: { spools: number; usedMg: number; isNew?: boolean },
  at: number,
): Promise<Filament> {
  const [row] = await query<FilamentRow>(
    db,
    `UPDATE filaments SET spool_count = spool_count + ?, used_mg = used_mg + ?,
       updated_at = CASE WHEN updated_at < ? THEN ? ELSE updated_at + ? END WHERE id = ? RETURNING ${RETURNED}`,
    [added.spools, added.usedMg, at, at, added.isNew ? 0 : 1, id],
  );
  return toFilament(row as FilamentRow);
}

export async function countFilaments(db: Db, accountId: string): Promise<{ filaments: number; low_stock: number }> {
  const row = await queryOne<{ filaments: number; low_stock: number }>(
    db,
    `SELECT count(*) AS filaments, coalesce(sum(CASE WHEN ${IS_LOW} THEN 1 ELSE 0 END), 0) AS low_stock
     FROM filaments t WHERE t.account_id = ?`,
    [accountId],
  );
  return row ?? { filaments: 0, low_stock: 0 };
}
