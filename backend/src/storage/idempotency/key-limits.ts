import type { Logger } from '../../../../common/src/logger.ts';
import type { Storage } from '../open.ts';
import { purgeRows } from '../purge.ts';
import * as store from './idempotency-store.ts';

/** What an account may have: the oldest keys go first. */
const MAX_KEYS = 100_000;
/** Of all their results, in bytes. */
const MAX_RESULT_BYTES = 100_000_000;

/** How much of it a process stores for an account before it looks again: looking reads all keys of the account. */
const SHARE_BETWEEN = 1 / 100;

/**
 * Keeps the idempotency keys of each account within limits. No request waits for it, and none is refused: each process
 * adds up what it stores, and deletes the oldest keys of an account after every hundredth of the limits.
 * @param limits only tests set them
 * @returns to be called after a key was stored, with the length of its result
 */
export function createKeyLimits(
  { storage, logger }: { storage: Storage; logger: Logger },
  limits = { keys: MAX_KEYS, bytes: MAX_RESULT_BYTES },
) {
  /** stored since this process last looked at an account */
  const added = new Map<string, { keys: number; bytes: number }>();

  return function stored(accountId: string, length: number): void {
    const { keys, bytes } = added.get(accountId) ?? { keys: 0, bytes: 0 };
    const now = { keys: keys + 1, bytes: bytes + length };
    added.set(accountId, now);
    if (now.keys < limits.keys * SHARE_BETWEEN && now.bytes < limits.bytes * SHARE_BETWEEN) return;
    added.delete(accountId);
    deleteOldest(storage, accountId, limits).catch((error: unknown) =>
      logger.warn({ err: error, account_id: accountId }, 'failed to delete the oldest idempotency keys of an account'),
    );
  };
}

async function deleteOldest(storage: Storage, accountId: string, limits: store.KeyLimits): Promise<void> {
  const until = await store.findBeyond(storage.read, accountId, limits);
  if (until !== undefined) await purgeRows(storage, store.keysUntil(accountId, until), () => false);
}
