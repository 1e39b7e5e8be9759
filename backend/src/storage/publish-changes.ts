import type { PublishChange } from '../shared/change.ts';
import type { Storage } from './open.ts';

/** The same storage, which also publishes after each commit what its transaction has changed. */
export const publishChanges = (storage: Storage, publish: PublishChange): Storage => ({
  ...storage,
  inTransaction: (work, options) =>
    storage.inTransaction(
      (tx) => work({ ...tx, changed: (...change) => tx.afterCommit(() => publish(...change)) }),
      options,
    ),
});
