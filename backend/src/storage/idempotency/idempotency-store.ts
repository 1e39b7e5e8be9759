import { type Db, query, queryOne } from '../dialect.ts';
import type { ExpiredRows } from '../purge.ts';

export interface KeyRow {
  requestHash: string;
  /** JSON; null while the first request is in progress */
  result: string | null;
  createdAt: number;
}

/** Inserts the key, waiting for a concurrent transaction that inserts the same key. @returns false if the key exists */
export async function takeKey(
  db: Db,
  accountId: string,
  key: string,
  requestHash: string,
  at: number,
): Promise<boolean> {
  const rows = await query(
    db,
    `INSERT INTO idempotency_keys (account_id, key, request_hash, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, key) DO NOTHING RETURNING key`,
    [accountId, key, requestHash, at],
  );
  return rows.length > 0;
}

export async function findKey(db: Db, accountId: string, key: string): Promise<KeyRow | undefined> {
  const row = await queryOne<{ request_hash: string; result: string | null; created_at: number }>(
    db,
    'SELECT request_hash, result, created_at FROM idempotency_keys WHERE account_id = ? AND key = ?',
    [accountId, key],
  );
  return row && { requestHash: row.request_hash, result: row.result, createdAt: row.created_at };
}

export async function saveResult(db: Db, accountId: string, key: string, result: string): Promise<void> {
  await query(db, 'UPDATE idempotency_keys SET result = ? WHERE account_id = ? AND key = ?', [result, accountId, key]);
}

export async function deleteKey(db: Db, accountId: string, key: string): Promise<void> {
  await query(db, 'DELETE FROM idempotency_keys WHERE account_id = ? AND key = ?', [accountId, key]);
}

/** Keys used before the given time (ms). */
export const expiredKeys = (before: number): ExpiredRows => ({
  table: 'idempotency_keys',
  key: ['account_id', 'key'],
  where: 't.created_at < ?',
  values: [before],
  orderBy: 't.created_at',
});

export interface KeyLimits {
  keys: number;
  /** of all their results */
  bytes: number;
}

/** @returns the time (ms) of the newest key that is beyond the limits, counted from the newest of all; undefined: none is */
export async function findBeyond(db: Db, accountId: string, { keys, bytes }: KeyLimits): Promise<number | undefined> {
  const row = await queryOne<{ until: number | null }>(
    db,
    `SELECT max(created_at) AS until FROM (
       SELECT created_at, row_number() OVER newest AS n, sum(octet_length(result)) OVER newest AS total
       FROM idempotency_keys WHERE account_id = ? WINDOW newest AS (ORDER BY created_at DESC, key)) counted
     WHERE n > ? OR total > ?`,
    [accountId, keys, bytes],
  );
  return row?.until ?? undefined;
}

/** The keys of an account that were used up to the given time (ms). */
export const keysUntil = (accountId: string, until: number): ExpiredRows => ({
  table: 'idempotency_keys',
  key: ['account_id', 'key'],
  where: 't.account_id = ? AND t.created_at <= ?',
  values: [accountId, until],
  orderBy: 't.created_at',
});
