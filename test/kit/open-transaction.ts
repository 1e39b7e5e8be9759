import { type Db, query } from '../../backend/src/storage/dialect.ts';
import type { Storage } from '../../backend/src/storage/open.ts';
import { eventually } from './eventually.ts';

/** A transaction that has done its work and stays open. @returns what commits it */
export async function holdOpen(storage: Storage, work: (db: Db) => Promise<unknown>): Promise<() => Promise<void>> {
  let commit = (): void => undefined;
  const committing = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let ended: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    ended = storage.inTransaction(async ({ db }) => {
      await work(db);
      resolve();
      await committing;
    });
  });
  return async () => {
    commit();
    await ended;
  };
}

/** Waits until a statement waits for a lock. PostgreSQL only. @param start how it begins */
export const waitForLock = (storage: Storage, start = '') =>
  eventually(
    () =>
      query(
        storage.read,
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE ? AND datname = current_database()",
        [`${start}%`],
      ),
    ({ length }) => length > 0,
  );
