import { cannotWrite, query } from './dialect.ts';
import type { Storage } from './open.ts';

/**
 * Detects that nothing can be written although reads succeed, on a full disk or in a read-only database.
 * @returns the storage to use, and whether it can be written: after a failure, a write is tried
 */
export function trackWrites(storage: Storage): { storage: Storage; canWrite(): Promise<boolean> } {
  let isFailing = false;
  const inTransaction: Storage['inTransaction'] = async (...transaction) => {
    try {
      const result = await storage.inTransaction(...transaction);
      isFailing = false;
      return result;
    } catch (error) {
      if (cannotWrite(error)) isFailing = true;
      throw error;
    }
  };
  return {
    storage: { ...storage, inTransaction },
    async canWrite() {
      if (!isFailing) return true;
      // also while no request writes, so that the service becomes ready again by itself
      await inTransaction(({ db }) => query(db, 'UPDATE deployment SET id = id')).catch(() => undefined);
      return !isFailing;
    },
  };
}
