import type { Knex } from 'knex';
import type { Change } from '../shared/change.ts';
import { DomainError } from '../shared/errors.ts';
import { type Db, isConflict, isUnavailable } from './dialect.ts';

/** A transaction: its handle, and what happens after its commit only. */
export interface Tx {
  readonly db: Db;
  afterCommit(action: () => void): void;
  /** Notifies open pages. Without effect in a storage that publishes nothing, such as that of a command. */
  changed(accountId: string, change: Change): void;
}

export interface TransactionOptions {
  /** on PostgreSQL the work sends one statement only, which is a transaction of its own */
  oneStatement?: boolean;
  /** on SQLite it takes longer than a request would, so it shares its commit with none */
  isLong?: boolean;
}

/** What a transaction returned, and its actions for after the commit. */
interface Done<T> {
  result: T;
  runActions(): void;
}

/** Runs the work with a handle that is in a transaction. The caller commits, then runs the actions. */
export async function runWork<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<Done<T>> {
  const actions: (() => void)[] = [];
  const result = await work({ db, afterCommit: (action) => void actions.push(action), changed: () => undefined });
  return {
    result,
    runActions() {
      for (const action of actions) action();
    },
  };
}

/** If the server dies during a commit, the outcome is unknown. */
export const UNKNOWN_COMMIT =
  'The database connection was lost while saving, so the change may or may not have been made. Check before you send it again, or send it again with the same Idempotency-Key.';

/** @param unknownCommit error message if the outcome of a failed commit is unknown */
export async function transact<T>(
  db: Knex,
  work: (tx: Tx) => Promise<T>,
  config: Knex.TransactionConfig = {},
  unknownCommit?: string,
): Promise<T> {
  let failure: { error: unknown } | undefined;
  let isCommitting = false;
  const { result, runActions } = await db
    .transaction(async (trx) => {
      try {
        const done = await runWork(trx, work);
        isCommitting = true;
        return done;
      } catch (error) {
        failure = { error };
        throw error;
      }
    }, config)
    .catch((error: unknown) => {
      // if the engine has already rolled back (full disk, lost connection), Knex's ROLLBACK fails too, and its error
      // would hide the cause
      if (failure) throw failure.error;
      throw isCommitting && unknownCommit !== undefined && isUnavailable(error)
        ? new DomainError('unavailable', unknownCommit)
        : error;
    });
  runActions();
  return result;
}

/** Runs one statement without BEGIN and COMMIT, which would each take a round trip. */
export async function runAlone<T>(db: Knex, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { result, runActions } = await runWork(db, work);
  runActions();
  return result;
}

/** Retries transactions that PostgreSQL aborted because of a conflict. They had no effect. */
export async function withRetry<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === 3) {
        throw new DomainError(
          'version_conflict',
          'Another request changed the same records at the same time. Send the request again.',
        );
      }
    }
  }
}
