import { toIso } from '../../../common/src/clock.ts';
import { type Listed, offsetOf, type Page } from '../shared/pagination.ts';
import {
  bool,
  type Db,
  forKeyShare,
  forNoKeyUpdate,
  forUpdate,
  placeholders,
  query,
  queryOne,
  typedRows,
  type Value,
} from '../storage/dialect.ts';
import { queryPage, toOrderBy } from '../storage/page.ts';
import type { Printer, PrinterGroup, PrinterSort } from './printer-schema.ts';

interface PrinterRow extends Omit<Printer, 'is_favorite' | 'created_at' | 'updated_at'> {
  is_favorite: number;
  created_at: number;
  updated_at: number;
}

const printerColumns = (alias: string) =>
  `id, name, internal_name, model, technology, group_id,
   (SELECT g.name FROM printer_groups g WHERE g.id = ${alias}.group_id) AS group_name, is_favorite, sort_order, created_at, updated_at`;

const SELECTED = printerColumns('t');
const RETURNED = printerColumns('printers');

const toPrinter = (row: PrinterRow): Printer => ({
  id: row.id,
  name: row.name,
  internal_name: row.internal_name,
  model: row.model,
  technology: row.technology,
  group_id: row.group_id,
  group_name: row.group_name,
  is_favorite: row.is_favorite === 1,
  sort_order: row.sort_order,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

interface GroupRow extends Omit<PrinterGroup, 'created_at' | 'updated_at'> {
  created_at: number;
  updated_at: number;
}

const groupColumns = (alias: string) =>
  `id, name, sort_order, (SELECT count(*) FROM printers p WHERE p.group_id = ${alias}.id) AS printer_count, created_at, updated_at`;

const SELECTED_GROUP = groupColumns('t');
const RETURNED_GROUP = groupColumns('printer_groups');

const toGroup = (row: GroupRow): PrinterGroup => ({
  id: row.id,
  name: row.name,
  sort_order: row.sort_order,
  printer_count: row.printer_count,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export interface PrinterFilter {
  group_id?: string | undefined;
  sort?: PrinterSort | undefined;
}

export async function findPrinter(db: Db, accountId: string, id: string): Promise<Printer | undefined> {
  const sql = `SELECT ${SELECTED} FROM printers t WHERE id = ? AND account_id = ?`;
  const row = await queryOne<PrinterRow>(db, sql, [id, accountId]);
  return row && toPrinter(row);
}

/** @returns those of the ids that the account has */
export async function listExisting(db: Db, accountId: string, ids: string[]): Promise<string[]> {
  const sql = `SELECT id FROM printers WHERE account_id = ? AND id IN ${placeholders(1, ids.length)}`;
  return (await query<{ id: string }>(db, sql, [accountId, ...ids])).map(({ id }) => id);
}

/**
 * As `findPrinter`, and locks the printer (FOR UPDATE): until the transaction ends, it can't be changed and no order
 * can be assigned to it.
 */
export async function lockPrinter(db: Db, accountId: string, id: string): Promise<Printer | undefined> {
  await query(db, `SELECT id FROM printers WHERE id = ? AND account_id = ?${forUpdate(db)}`, [id, accountId]);
  // a second statement: the one that waited for the lock may have read an outdated group name
  return findPrinter(db, accountId, id);
}

/** Whether the account has this printer, which can't be deleted (FOR KEY SHARE) until the transaction ends. */
export async function holdPrinter(db: Db, accountId: string, id: string): Promise<boolean> {
  const sql = `SELECT id FROM printers WHERE id = ? AND account_id = ?${forKeyShare(db)}`;
  return (await query(db, sql, [id, accountId])).length > 0;
}

/**
 * Locks a printer (FOR NO KEY UPDATE), so that its reports are processed one after the other and their events have the order
 * in which they are committed.
 */
export const lockPrinterForReport = (
  db: Db,
  accountId: string,
  id: string,
): Promise<Pick<Printer, 'id' | 'name'> | undefined> =>
  queryOne(db, `SELECT id, name FROM printers WHERE id = ? AND account_id = ?${forNoKeyUpdate(db)}`, [id, accountId]);

/** The printers that an agent may report: one, or those of its group in the owner's order. */
export const listPrintersOf = (
  db: Db,
  { printer_id, printer_group_id }: { printer_id: string | null; printer_group_id: string | null },
): Promise<Pick<Printer, 'id' | 'name' | 'internal_name'>[]> =>
  query(
    db,
    `SELECT id, name, internal_name FROM printers WHERE ${printer_id === null ? 'group_id' : 'id'} = ?
     ORDER BY sort_order, name, id`,
    [printer_id ?? printer_group_id],
  );

export async function listPrinters(
  db: Db,
  accountId: string,
  page: Page,
  { group_id, sort = '-created_at' }: PrinterFilter,
): Promise<Listed<Printer>> {
  const values: Value[] = group_id === undefined ? [accountId] : [accountId, group_id];
  const { rows, total } = await queryPage<PrinterRow>(db, {
    columns: SELECTED,
    table: 'printers',
    where: ['t.account_id = ?', ...(group_id === undefined ? [] : ['t.group_id = ?'])],
    values,
    orderBy: toOrderBy(sort),
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map(toPrinter), total };
}

export async function findGroup(db: Db, accountId: string, id: string): Promise<PrinterGroup | undefined> {
  const sql = `SELECT ${SELECTED_GROUP} FROM printer_groups t WHERE id = ? AND account_id = ?`;
  const row = await queryOne<GroupRow>(db, sql, [id, accountId]);
  return row && toGroup(row);
}

/**
 * As `findGroup`, and locks the group (FOR UPDATE): until the transaction ends, it can't be changed and no printer can
 * be added to it.
 */
export async function lockGroup(db: Db, accountId: string, id: string): Promise<PrinterGroup | undefined> {
  const sql = `SELECT ${SELECTED_GROUP} FROM printer_groups t WHERE id = ? AND account_id = ?${forUpdate(db)}`;
  const row = await queryOne<GroupRow>(db, sql, [id, accountId]);
  return row && toGroup(row);
}

/** Whether the account has this group, which can't be deleted (FOR KEY SHARE) until the transaction ends. */
export async function holdGroup(db: Db, accountId: string, id: string): Promise<boolean> {
  const sql = `SELECT id FROM printer_groups WHERE id = ? AND account_id = ?${forKeyShare(db)}`;
  return (await query(db, sql, [id, accountId])).length > 0;
}

export async function listGroups(
  db: Db,
  accountId: string,
  page: Page,
  sort: PrinterSort,
): Promise<Listed<PrinterGroup>> {
  const { rows, total } = await queryPage<GroupRow>(db, {
    columns: SELECTED_GROUP,
    table: 'printer_groups',
    where: ['t.account_id = ?'],
    values: [accountId],
    orderBy: toOrderBy(sort),
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map(toGroup), total };
}

export interface NewPrinterRow {
  id: string;
  name: string;
  internal_name: string;
  model: string;
  technology: string;
  group_id: string | null;
  is_favorite: boolean;
  sort_order: number;
  /** milliseconds */
  at: number;
}

export async function insertPrinter(db: Db, accountId: string, printer: NewPrinterRow): Promise<Printer> {
  const [row] = await query<PrinterRow>(
    db,
    `INSERT INTO printers (id, account_id, name, internal_name, model, technology, group_id, is_favorite, sort_order, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${RETURNED}`,
    [
      printer.id,
      accountId,
      printer.name,
      printer.internal_name,
      printer.model,
      printer.technology,
      printer.group_id,
      bool(printer.is_favorite),
      printer.sort_order,
      printer.at,
      printer.at,
    ],
  );
  return toPrinter(row as PrinterRow);
}

export async function insertGroup(
  db: Db,
  accountId: string,
  group: { id: string; name: string; sort_order: number; at: number },
): Promise<PrinterGroup> {
  const [row] = await query<GroupRow>(
    db,
    `INSERT INTO printer_groups (id, account_id, name, sort_order, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?) RETURNING ${RETURNED_GROUP}`,
    [group.id, accountId, group.name, group.sort_order, group.at, group.at],
  );
  return toGroup(row as GroupRow);
}

export type PrinterChange = Partial<
  Pick<Printer, 'name' | 'internal_name' | 'model' | 'technology' | 'group_id' | 'is_favorite' | 'sort_order'>
>;

/** The `SET` clause for the given fields. */
function toSets(change: Record<string, string | number | boolean | null>): { sets: string; values: Value[] } {
  const entries = Object.entries(change);
  return {
    sets: entries.map(([field]) => `${field} = ?, `).join(''),
    values: entries.map(([, value]) => (typeof value === 'boolean' ? bool(value) : value)),
  };
}

export async function updatePrinter(db: Db, id: string, change: PrinterChange, at: number): Promise<Printer> {
  const { sets, values } = toSets(change);
  const sql = `UPDATE printers SET ${sets}updated_at = ? WHERE id = ? RETURNING ${RETURNED}`;
  const [row] = await query<PrinterRow>(db, sql, [...values, at, id]);
  return toPrinter(row as PrinterRow);
}

export async function deletePrinter(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM printers WHERE id = ?', [id]);
}

export type GroupChange = Partial<Pick<PrinterGroup, 'name' | 'sort_order'>>;

export async function updateGroup(db: Db, id: string, change: GroupChange, at: number): Promise<PrinterGroup> {
  const { sets, values } = toSets(change);
  const sql = `UPDATE printer_groups SET ${sets}updated_at = ? WHERE id = ? RETURNING ${RETURNED_GROUP}`;
  const [row] = await query<GroupRow>(db, sql, [...values, at, id]);
  return toGroup(row as GroupRow);
}

/**
 * Updates the change time of a group's printers, because the group's name in them changed.
 * @param release also remove the printers from the group
 * @returns the ids of the printers
 */
export async function touchPrintersOf(db: Db, groupId: string, release: boolean, at: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `UPDATE printers SET ${release ? 'group_id = NULL, ' : ''}updated_at = ? WHERE group_id = ? RETURNING id`,
    [at, groupId],
  );
  return rows.map(({ id }) => id);
}

/** Locks those of the given rows that the account has until the transaction ends. @returns their ids */
export async function lockAll(
  db: Db,
  table: 'printers' | 'printer_groups',
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  // ordered by id, so that two transactions that lock the same rows can't deadlock
  const sql = `SELECT id FROM ${table} WHERE account_id = ? AND id IN ${placeholders(1, ids.length)} ORDER BY id${forUpdate(db)}`;
  const rows = ids.length === 0 ? [] : await query<{ id: string }>(db, sql, [accountId, ...ids]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Numbers printers in the given order and moves them into a group (null: into none).
 * @returns the ids of the printers that moved
 */
export async function placePrinters(
  db: Db,
  ids: readonly string[],
  groupId: string | null,
  at: number,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await query<{ id: string }>(
    db,
    `WITH v (id, place) AS (VALUES ${typedRows(ids.length, ['TEXT', 'BIGINT'])})
     UPDATE printers SET sort_order = v.place, group_id = ?, updated_at = ? FROM v
     WHERE printers.id = v.id AND (printers.sort_order <> v.place OR coalesce(printers.group_id, '') <> ?) RETURNING printers.id`,
    [...ids.flatMap((id, index) => [id, index + 1]), groupId, at, groupId ?? ''],
  );
  return rows.map(({ id }) => id);
}

/** Numbers groups in the given order. @returns the ids of the groups that moved */
export async function placeGroups(db: Db, ids: readonly string[], at: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await query<{ id: string }>(
    db,
    `WITH v (id, place) AS (VALUES ${typedRows(ids.length, ['TEXT', 'BIGINT'])})
     UPDATE printer_groups SET sort_order = v.place, updated_at = ? FROM v
     WHERE printer_groups.id = v.id AND printer_groups.sort_order <> v.place RETURNING printer_groups.id`,
    [...ids.flatMap((id, index) => [id, index + 1]), at],
  );
  return rows.map(({ id }) => id);
}

export async function deleteGroup(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM printer_groups WHERE id = ?', [id]);
}

export async function countPrinters(
  db: Db,
  accountId: string,
): Promise<{ printers: number; groups: number; favorites: number }> {
  const row = await queryOne<{ printers: number; groups: number; favorites: number }>(
    db,
    `SELECT (SELECT count(*) FROM printers WHERE account_id = ?) AS printers,
       (SELECT count(*) FROM printer_groups WHERE account_id = ?) AS groups,
       (SELECT count(*) FROM printers WHERE account_id = ? AND is_favorite = 1) AS favorites`,
    [accountId, accountId, accountId],
  );
  return row ?? { printers: 0, groups: 0, favorites: 0 };
}
