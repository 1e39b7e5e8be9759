import type { AppendEvent } from '../events/outbox.ts';
import type { WithIdempotency } from '../idempotency/with-idempotency.ts';
import type { PublishChange } from '../jobs/jobs.ts';
import type { Clock } from '../shared/clock.ts';
import { notFound } from '../shared/errors.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import { type LockedFilament, lockFilament } from './filament-store.ts';

/** Records in an order's history what was used for it, or with negative amounts what was returned. */
export type RecordConsumption = (
  tx: Tx,
  use: {
    orderId: string;
    filamentId: string;
    gramsMg: number;
    costMinor: number | null;
    note: string | null;
    actor: string;
    at: number;
  },
) => Promise<void>;

/** What changing the stock needs of the rest of the server. */
export interface StockDeps {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  append: AppendEvent;
  recordConsumption: RecordConsumption;
  orderExists(db: Db, accountId: string, id: string): Promise<boolean>;
  printerExists(db: Db, accountId: string, id: string): Promise<boolean>;
  /** The account's currency, which stays until the transaction ends. */
  holdCurrency(db: Db, accountId: string): Promise<string>;
  /** tells open pages */
  publishChange?: PublishChange | undefined;
}

/** Locked until the transaction ends; open pages are told that it changed. @throws DomainError not_found */
export async function lockForChange(
  deps: Pick<StockDeps, 'publishChange'>,
  tx: Tx,
  accountId: string,
  id: string,
): Promise<LockedFilament> {
  const filament = await lockFilament(tx.db, accountId, id);
  if (!filament) throw notFound();
  publishFilament(deps, tx, accountId, id);
  return filament;
}

export const publishFilament = (deps: Pick<StockDeps, 'publishChange'>, tx: Tx, accountId: string, id: string): void =>
  tx.afterCommit(() => deps.publishChange?.(accountId, { kind: 'filament', id }));
