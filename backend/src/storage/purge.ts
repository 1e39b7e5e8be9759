import { setTimeout as pause } from 'node:timers/promises';
import { type Db, placeholders, query, type Value } from './dialect.ts';
import type { Storage } from './open.ts';

/** Rows of one table to delete. The store of the table defines them. */
export interface ExpiredRows {
  table: string;
  /** columns of a unique key */
  key: readonly [string, ...string[]];
  /** a condition on the row `t`; checked again when it is deleted */
  where: string;
  values: readonly Value[];
  /** makes use of an index that `where` needs */
  orderBy?: string;
  /** of a batch, where a single row takes long to delete */
  maxBatchRows?: number;
}

/** How long a batch should hold the write lock, in ms; with rows that cascade, some take longer. */
const BATCH_MS = 10;
/** The purge pauses this many times as long as its last batch took, for writers of all processes. */
const PAUSES = 9;
const MAX_BATCH_ROWS = 500;
/** Keys read at a time. */
const PAGE_ROWS = 5_000;

/**
 * Deletes expired rows in transactions of about BATCH_MS, with pauses between them, so that writers hardly wait. What is
 * left when it stops is deleted next time.
 */
export async function purgeRows(
  { read, inTransaction }: Pick<Storage, 'read' | 'inTransaction'>,
  rows: ExpiredRows,
  isStopping: () => boolean,
): Promise<void> {
  const { maxBatchRows = MAX_BATCH_ROWS } = rows;
  let size = Math.min(50, maxBatchRows);
  for (;;) {
    const keys = await findKeys(read, rows);
    for (let first = 0; first < keys.length; ) {
      if (isStopping()) return;
      const batch = keys.slice(first, first + size);
      first += batch.length;
      let startedAt = 0;
      let deletedAt = 0;
      await inTransaction(
        async ({ db }) => {
          // the wait for the lock doesn't count
          startedAt = performance.now();
          await deleteKeys(db, rows, batch);
          deletedAt = performance.now();
        },
        { isLong: true },
      );
      size = Math.min(maxBatchRows, nextSize(size, deletedAt - startedAt));
      await pause((performance.now() - startedAt) * PAUSES);
    }
    if (keys.length < PAGE_ROWS) return;
  }
}

/** At most twice as many rows as before. The time of the commit doesn't depend on their number. */
const nextSize = (size: number, deletingMs: number): number =>
  Math.max(1, Math.round(size * Math.min(2, BATCH_MS / deletingMs)));

async function findKeys(db: Db, { table, key, where, values, orderBy }: ExpiredRows): Promise<Value[][]> {
  const rows = await query<Record<string, Value>>(
    db,
    `SELECT ${key.map((name) => `t.${name}`).join(', ')} FROM ${table} t WHERE ${where} ORDER BY ${orderBy ?? key.map((name) => `t.${name}`).join(', ')} LIMIT ${PAGE_ROWS}`,
    values,
  );
  return rows.map((row) => key.map((name) => row[name] as Value));
}

async function deleteKeys(db: Db, { table, key, where, values }: ExpiredRows, keys: Value[][]): Promise<void> {
  const given =
    key.length === 1
      ? `t.${key[0]} IN ${placeholders(1, keys.length)}`
      : `(${key.map((name) => `t.${name}`).join(', ')}) IN (VALUES ${placeholders(keys.length, key.length)})`;
  await query(db, `DELETE FROM ${table} AS t WHERE ${given} AND (${where})`, [...keys.flat(), ...values]);
}
