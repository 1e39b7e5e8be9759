// How deliveries end that are not sent, and what is reported of every one that ends. The transitions hold the lock on
// the subscription's row, so receivers see no gaps in the sequence.
import type { Logger } from '../../../../common/src/logger.ts';
import { traceIdOf } from '../../shared/traceparent.ts';
import type { Db } from '../../storage/dialect.ts';
import { advanceSequence, lockSequence } from '../subscriptions/subscription-store.ts';
import type { AttemptError, DeliveryMetrics, EndedDelivery } from './attempt.ts';
import * as store from './delivery-store.ts';

/** A delivery that ended without a request. */
export const toUnsent = (
  subscriptionId: string,
  { id, event_id: eventId, traceparent }: { id: string; event_id: string; traceparent: string | null },
  error: AttemptError,
): EndedDelivery => ({
  id,
  eventId,
  traceparent,
  subscriptionId,
  outcome: { status: 'failed', responseStatus: null, error, durationMs: 0 },
});

const END_BATCH_SIZE = 200;

/** Fails everything pending in a subscription that was turned off, as `channel_disabled`; tests and resends stay. */
export const cancelPending = (db: Db, subscriptionId: string, worker: string): Promise<EndedDelivery[]> =>
  endPending(db, subscriptionId, { error: 'channel_disabled', minQueue: 1 }, worker);

/** Fails everything pending in a subscription that is deleted but may be continued. */
export const endForDeleted = (db: Db, subscriptionId: string, worker: string): Promise<EndedDelivery[]> =>
  endPending(db, subscriptionId, { error: 'unsubscribed', minQueue: 0 }, worker);

/** Gives the events that a subscription missed while it was deleted its next numbers. @returns how many */
export async function addMissed(db: Db, subscriptionId: string): Promise<number> {
  const lastSequence = await lockSequence(db, subscriptionId);
  const missed = lastSequence === undefined ? 0 : await store.numberUnsubscribed(db, subscriptionId, lastSequence);
  await advanceSequence(db, subscriptionId, missed);
  return missed;
}

async function endPending(
  db: Db,
  subscriptionId: string,
  { error, minQueue }: { error: AttemptError; minQueue: number },
  worker: string,
): Promise<EndedDelivery[]> {
  const ended: EndedDelivery[] = [];
  for (;;) {
    const lastSequence = await lockSequence(db, subscriptionId);
    const pending = await store.listPending(db, subscriptionId, minQueue, END_BATCH_SIZE);
    if (lastSequence === undefined || pending.length === 0) return ended;
    const numbered = pending.map(({ seq }, index) => ({ seq, sequence: lastSequence + index + 1 }));
    const rows = await store.failPending(db, numbered, error, worker);
    await advanceSequence(db, subscriptionId, numbered.length);
    ended.push(...rows.map((row) => toUnsent(subscriptionId, row, error)));
  }
}

/**
 * Fails all open deliveries as `interrupted`, each with its sequence. Used after a restore: the original database may
 * have sent them since the backup.
 * @returns the number of deliveries
 */
export async function interruptAll(db: Db): Promise<number> {
  let ended = await store.interruptSending(db);
  for (const id of await store.listWaitingSubscriptions(db, Number.MIN_SAFE_INTEGER)) {
    ended += (await endPending(db, id, { error: 'interrupted', minQueue: 0 }, 'restore')).length;
  }
  return ended;
}

/** Logs and counts deliveries that ended: one line each. Call it after the commit, once for each delivery. */
export function reportEnded(
  { logger, metrics }: { logger: Logger; metrics?: DeliveryMetrics | undefined },
  ended: readonly EndedDelivery[],
): void {
  for (const { id, eventId, traceparent, subscriptionId, outcome } of ended) {
    const { status, responseStatus, error, durationMs, responseCut } = outcome;
    logger.info(
      {
        delivery_id: id,
        event_id: eventId,
        // absent without a trace
        trace_id: traceIdOf(traceparent),
        subscription_id: subscriptionId,
        status,
        response_status: responseStatus,
        error,
        duration_ms: Math.round(durationMs),
        response_cut: responseCut,
      },
      'delivery ended',
    );
    metrics?.countEnded(error ?? 'succeeded');
  }
}
