import type { Actor } from '../../backend/src/accounts/token.ts';
import type { EventName } from '../../backend/src/events/catalog.ts';
import { createOutbox, type NewEvent } from '../../backend/src/events/outbox.ts';
import { createOrderService } from '../../backend/src/orders/order-service.ts';
import { holdPrinter } from '../../backend/src/printers/printer-store.ts';
import { newId } from '../../backend/src/shared/ids.ts';
import { createWithIdempotency } from '../../backend/src/storage/idempotency/with-idempotency.ts';
import type { Storage } from '../../backend/src/storage/open.ts';
import { insertDeliveries } from '../../backend/src/webhooks/delivery/delivery-store.ts';
import { insertTestAccount } from './storage.ts';

/** A token of a new account, or of the given one. */
export async function newActor(storage: Storage, accountId?: string): Promise<Actor> {
  return {
    accountId: accountId ?? (await insertTestAccount(storage)),
    accountName: 'Farm',
    email: 'a@b.c',
    tokenId: newId(),
    tokenName: 'n8n',
    tokenExpiresAt: null,
    passwordCheckedAt: null,
  };
}

/** The orders of a new account, composed as in the service, with a clock that stands still until it is set. */
export async function createOrders(storage: Storage) {
  const actor = await newActor(storage);
  const time = { now: Date.UTC(2026, 10, 21, 12) };
  const clock = () => time.now;
  const events: NewEvent<EventName>[] = [];
  const outbox = createOutbox({ insertDeliveries, wake: () => {} });
  const append: typeof outbox.append = async (tx, event) => {
    events.push(event as NewEvent<EventName>);
    await outbox.append(tx, event);
  };
  const withIdempotency = createWithIdempotency({ storage, clock });
  const shared = { storage, clock, withIdempotency, outbox: { append }, printers: { holdPrinter } };
  const orders = createOrderService(shared);
  return { actor, time, events, shared, orders };
}
