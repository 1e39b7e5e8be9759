import { type Clock, DAY_MS } from '../../../../common/src/clock.ts';
import { DomainError } from '../../shared/errors.ts';
import type { Storage } from '../open.ts';
import type { Tx } from '../transaction.ts';
import * as store from './idempotency-store.ts';

/** An idempotency key as sent by a client. */
export interface IdempotencyRequest {
  /** 1 to 128 characters, chosen by the client */
  key: string;
  /** SHA-256 of method, path and body: the same key with another hash is a client error */
  hash: string;
}

export interface IdempotentResult<T> {
  result: T;
  /** true: nothing was done; the result is that of the first request */
  replayed: boolean;
}

/** How long a key is kept: a failed execution of a workflow tool may be retried days later. */
export const KEY_LIFETIME_MS = 30 * DAY_MS;

interface Options<T, Kept> {
  /**
   * what to store of a result for replays, without secrets; undefined: everything was refused, so the key stays unused
   */
  keep?(result: T): Kept | undefined;
  /** makes a result of what `keep` stored; default: it is one */
  restore?(kept: Kept, tx: Tx): T | Promise<T>;
  /** as for any transaction: it shares its commit with no other */
  isLong?: boolean;
}

/** What is kept of a result by default, and what is made of it. */
const asIs = (value: unknown): never => value as never;

export type WithIdempotency = ReturnType<typeof createWithIdempotency>;

/**
 * Runs transactions that take effect once per idempotency key. The key and its result are stored in the transaction of
 * the effect, so a crash cannot separate them. A failed request stores no key: it had no effect and may succeed when
 * repeated.
 * @param deps.stored is called after a key was stored, with the length of its result
 */
export function createWithIdempotency(deps: {
  storage: Storage;
  clock: Clock;
  stored?(accountId: string, length: number): void;
}) {
  const { storage, clock, stored } = deps;

  /** @param kept undefined: the key stays unused */
  async function save(tx: Tx, accountId: string, key: string, kept: unknown): Promise<void> {
    if (kept === undefined) return store.deleteKey(tx.db, accountId, key);
    const result = JSON.stringify(kept);
    await store.saveResult(tx.db, accountId, key, result);
    if (stored) tx.afterCommit(() => stored(accountId, result.length));
  }

  /**
   * @param work returns a result that survives JSON
   * @throws DomainError idempotency_conflict if the key was used for another request
   */
  return function withIdempotency<T, Kept = T>(
    accountId: string,
    request: IdempotencyRequest | undefined,
    work: (tx: Tx) => Promise<T>,
    { keep = asIs, restore = asIs, isLong = false }: Options<T, Kept> = {},
  ): Promise<IdempotentResult<T>> {
    const options = { isLong };
    if (!request) return storage.inTransaction(async (tx) => ({ result: await work(tx), replayed: false }), options);
    return storage.inTransaction(async (tx) => {
      const { key, hash } = request;
      const now = clock();
      if (!(await store.takeKey(tx.db, accountId, key, hash, now))) {
        const first = await store.findKey(tx.db, accountId, key);
        if (first && first.createdAt > now - KEY_LIFETIME_MS) {
          if (first.requestHash !== hash || first.result === null) {
            throw new DomainError(
              'idempotency_conflict',
              'This Idempotency-Key was already used for a different request in the last 30 days. Use a new key.',
            );
          }
          return { result: await restore(JSON.parse(first.result) as Kept, tx), replayed: true };
        }
        await store.deleteKey(tx.db, accountId, key);
        await store.takeKey(tx.db, accountId, key, hash, now);
      }
      const result = await work(tx);
      await save(tx, accountId, key, keep(result));
      return { result, replayed: false };
    }, options);
  };
}
