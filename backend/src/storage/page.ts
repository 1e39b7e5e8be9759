import { type Db, query, type Value } from './dialect.ts';

export interface PageQuery {
  /** column list of the SELECT; may contain subselects on the table's alias `t` */
  columns: string;
  table: string;
  /** conditions on alias `t`, joined with AND; always includes the account */
  where: string[];
  values: Value[];
  /** on alias `t`, ending with a unique column, so that no row is on two pages */
  orderBy: string;
  limit: number;
  offset: number;
}

/**
 * Reads one page of rows and the total in one statement, so that both come from the same snapshot without a
 * transaction. The rows have two more columns than were asked for, so they are copied field by field.
 */
export async function queryPage<R>(db: Db, page: PageQuery): Promise<{ rows: R[]; total: number }> {
  const where = page.where.join(' AND ');
  const rows = await query<R & { page_total: number; page_row: number | null }>(
    db,
    `SELECT c.page_total, t.* FROM (SELECT count(*) AS page_total FROM ${page.table} t WHERE ${where}) c
     LEFT JOIN (SELECT 1 AS page_row, ${page.columns} FROM ${page.table} t WHERE ${where} ORDER BY ${page.orderBy} LIMIT ? OFFSET ?) t ON TRUE
     ORDER BY ${page.orderBy}`,
    [...page.values, ...page.values, page.limit, page.offset],
  );
  const total = rows[0]?.page_total ?? 0;
  // a page past the last one is a single row with the total only
  return { total, rows: rows[0]?.page_row === null ? [] : rows };
}

/**
 * @param sort a column of table `t`; a leading `-` is descending
 * @returns an order without ties, so that no row is on two pages
 */
export function toOrderBy(sort: string): string {
  return sort.startsWith('-') ? `t.${sort.slice(1)} DESC, t.id DESC` : `t.${sort}, t.id`;
}
