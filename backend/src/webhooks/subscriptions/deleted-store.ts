// Subscriptions with a client key, which can be continued after they were deleted.
import { type Db, forUpdate, query, queryOne } from '../../storage/dialect.ts';
import type { ExpiredRows } from '../../storage/purge.ts';
import { MAX_DELETED_SUBSCRIPTIONS } from './subscription.ts';
import {
  findFreeSlot,
  type NewSubscription,
  type StoredSubscription,
  updateSubscription,
} from './subscription-store.ts';

/**
 * Finds the subscription with a client key, living or deleted, and locks its row until the transaction ends.
 * @returns with the time (ms) it was deleted; null if it is living
 */
export async function lockByClientKey(
  db: Db,
  accountId: string,
  clientKey: string,
): Promise<{ id: string; deletedAt: number | null } | undefined> {
  const row = await queryOne<{ id: string; deleted_at: number | null }>(
    db,
    `SELECT id, deleted_at FROM subscriptions WHERE account_id = ? AND client_key = ?${forUpdate(db)}`,
    [accountId, clientKey],
  );
  return row && { id: row.id, deletedAt: row.deleted_at };
}

/**
 * Marks a subscription with a client key as deleted: its history and its events stay. Of the account's deleted
 * subscriptions only the newest are kept. The caller must hold the lock on the account's row.
 * @param noUrl replaces its address; its name goes as well, which may be its host
 */
export async function retireSubscription(
  db: Db,
  accountId: string,
  id: string,
  { noUrl, at }: { noUrl: string; at: number },
): Promise<void> {
  await query(
    db,
    `UPDATE subscriptions SET slot = NULL, name = '', enabled = 0, url_encrypted = ?, url_shown = '', secret_encrypted = NULL,
       header_name = NULL, header_value_encrypted = NULL, previous_secret_encrypted = NULL, previous_secret_until = NULL,
       deleted_at = ?, updated_at = ? WHERE id = ?`,
    [noUrl, at, at, id],
  );
  await query(
    db,
    `DELETE FROM subscriptions WHERE id IN (
       SELECT id FROM subscriptions WHERE account_id = ? AND deleted_at IS NOT NULL
       ORDER BY deleted_at DESC, id DESC LIMIT 1000 OFFSET ${MAX_DELETED_SUBSCRIPTIONS})`,
    [accountId],
  );
}

/**
 * Makes a deleted subscription a living one again, as it is requested now. The caller must hold the locks on the
 * account's row and on the subscription's.
 * @returns undefined if all ten slots are taken
 */
export async function continueSubscription(
  db: Db,
  accountId: string,
  { id, name, encryptedUrl, maskedUrl, format, encryptedSecret, enabled, filter, events, at, ...more }: NewSubscription,
): Promise<StoredSubscription | undefined> {
  const slot = await findFreeSlot(db, accountId);
  if (slot === undefined) return undefined;
  await query(
    db,
    `UPDATE subscriptions SET slot = ?, format = ?, deleted_at = NULL, consecutive_failures = 0,
       last_error = NULL, paused_at = NULL, missed_after = NULL WHERE id = ?`,
    [slot, format, id],
  );
  const change = {
    name,
    enabled,
    filter: filter ?? null,
    header: more.header ?? null,
    pauseAfterFailures: more.pauseAfterFailures ?? null,
    events,
    encryptedUrl,
    maskedUrl,
    ...(encryptedSecret === null ? {} : { encryptedSecret }),
  };
  return updateSubscription(db, id, change, at);
}

/** Subscriptions that were deleted before the given time (ms). */
export const expiredSubscriptions = (before: number): ExpiredRows => ({
  table: 'subscriptions',
  key: ['id'],
  where: 't.deleted_at < ?',
  values: [before],
});
