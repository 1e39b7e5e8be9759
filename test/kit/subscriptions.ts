import type { EventData } from '../../backend/src/events/catalog.ts';
import { insertEvent } from '../../backend/src/events/event-store.ts';
import { createOutbox } from '../../backend/src/events/outbox.ts';
import { newId } from '../../backend/src/shared/ids.ts';
import { query } from '../../backend/src/storage/dialect.ts';
import type { Storage } from '../../backend/src/storage/open.ts';
import { insertDeliveries, insertUrgentDelivery } from '../../backend/src/webhooks/delivery/delivery-store.ts';
import { secretContext, urlContext } from '../../backend/src/webhooks/subscriptions/subscription.ts';
import { insertSubscription } from '../../backend/src/webhooks/subscriptions/subscription-store.ts';
import { createSecretBox } from '../../common/src/crypto.ts';

export const secretBox = createSecretBox('a key of the tests, 32 or longer');

export interface DeliveryRow {
  seq: number;
  id: string | null;
  subject: string;
  state: 'pending' | 'sending' | 'succeeded' | 'failed';
  error: string | null;
  sequence: number | null;
  response_status: number | null;
  claimed_by: string | null;
  claimed_until: number | null;
  attempted_at: number | null;
  duration_ms: number | null;
}

/** Inserts rows as the features would: an account's subscriptions and events. */
export function createSubscriptions(storage: Storage, accountId: string, clock: () => number) {
  const now = () => String(clock());
  const outbox = createOutbox({
    insertDeliveries: (db, event) => insertDeliveries(db, event, now()),
    wake: () => undefined,
  });
  return {
    async create(url = 'http://127.0.0.1:9/hook'): Promise<string> {
      const id = newId();
      await storage.inTransaction(({ db }) =>
        insertSubscription(db, accountId, {
          id,
          name: 'test',
          encryptedUrl: secretBox.encrypt(url, urlContext(id)),
          maskedUrl: url,
          format: 'signed',
          encryptedSecret: secretBox.encrypt('whsec_test', secretContext(id)),
          enabled: true,
          events: ['order.status_changed'],
          at: clock(),
        }),
      );
      return id;
    },

    /** An event of the subject in its own transaction; its text is found in what is sent. */
    emit: (subject: string, text: string, traceparent?: string): Promise<void> =>
      storage.inTransaction((tx) =>
        outbox.append(tx, {
          accountId,
          event: 'order.status_changed',
          subject,
          data: { order_notes: text } as EventData<'order.status_changed'>,
          occurredAt: clock(),
          traceparent,
        }),
      ),

    /** What a person requested: a test or a resend. */
    emitUrgent: (subscriptionId: string, subject: string, text: string): Promise<void> =>
      storage.inTransaction(async ({ db }) => {
        const event = { event: 'webhook.test', occurred_at: '', data: { order_notes: text } };
        const eventSeq = await insertEvent(db, {
          id: newId(),
          accountId,
          event: 'webhook.test',
          subject,
          occurredAt: clock(),
          body: JSON.stringify(event),
        });
        await insertUrgentDelivery(db, { subscriptionId, eventSeq, subject }, now());
      }),

    /** Reads over a separate connection, so only committed rows are visible. */
    deliveries: (subscriptionId: string): Promise<DeliveryRow[]> =>
      query<DeliveryRow>(storage.read, 'SELECT * FROM deliveries WHERE subscription_id = ? ORDER BY seq', [
        subscriptionId,
      ]),

    lastSequence: async (subscriptionId: string): Promise<number> => {
      const [row] = await query<{ n: number }>(
        storage.read,
        'SELECT last_sequence AS n FROM subscriptions WHERE id = ?',
        [subscriptionId],
      );
      return row?.n ?? -1;
    },
  };
}
