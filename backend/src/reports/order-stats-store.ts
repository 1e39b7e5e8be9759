import { OPEN_STATUSES, type WorkflowStatus } from '../orders/status.ts';
import { type Db, query, queryOne, typedRows } from '../storage/dialect.ts';
import type { Day } from './calendar.ts';

/** Repeats the condition of the index `order_history_outcomes` literally: SQLite uses the index only then. */
const IS_OUTCOME = "h.to_status IN ('done', 'print_error')";

/** Lists the statuses, because an index that begins with them cannot be searched for all but some. */
const IS_OPEN = `t.workflow_status IN (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** Counts an account's orders by status; statuses without orders are left out. */
export async function countByStatus(db: Db, accountId: string): Promise<Map<string, number>> {
  const rows = await query<{ workflow_status: string; n: number }>(
    db,
    `SELECT workflow_status, CAST(sum(n) AS BIGINT) AS n FROM order_counts WHERE account_id = ?
     GROUP BY workflow_status HAVING sum(n) > 0`,
    [accountId],
  );
  return new Map(rows.map((row) => [row.workflow_status, row.n]));
}

export interface DayOfOrders {
  day: string;
  created: number;
  /** orders that became done, each once a day */
  done: number;
  /** how often orders failed */
  print_error: number;
}

/** Outcomes by day. Deleted orders are not counted, because their history is deleted too. */
export async function countByDay(db: Db, accountId: string, days: readonly Day[]): Promise<DayOfOrders[]> {
  const outcomes = (what: string, status: WorkflowStatus) =>
    `(SELECT count(${what}) FROM order_history h
      WHERE ${IS_OUTCOME} AND h.account_id = ? AND h.to_status = '${status}' AND h.at >= d.since AND h.at < d.until)`;
  const rows = await query<{ n: number; created: number; done: number; print_error: number }>(
    db,
    `WITH d (n, since, until) AS (VALUES ${typedRows(days.length, ['BIGINT', 'BIGINT', 'BIGINT'])})
     SELECT d.n,
       (SELECT count(*) FROM orders o WHERE o.account_id = ? AND o.created_at >= d.since AND o.created_at < d.until) AS created,
       ${outcomes('DISTINCT h.order_id', 'done')} AS done, ${outcomes('*', 'print_error')} AS print_error
     FROM d ORDER BY d.n`,
    [...days.flatMap(({ since, until }, index) => [index, since, until]), accountId, accountId, accountId],
  );
  return rows.map(({ created, done, print_error }, index) => ({
    day: days[index]?.day as string,
    created,
    done,
    print_error,
  }));
}

export interface FailuresOfPrinter {
  /** null: orders without a printer */
  printer_id: string | null;
  printer_name: string | null;
  failures: number;
}

/**
 * The printers with the most failures. The history doesn't contain the printer, so an order counts for its current
 * printer.
 */
export async function listFailures(
  db: Db,
  accountId: string,
  { since, until }: Pick<Day, 'since' | 'until'>,
  limit: number,
): Promise<FailuresOfPrinter[]> {
  return query<FailuresOfPrinter>(
    db,
    `SELECT o.printer_id, min(p.name) AS printer_name, count(*) AS failures
     FROM order_history h JOIN orders o ON o.id = h.order_id LEFT JOIN printers p ON p.id = o.printer_id
     WHERE ${IS_OUTCOME} AND h.account_id = ? AND h.to_status = 'print_error' AND h.at >= ? AND h.at < ?
     GROUP BY o.printer_id ORDER BY failures DESC, min(p.name), o.printer_id LIMIT ?`,
    [accountId, since, until, limit],
  );
}

/** Open orders by printer (null: none) and status, in their order. */
export const countByPrinter = (
  db: Db,
  accountId: string,
): Promise<{ printer_id: string | null; workflow_status: WorkflowStatus; orders: number }[]> =>
  query(
    db,
    `SELECT nullif(t.printer_id, '') AS printer_id, t.workflow_status, CAST(sum(t.n) AS BIGINT) AS orders FROM order_counts t
     WHERE t.account_id = ? AND ${IS_OPEN} GROUP BY t.printer_id, t.workflow_status HAVING sum(t.n) > 0
     ORDER BY 1, 2`,
    [accountId],
  );

export interface PrintingOrder {
  id: string;
  model_name: string;
  color_hex: string;
  quantity_pieces: number;
  due_date: string;
}

/** The orders being printed, earliest due date first, a limited number per printer. */
export const listPrinting = (
  db: Db,
  accountId: string,
  maxPerPrinter: number,
): Promise<(PrintingOrder & { printer_id: string | null })[]> =>
  query(
    db,
    `SELECT id, model_name, color_hex, quantity_pieces, due_date, printer_id FROM (
       SELECT t.id, t.model_name, t.color_hex, t.quantity_pieces, t.due_date, t.printer_id,
         row_number() OVER (PARTITION BY t.printer_id ORDER BY t.due_date, t.id) AS place
       FROM orders t WHERE t.account_id = ? AND t.workflow_status = 'printing') ranked
     WHERE place <= ? ORDER BY due_date, id`,
    [accountId, maxPerPrinter],
  );

/** How many open orders were due before a day, and are due on it. */
export async function countDue(db: Db, accountId: string, day: string): Promise<{ overdue: number; today: number }> {
  const row = await queryOne<{ overdue: number; today: number }>(
    db,
    `SELECT (SELECT count(*) FROM orders t WHERE t.account_id = ? AND ${IS_OPEN} AND t.due_date < ?) AS overdue,
       (SELECT count(*) FROM orders t WHERE t.account_id = ? AND ${IS_OPEN} AND t.due_date = ?) AS today`,
    [accountId, day, accountId, day],
  );
  return row ?? { overdue: 0, today: 0 };
}

/** How many orders' last status was invalid. */
export async function countStatusResets(db: Db, accountId: string): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM orders WHERE account_id = ? AND status_reset_received IS NOT NULL';
  return (await queryOne<{ n: number }>(db, sql, [accountId]))?.n ?? 0;
}

export interface DueOrder extends PrintingOrder {
  workflow_status: WorkflowStatus;
  printer_name: string | null;
}

/** Open orders that are due on or before a day, earliest first. */
export const listDue = (db: Db, accountId: string, day: string, limit: number): Promise<DueOrder[]> =>
  query(
    db,
    `SELECT t.id, t.model_name, t.color_hex, t.quantity_pieces, t.due_date, t.workflow_status,
       (SELECT p.name FROM printers p WHERE p.id = t.printer_id) AS printer_name
     FROM orders t WHERE t.account_id = ? AND ${IS_OPEN} AND t.due_date <= ? ORDER BY t.due_date, t.id LIMIT ?`,
    [accountId, day, limit],
  );
