import { type Db, databaseTime, query, queryOne, type Value } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';

/** A claim that isn't renewed for this long has lost its process. */
const CLAIM_MS = 60_000;
const RETRY_AFTER_MS = 15 * 60_000;

/**
 * Whether a backup is due: none was made in the current interval, counted from midnight UTC, no process is making one, and
 * the last failure is some time ago. All times are the database's.
 */
function due(db: Db, everyMs: number): { where: string; values: Value[] } {
  const now = databaseTime(db);
  const interval = 'CAST(? AS BIGINT)';
  return {
    where: `(claimed_until IS NULL OR claimed_until <= ${now})
      AND (made_at IS NULL OR made_at / ${interval} <> ${now} / ${interval})
      AND (failed_at IS NULL OR abs(${now} - failed_at) >= ${interval})`,
    values: [everyMs, everyMs, Math.min(everyMs, RETRY_AFTER_MS)],
  };
}

/** @returns when the backup started, or undefined if none is due or another process is making it */
export async function claimBackup(storage: Storage, claim: string, everyMs: number): Promise<number | undefined> {
  const { where, values } = due(storage.read, everyMs);
  // read first, so that looking needs no write
  if (!(await queryOne(storage.read, `SELECT id FROM backup_schedule WHERE ${where}`, values))) return undefined;
  return storage.inTransaction(async ({ db }) => {
    const now = databaseTime(db);
    const row = await queryOne<{ started_at: number }>(
      db,
      `UPDATE backup_schedule SET claimed_by = ?, claimed_until = ${now} + ${CLAIM_MS}, started_at = ${now}
       WHERE ${where} RETURNING started_at`,
      [claim, ...values],
    );
    return row?.started_at;
  });
}

/** @returns whether the claim is still this process's */
export const renewClaim = (storage: Storage, claim: string): Promise<boolean> =>
  storage.inTransaction(async ({ db }) => {
    const rows = await query(
      db,
      `UPDATE backup_schedule SET claimed_until = ${databaseTime(db)} + ${CLAIM_MS} WHERE claimed_by = ? RETURNING id`,
      [claim],
    );
    return rows.length > 0;
  });

/** Ends a claim, with the size of the verified backup if it was made. After an interruption, a backup is still due. */
export const endClaim = (
  storage: Storage,
  claim: string,
  outcome: { bytes: number } | 'failed' | 'interrupted',
): Promise<void> =>
  storage.inTransaction(async ({ db }) => {
    const made = typeof outcome === 'object' ? outcome : undefined;
    const changes = made ? 'made_at = started_at, bytes = ?, failed_at = NULL,' : '';
    const failure = outcome === 'failed' ? `failed_at = ${databaseTime(db)},` : '';
    await query(
      db,
      `UPDATE backup_schedule SET ${changes} ${failure} claimed_by = NULL, claimed_until = NULL WHERE claimed_by = ?`,
      [...(made ? [made.bytes] : []), claim],
    );
  });

/** @returns age and size of the last good scheduled backup */
export async function findLastBackup(db: Db): Promise<{ ageMs: number; bytes: number } | undefined> {
  const row = await queryOne<{ age: number; bytes: number }>(
    db,
    `SELECT ${databaseTime(db)} - made_at AS age, bytes FROM backup_schedule WHERE made_at IS NOT NULL`,
  );
  return row && { ageMs: Math.max(0, row.age), bytes: row.bytes };
}
