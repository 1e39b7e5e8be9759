import type { Position } from '../shared/cursor.ts';
import { offsetOf, type Page } from '../shared/pagination.ts';
import { type Db, isPostgres, placeholders, query, queryOne, type Value } from './dialect.ts';

export interface PageQuery {
  /** column list of the SELECT; may contain subselects on the table's alias `t` */
  columns: string;
  table: string;
  /** tables to join before it, ending with the word JOIN */
  via?: string;
  /** conditions on alias `t`, joined with AND; always includes the account */
  where: string[];
  values: Value[];
  /** on alias `t`, ending with a unique column, so that no row is on two pages */
  orderBy: string;
  /**
   * The unique column in `orderBy`, if an index contains the columns of `where` and `orderBy`: rows are then read only
   * once they are known to be on the page.
   */
  key?: string;
  /** One more condition, that a column has one of some values, for an index that begins with it. Needs `key`. */
  oneOf?: OneOf;
  /** An expression of the number of rows, if there is one that costs less than counting them. */
  total?: { sql: string; values: Value[] };
  limit: number;
  offset: number;
  /**
   * Begins behind the row that has these values in the columns of `orderBy`, all of one direction; replaces `offset`.
   * `columns` then contains them by their names.
   */
  position?: Position | undefined;
}

export interface PageRows<R> {
  rows: R[];
  total: number;
  /** the position behind the last row, if more follow */
  next?: Position | undefined;
}

interface OneOf {
  column: string;
  values: readonly string[];
  /** the column of `orderBy` that follows `column` in the index */
  sortColumn: string;
}

/** Pages that skip as many rows are read from the end if that is nearer, which takes a statement more. */
const DEEP = 1_000;
const ATTEMPTS = 3;

/**
 * Reads one page of rows and the total in one statement, so that both come from the same snapshot without a
 * transaction. The rows have two more columns than were asked for, so they are copied field by field.
 */
export async function queryPage<R>(db: Db, page: PageQuery): Promise<PageRows<R>> {
  if (page.position) return queryBehind<R>(db, page, page.position);
  const found = (page.offset >= DEEP && (await queryFromEnd<R>(db, page))) || (await queryRows<R>(db, page));
  const { rows, total } = found;
  return page.offset + rows.length < total ? { ...found, next: positionOf(page, rows.at(-1)) } : found;
}

/** A page that begins behind a position. One row more than its length tells whether others follow. */
async function queryBehind<R>(db: Db, page: PageQuery, position: Position): Promise<PageRows<R>> {
  const { rows, total } = await queryRows<R>(db, page, { position, limit: page.limit + 1, offset: 0 });
  if (rows.length <= page.limit) return { rows, total };
  const shown = rows.slice(0, page.limit);
  return { rows: shown, total, next: positionOf(page, shown.at(-1)) };
}

/** The names of the columns of `orderBy`, which may be part of an expression there. */
const SORTED = /(?<=\bt\.)\w+/g;

/** @returns undefined without a row, behind the last page */
function positionOf({ orderBy }: PageQuery, row: unknown): Position | undefined {
  const values = row as Record<string, string | number> | undefined;
  return values && orderBy.match(SORTED)?.map((name) => values[name] as string | number);
}

/**
 * A page of the last half of a list whose total need not be counted: reads as many rows from the end as the total
 * says, and again if the total was another one by then.
 * @returns undefined for another page, or if the total keeps changing
 */
async function queryFromEnd<R>(db: Db, page: PageQuery): Promise<PageRows<R> | undefined> {
  if (!page.total) return undefined;
  const { sql, values } = page.total;
  let expected = (await queryOne<{ n: number }>(db, `SELECT ${sql} AS n`, values))?.n ?? 0;
  for (let attempt = 0; attempt < ATTEMPTS && page.offset >= expected / 2; attempt++) {
    const left = expected - page.offset;
    const limit = Math.max(0, Math.min(page.limit, left));
    const order = { orderBy: reverse(page.orderBy), limit, offset: Math.max(0, left - limit) };
    const found = await queryRows<R>(db, page, order);
    if (found.total === expected) return found;
    expected = found.total;
  }
  return undefined;
}

const reverse = (orderBy: string): string =>
  orderBy
    .split(', ')
    .map((term) => (term.endsWith(' DESC') ? term.slice(0, -' DESC'.length) : `${term} DESC`))
    .join(', ');

