import { toIso } from '../../../../common/src/clock.ts';
import type { Actor } from '../../accounts/token.ts';
import type { EventEnvelope } from '../../events/catalog.ts';
import type * as eventStore from '../../events/event-store.ts';
import { DomainError, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Storage } from '../../storage/open.ts';
import type { Tx } from '../../storage/transaction.ts';
import { findDelivered, findOutcome } from '../delivery/delivery-history-store.ts';
import type { Attempt } from './subscription-schema.ts';

/**
 * How long a test or resend waits for its attempt: a subscription with 4 requests in flight frees a slot within 10 s.
 */
const ATTEMPT_WAIT_MS = 25_000;
const ATTEMPT_POLL_MS = 10;

export interface EventOfDelivery {
  eventSeq: number;
  subject: string;
}

export async function insertTestEvent(
  events: Pick<typeof eventStore, 'insertEvent'>,
  tx: Tx,
  { accountId, traceparent }: Actor,
  subscriptionId: string,
  at: number,
): Promise<EventOfDelivery> {
  const id = newId();
  const event = 'webhook.test';
  const message = 'This is a test event from Farmboard. No orders were changed.';
  const data = { subscription_id: subscriptionId, message };
  const envelope: EventEnvelope<typeof event> = { event, occurred_at: toIso(at), data };
  // its own subject, so tests and other events do not wait for each other
  const subject = `test:${id}`;
  const row = { id, accountId, event, subject, occurredAt: at, body: JSON.stringify(envelope), traceparent } as const;
  const eventSeq = await events.insertEvent(tx.db, row);
  tx.changed(accountId, { kind: 'event', id });
  return { eventSeq, subject };
}

/** @throws DomainError not_found */
export async function findEventOf({ db }: Tx, subscriptionId: string, deliveryId: string): Promise<EventOfDelivery> {
  const delivered = await findDelivered(db, subscriptionId, deliveryId);
  if (!delivered) throw notFound();
  return { eventSeq: delivered.event_seq, subject: delivered.subject };
}

/**
 * Polls until the attempt of a test or resend is recorded. Reads the database, because any process may send it.
 * @throws DomainError not_found, unavailable
 */
export async function waitForAttempt(storage: Storage, seq: number): Promise<Attempt> {
  const deadline = Date.now() + ATTEMPT_WAIT_MS;
  for (;;) {
    const found = await findOutcome(storage.read, seq);
    if (!found) throw notFound();
    if (found.attempt) return found.attempt;
    if (Date.now() > deadline) {
      throw new DomainError(
        'unavailable',
        'The subscription is busy. The attempt will appear in its delivery history.',
      );
    }
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_POLL_MS));
  }
}
