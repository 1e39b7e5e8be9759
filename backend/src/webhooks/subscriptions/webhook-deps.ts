import type { NewEventRow } from '../../events/event-store.ts';
import type { WithIdempotency } from '../../idempotency/with-idempotency.ts';
import type { Clock } from '../../shared/clock.ts';
import type { SecretBox } from '../../shared/crypto.ts';
import { notFound } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Db } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { DeliveryMetrics } from '../delivery/attempt.ts';
import type { Guard } from '../delivery/guard.ts';
import { lockSubscription, type StoredSubscription } from './subscription-store.ts';

/** What changes of webhook channels need from the rest of the service. */
export interface WebhookDeps {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  withIdempotency: WithIdempotency;
  guard: Guard;
  secretBox: SecretBox;
  worker: string;
  wake(subscriptionIds: string[]): void;
  metrics?: DeliveryMetrics | undefined;
  lockAccount(db: Db, accountId: string): Promise<void>;
  /** inserts an event without creating deliveries; used for tests */
  insertEvent(db: Db, event: NewEventRow): Promise<number>;
}

/** Locks a channel until the transaction ends. @throws DomainError not_found */
export async function lockChannelOf(db: Db, accountId: string, id: string): Promise<StoredSubscription> {
  const stored = await lockSubscription(db, accountId, id);
  if (!stored) throw notFound();
  return stored;
}