/** @param order how the rows are found, if it isn't how they are returned */
async function queryRows<R>(db: Db, page: PageQuery, order: Partial<PageQuery> = {}): Promise<PageRows<R>> {
  const total = page.total ?? countOf(page);
  const { sql, values } = pageOf(db, { ...page, ...order });
  const rows = await query<R & { page_total: number; page_row: number | null }>(
    db,
    `SELECT c.page_total, t.* FROM (SELECT ${total.sql} AS page_total) c
     LEFT JOIN (SELECT 1 AS page_row, ${page.columns} FROM ${sql}) t ON TRUE
     ORDER BY ${page.orderBy}`,
    [...total.values, ...values],
  );
  // a page past the last one is a single row with the total only
  return { total: rows[0]?.page_total ?? 0, rows: rows[0]?.page_row === null ? [] : rows };
}

function countOf(page: PageQuery): { sql: string; values: Value[] } {
  const { where, values } = conditionsOf(page);
  return { sql: `(SELECT count(*) FROM ${page.via ?? ''} ${page.table} t WHERE ${where})`, values };
}

/** Every condition of a page. */
function conditionsOf({ where, values, oneOf }: PageQuery): { where: string; values: Value[] } {
  if (!oneOf) return { where: where.join(' AND '), values };
  const isOneOf = `t.${oneOf.column} IN ${placeholders(1, oneOf.values.length)}`;
  return { where: [...where, isOneOf].join(' AND '), values: [...values, ...oneOf.values] };
}

/** A page with the condition that its rows are behind its position. */
function behind(page: PageQuery): PageQuery {
  const { orderBy, position } = page;
  if (!position) return page;
  const terms = orderBy.split(', ');
  const columns = terms.map((term) => term.replace(/ DESC$/, ''));
  const isDescending = terms.every((term) => term.endsWith(' DESC'));
  const condition = `(${columns.join(', ')}) ${isDescending ? '<' : '>'} (${columns.map(() => '?').join(', ')})`;
  // first, because SQLite uses the first of two conditions that begin a range, and a filter may be another
  return { ...page, where: [condition, ...page.where], values: [...position, ...page.values] };
}

/** The table, conditions and order of a page. */
function pageOf(db: Db, page: PageQuery): { sql: string; values: Value[] } {
  const { table, via = '', key, oneOf, orderBy, limit, offset } = page;
  const { where, values } = conditionsOf(behind(page));
  const rows = `${via} ${table} t WHERE ${where} ORDER BY ${orderBy} LIMIT ? OFFSET ?`;
  if (!key) return { sql: rows, values: [...values, limit, offset] };
  const join = `JOIN ${table} t ON t.${key} = k.page_key`;
  if (!oneOf || oneOf.values.length === 1) {
    return { sql: `(SELECT t.${key} AS page_key FROM ${rows}) k ${join}`, values: [...values, limit, offset] };
  }
  // engines merge ranges in the order of their index, but would sort all rows of an IN
  const each = behind(page);
  const range = `SELECT t.${key} AS page_key, t.${oneOf.sortColumn} AS page_sort FROM ${table} t WHERE ${each.where.join(' AND ')} AND t.${oneOf.column} = ?`;
  const order = orderBy.replaceAll(`t.${oneOf.sortColumn}`, 'page_sort').replaceAll(`t.${key}`, 'page_key');
  // PostgreSQL recognizes the order only if each range has it, SQLite only if none has
  const [sorted, bound] = isPostgres(db) ? [`(${range} ORDER BY ${order} LIMIT ?)`, [limit + offset]] : [range, []];
  const ranges = oneOf.values.map(() => sorted).join(' UNION ALL ');
  return {
    sql: `(${ranges} ORDER BY ${order} LIMIT ? OFFSET ?) k ${join}`,
    values: [...oneOf.values.flatMap((value) => [...each.values, value, ...bound]), limit, offset],
  };
}

/** The part of a query that says which page it reads. */
export const toLimits = (page: Page): Pick<PageQuery, 'limit' | 'offset' | 'position'> => ({
  limit: page.per_page,
  offset: offsetOf(page),
  position: page.position,
});

/**
 * @param sort a column of table `t`; a leading `-` is descending
 * @param change makes the column an expression
 * @returns an order without ties, so that no row is on two pages
 */
export function toOrderBy(sort: string, change = ''): string {
  return sort.startsWith('-') ? `t.${sort.slice(1)}${change} DESC, t.id DESC` : `t.${sort}${change}, t.id`;
}
