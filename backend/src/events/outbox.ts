import { toIso } from '../../../common/src/clock.ts';
import { newId } from '../shared/ids.ts';
import type { Db } from '../storage/dialect.ts';
import type { Tx } from '../storage/transaction.ts';
import type { EventData, EventEnvelope, EventName } from './catalog.ts';
import { insertEvent } from './event-store.ts';

export interface NewEvent<N extends EventName> {
  accountId: string;
  event: N;
  /** what the event is about, `order:<id>`: events of one subject are sent in commit order */
  subject: string;
  data: EventData<N>;
  /** ms */
  occurredAt: number;
  /** of the request that caused it, if it carried one; each delivery continues it */
  traceparent?: string | undefined;
}

/** An event that was just inserted, for its deliveries. */
export interface DeliverableEvent {
  accountId: string;
  event: EventName;
  subject: string;
  /** its position in the log */
  eventSeq: number;
  data: object;
}

/** Appends an event in the transaction of the change it reports. */
export type AppendEvent = <N extends EventName>(tx: Tx, event: NewEvent<N>) => Promise<void>;

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * The transactional outbox: the event and one pending delivery per subscription are inserted in the transaction of the
 * change. The subscriptions are woken after the commit; a lost wake-up delays events but loses none.
 */
export function createOutbox(deps: {
  /** @returns the ids of the subscriptions that get a delivery */
  insertDeliveries(db: Db, event: DeliverableEvent): Promise<string[]>;
  wake(subscriptionIds: string[]): void;
}): { append: AppendEvent } {
  return {
    async append(tx, { accountId, event, subject, data, occurredAt, traceparent }) {
      const envelope: EventEnvelope = { event, occurred_at: toIso(occurredAt), data };
      const id = newId();
      const eventSeq = await insertEvent(tx.db, {
        id,
        accountId,
        event,
        subject,
        occurredAt,
        body: JSON.stringify(envelope),
        traceparent,
      });
      const subscriptionIds = await deps.insertDeliveries(tx.db, { accountId, event, subject, eventSeq, data });
      tx.changed(accountId, { kind: 'event', id });
      if (subscriptionIds.length > 0) tx.afterCommit(() => deps.wake(subscriptionIds));
    },
  };
}
