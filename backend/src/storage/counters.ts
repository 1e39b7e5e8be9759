import { type Db, isPostgres, placeholders, query, queryOne, type Value } from './dialect.ts';
import type { Storage } from './open.ts';

/**
 * A table that triggers keep with the numbers of rows of another table: columns that group them, and `n`. The number of
 * rows is the sum of `n`. On SQLite, whose writers take turns, triggers add to `n` in place. On PostgreSQL writers of
 * the same number would wait for each other, so triggers append differences, which are folded into one row from time
 * to time.
 */
export interface Counter {
  table: string;
  /** the table that it counts */
  of: string;
  /** columns of `table`, and the expression over the columns of `of` that gives their value, never null */
  columns: Readonly<Record<string, string>>;
}

/** The orders of an account by status and printer; an empty text stands for no printer, so that it can be part of a key. */
export const ORDER_COUNTS: Counter = {
  table: 'order_counts',
  of: 'orders',
  columns: {
    account_id: 'account_id',
    workflow_status: 'workflow_status',
    printer_id: "coalesce(printer_id, '')",
  },
};

export const EVENT_COUNTS: Counter = {
  table: 'event_counts',
  of: 'events',
  columns: { account_id: 'account_id', event: 'event' },
};

export const COUNTERS = [ORDER_COUNTS, EVENT_COUNTS];

/** Any fixed number, different from the locks of migrations. */
const COUNTERS_LOCK = 7_260_429;

/**
 * Nobody else folds, recounts or deletes counters until the end of the transaction. Before the statement that needs a
 * snapshot. SQLite's writers take turns anyway.
 */
async function lockCounters(db: Db): Promise<void> {
  if (isPostgres(db)) await query(db, `SELECT pg_advisory_xact_lock(${COUNTERS_LOCK})`);
}

const names = ({ columns }: Counter): string => Object.keys(columns).join(', ');

/**
 * The number of rows that a counter has for some values of its columns, as an expression.
 * @param group several values of a column: the rows of any of them
 */
export function countedTotal(
  { table }: Counter,
  group: Readonly<Record<string, string | readonly string[] | undefined>>,
): { sql: string; values: Value[] } {
  const given = Object.entries(group).filter(([, value]) => value !== undefined) as [string, string | string[]][];
  const where = given.map(([name, value]) =>
    Array.isArray(value) ? `${name} IN ${placeholders(1, value.length)}` : `${name} = ?`,
  );
  return {
    // a sum of BIGINT is NUMERIC on PostgreSQL
    sql: `(SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM ${table} WHERE ${where.join(' AND ')})`,
    values: given.flatMap(([, value]) => value),
  };
}

/** Deletes what is left of an account's numbers when its rows are deleted. */
export async function deleteCounts(db: Db, accountId: string): Promise<void> {
  // a fold in progress has deleted the rows, and the statements below wouldn't see its sums
  await lockCounters(db);
  for (const { table } of COUNTERS) await query(db, `DELETE FROM ${table} WHERE account_id = ?`, [accountId]);
}

/** The differences between the counted rows and the counters, of one snapshot. */
function differences(counter: Counter): string {
  const expressions = Object.entries(counter.columns).map(([name, expression]) => `${expression} AS ${name}`);
  const grouping = Object.keys(counter.columns).map((_, i) => i + 1);
  return `SELECT ${names(counter)}, CAST(sum(n) AS BIGINT) AS n FROM (
      SELECT ${expressions.join(', ')}, count(*) AS n FROM ${counter.of} GROUP BY ${grouping.join(', ')}
      UNION ALL SELECT ${names(counter)}, -n FROM ${counter.table}) d
    GROUP BY ${names(counter)} HAVING sum(n) <> 0`;
}

/** @returns the counters that are wrong, described as sentences */
export async function findMiscounts(db: Db): Promise<string[]> {
  const sentences: string[] = [];
  for (const counter of COUNTERS) {
    for (const { n, ...group } of await query<Record<string, string> & { n: number }>(db, differences(counter))) {
      const which = Object.entries(group).map(([name, value]) => `${name} ${value || 'null'}`);
      const by = n > 0 ? `${n} too low` : `${-n} too high`;
      sentences.push(
        `the counter of ${counter.of} with ${which.join(', ')} is ${by}; "--counters recount" corrects it`,
      );
    }
  }
  return sentences;
}

/**
 * Corrects a counter by the differences at this moment. Others may write meanwhile, but not recount: each would add
 * the differences.
 */
async function recount(db: Db, counter: Counter): Promise<void> {
  const onConflict = isPostgres(db) ? '' : ` ON CONFLICT (${names(counter)}) DO UPDATE SET n = n + excluded.n`;
  await query(
    db,
    `INSERT INTO ${counter.table} (${names(counter)}, n)
     SELECT ${names(counter)}, n FROM (${differences(counter)}) x WHERE TRUE${onConflict}`,
  );
  if (!isPostgres(db)) await query(db, `DELETE FROM ${counter.table} WHERE n = 0`);
}

/** Corrects all counters, in one process at a time. */
export const recountAll = ({ inTransaction }: Pick<Storage, 'inTransaction'>): Promise<void> =>
  inTransaction(async ({ db }) => {
    await lockCounters(db);
    for (const counter of COUNTERS) await recount(db, counter);
  });

/** Folds what triggers have appended on PostgreSQL, in one process at a time. */
export async function foldCounters({ read, inTransaction }: Pick<Storage, 'read' | 'inTransaction'>): Promise<void> {
  if (!isPostgres(read)) return;
  await inTransaction(async ({ db }) => {
    const lock = await queryOne<{ locked: boolean }>(
      db,
      `SELECT pg_try_advisory_xact_lock(${COUNTERS_LOCK}) AS locked`,
    );
    if (lock?.locked) for (const counter of COUNTERS) await fold(db, counter);
  });
}

/** Replaces rows of the same columns by one, in a single statement, so that every snapshot has the same sum. */
async function fold(db: Db, counter: Counter): Promise<void> {
  const columns = names(counter);
  await query(
    db,
    `WITH gone AS (
       DELETE FROM ${counter.table} WHERE (${columns}) IN (
         SELECT ${columns} FROM ${counter.table} GROUP BY ${columns} HAVING count(*) > 1 OR sum(n) = 0)
       RETURNING ${columns}, n)
     INSERT INTO ${counter.table} (${columns}, n)
     SELECT ${columns}, sum(n) FROM gone GROUP BY ${columns} HAVING sum(n) <> 0`,
  );
}
