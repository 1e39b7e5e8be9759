import type { AppendEvent } from '../events/outbox.ts';
import type { WithIdempotency } from '../idempotency/with-idempotency.ts';
import type { OrderService } from '../orders/order-service.ts';
import type { Clock } from '../shared/clock.ts';
import { notFound } from '../shared/errors.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import { type LockedFilament, lockFilament } from './filament-store.ts';

/** What the stock services need from the rest of the server. */
export interface StockDeps {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  append: AppendEvent;
  /** adds to an order's history what was deducted for it */
  recordConsumption: OrderService['recordConsumption'];
  /** whether the account has this order, which can't be deleted until the transaction ends */
  holdOrder(db: Db, accountId: string, id: string): Promise<boolean>;
  /** as `holdOrder`, for a printer */
  holdPrinter(db: Db, accountId: string, id: string): Promise<boolean>;
  /** the account's currency, which can't be changed until the transaction ends */
  holdCurrency(db: Db, accountId: string): Promise<string>;
}

/** Locks a filament until the transaction ends and notifies open pages of a change. @throws DomainError not_found */
export async function lockForChange(tx: Tx, accountId: string, id: string): Promise<LockedFilament> {
  const filament = await lockFilament(tx.db, accountId, id);
  if (!filament) throw notFound();
  tx.changed(accountId, { kind: 'filament', id });
  return filament;
}
