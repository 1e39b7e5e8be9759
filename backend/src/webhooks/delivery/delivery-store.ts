import type { EventName } from '../../events/catalog.ts';
import type { DeliverableEvent } from '../../events/outbox.ts';
import { newId, newIdTime } from '../../shared/ids.ts';
import {
  type Db,
  databaseTime,
  forKeyShare,
  isPostgres,
  newIdOf,
  query,
  queryOne,
  typedRows,
} from '../../storage/dialect.ts';
import type { ExpiredRows } from '../../storage/purge.ts';
import { toFilteredFields } from '../subscriptions/filter.ts';
import type { AttemptError, DeliveryState, EndedDelivery, OutboxDepth } from './attempt.ts';

/**
 * Must match the condition of the partial index `deliveries_open` literally: SQLite uses the index only for a statement
 * that repeats it, and would scan a subscription's whole history otherwise.
 */
export const OPEN = "state IN ('pending', 'sending')";

const UNSUBSCRIBED: AttemptError = 'unsubscribed';

export const ofEvent = (column: string, name = column) =>
  `(SELECT e.${column} FROM events e WHERE e.seq = deliveries.event_seq) AS ${name}`;
export const ofSubscription = (column: string) =>
  `(SELECT s.${column} FROM subscriptions s WHERE s.id = deliveries.subscription_id) AS ${column}`;
export const OF_EVENT = `${ofEvent('id', 'event_id')}, ${ofEvent('traceparent')}`;
/**
 * Whether an event passes a subscription's filter: no list lacks the value that the event has in that field.
 * @param data of the event as JSON; at least the fields that filters compare
 */
const passes = (db: Db, data: string): string => {
  const isListed = isPostgres(db)
    ? 'list.value @> own.value'
    : 'own.value IN (SELECT value FROM json_each(list.value))';
  const each = (json: string) => (isPostgres(db) ? `jsonb_each(CAST(${json} AS jsonb))` : `json_each(${json})`);
  return `(s.filter IS NULL OR NOT EXISTS (SELECT 1 FROM ${each('s.filter')} list
     JOIN ${each(data)} own ON own.key = list.key WHERE coalesce(${isListed}, FALSE) = FALSE))`;
};

/**
 * Inserts a pending delivery for every enabled subscription that selected the event. A deleted subscription that may be
 * continued gets one that has failed and has no number yet: it would have to lock its row to get one.
 * @param now here and below the current time as an SQL expression; only tests set it
 * @returns the ids of the subscriptions with a pending delivery
 */
export async function insertDeliveries(db: Db, event: DeliverableEvent, now = databaseTime(db)): Promise<string[]> {
  const rows = await query<{ subscription_id: string; state: DeliveryState }>(
    db,
    `INSERT INTO deliveries (subscription_id, event_seq, subject, state, error, committed_at)
     SELECT s.id, ?, ?, CASE WHEN s.deleted_at IS NULL THEN 'pending' ELSE 'failed' END,
       CASE WHEN s.deleted_at IS NULL THEN NULL ELSE '${UNSUBSCRIBED}' END, ${now}
     FROM subscriptions s JOIN subscription_events e ON e.subscription_id = s.id
     WHERE s.account_id = ? AND (s.enabled = 1 OR s.deleted_at IS NOT NULL) AND e.event = ?
       AND ${passes(db, '?')}${forKeyShare(db, 's')}
     RETURNING subscription_id, state`,
    [event.eventSeq, event.subject, event.accountId, event.event, toFilteredFields(event.data)],
  );
  return rows.filter(({ state }) => state === 'pending').map((row) => row.subscription_id);
}

const DISABLED: AttemptError = 'channel_disabled';

/**
 * Finds the first event that was not sent to a subscription because it was disabled: it has no delivery, or one that was
 * discarded.
 * @param after a place in the log, before that event
 */
export const findFirstMissed = (
  db: Db,
  subscriptionId: string,
  after: number,
): Promise<{ id: string; event: EventName; occurred_at: number } | undefined> =>
  queryOne(
    db,
    `SELECT e.id, e.event, e.occurred_at FROM subscriptions s JOIN events e ON e.account_id = s.account_id
     WHERE s.id = ? AND e.seq > ?
       AND EXISTS (SELECT 1 FROM subscription_events c WHERE c.subscription_id = s.id AND c.event = e.event)
       AND ${passes(db, isPostgres(db) ? "CAST(e.body AS jsonb) -> 'data'" : "e.body -> 'data'")}
       AND NOT EXISTS (SELECT 1 FROM deliveries d
         WHERE d.event_seq = e.seq AND d.subscription_id = s.id AND coalesce(d.error, '') <> '${DISABLED}')
       AND NOT EXISTS (SELECT 1 FROM sample_records r
         WHERE r.account_id = s.account_id AND r.kind = 'event' AND r.record_id = CAST(e.seq AS TEXT))
     ORDER BY e.seq LIMIT 1`,
    [subscriptionId, after],
  );

/** The deliveries of a subscription that have no number because it was deleted at the time. */
const UNNUMBERED = "subscription_id = ? AND sequence IS NULL AND state = 'failed'";

/**
 * Numbers what a subscription missed while it was deleted. The caller must hold the lock on its row.
 * @returns how many
 */
export async function numberUnsubscribed(db: Db, subscriptionId: string, lastSequence: number): Promise<number> {
  const [row] = await query<{ missed: number }>(db, `SELECT count(*) AS missed FROM deliveries WHERE ${UNNUMBERED}`, [
    subscriptionId,
  ]);
  await query(
    db,
    `UPDATE deliveries SET id = ${newIdOf(db, 'CAST(? AS TEXT)')}, sequence = CAST(? AS BIGINT) + missed.place,
       attempted_at = committed_at, duration_ms = 0
     FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS place FROM deliveries WHERE ${UNNUMBERED}) missed
     WHERE deliveries.seq = missed.seq`,
    [newIdTime(), lastSequence, subscriptionId],
  );
  return Number(row?.missed);
}

/** The deliveries of subscriptions that were deleted before the given time (ms). */
export const expiredDeliveries = (before: number): ExpiredRows => ({
  table: 'deliveries',
  key: ['seq'],
  where: 't.subscription_id IN (SELECT id FROM subscriptions WHERE deleted_at < ?)',
  values: [before],
});

/** Inserts a delivery that a person requested, ahead of everything pending in the subscription. @returns its seq */
export async function insertUrgentDelivery(
  db: Db,
  delivery: { subscriptionId: string; eventSeq: number; subject: string },
  now = databaseTime(db),
): Promise<number> {
  const [row] = await query<{ seq: number }>(
    db,
    `INSERT INTO deliveries (subscription_id, event_seq, subject, queue, state, committed_at) VALUES (?, ?, ?, 0, 'pending', ${now}) RETURNING seq`,
    [delivery.subscriptionId, delivery.eventSeq, delivery.subject],
  );
  return (row as { seq: number }).seq;
}

/** @param minQueue 1 leaves out the deliveries that a person requested */
export const listPending = (
  db: Db,
  subscriptionId: string,
  minQueue: number,
  limit: number,
): Promise<{ seq: number }[]> =>
  query(
    db,
    `SELECT seq FROM deliveries WHERE ${OPEN} AND subscription_id = ? AND state = 'pending' AND queue >= ? ORDER BY seq LIMIT ?`,
    [subscriptionId, minQueue, limit],
  );

/** Fails pending deliveries that are not sent. Each has its sequence, so the receiver can request what it missed. */
export function failPending(
  db: Db,
  deliveries: readonly { seq: number; sequence: number }[],
  error: AttemptError,
  worker: string,
): Promise<{ id: string; event_id: string; traceparent: string | null }[]> {
  const now = databaseTime(db);
  return query(
    db,
    `WITH given (seq, id, sequence) AS (VALUES ${typedRows(deliveries.length, ['BIGINT', 'TEXT', 'BIGINT'])})
     UPDATE deliveries SET id = given.id, sequence = given.sequence, state = 'failed', error = ?, duration_ms = 0,
       claimed_by = ?, attempted_at = ${now}
     FROM given WHERE deliveries.seq = given.seq AND deliveries.state = 'pending'
     RETURNING deliveries.id, ${OF_EVENT}`,
    [...deliveries.flatMap(({ seq, sequence }) => [seq, newId(), sequence]), error, worker],
  );
}

/** The workers with attempts in flight, and in how many ms the first of their claims expires. */
export const listClaims = (db: Db, now = databaseTime(db)): Promise<{ worker: string; expiresIn: number }[]> =>
  query(
    db,
    `SELECT claimed_by AS worker, min(claimed_until) - ${now} AS "expiresIn" FROM deliveries WHERE ${OPEN} AND state = 'sending' GROUP BY claimed_by`,
  );

/**
 * Fails a worker's attempts in flight as `interrupted`. They are never sent again, because the request may have
 * arrived.
 * @param which only expired claims, or all of them because the worker is dead
 */
export async function interrupt(
  db: Db,
  worker: string,
  which: 'expired' | 'all',
  now = databaseTime(db),
): Promise<(EndedDelivery & { accountId: string })[]> {
  const rows = await query<{
    id: string;
    subscription_id: string;
    account_id: string;
    event_id: string;
    traceparent: string | null;
    duration_ms: number;
  }>(
    db,
    `UPDATE deliveries SET state = 'failed', error = ?, duration_ms = ${now} - attempted_at, claimed_until = NULL
     WHERE ${OPEN} AND state = 'sending' AND claimed_by = ?${which === 'all' ? '' : ` AND claimed_until < ${now}`}
     RETURNING id, subscription_id, duration_ms, ${OF_EVENT},
       ${ofSubscription('account_id')}`,
    ['interrupted' satisfies AttemptError, worker],
  );
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    traceparent: row.traceparent,
    subscriptionId: row.subscription_id,
    accountId: row.account_id,
    outcome: { status: 'failed', responseStatus: null, error: 'interrupted', durationMs: row.duration_ms },
  }));
}

/** Fails every attempt in flight as `interrupted`, whoever made it. @returns how many */
export async function interruptSending(db: Db): Promise<number> {
  const rows = await query(
    db,
    `UPDATE deliveries SET state = 'failed', error = ?, duration_ms = 0, claimed_until = NULL
     WHERE ${OPEN} AND state = 'sending' RETURNING seq`,
    ['interrupted' satisfies AttemptError],
  );
  return rows.length;
}

/** How many accounts have a backlog of their own in the metrics: each is a time series. */
const LARGEST_BACKLOGS = 10;

/** Counts open deliveries of all subscriptions, and those of the accounts that have the most. */
export async function measureOutbox(db: Db): Promise<OutboxDepth> {
  const row = await queryOne<{ pending: number; sending: number; oldest_ms: number | null }>(
    db,
    `SELECT coalesce(sum(CASE WHEN state = 'pending' THEN 1 ELSE 0 END), 0) AS pending,
       coalesce(sum(CASE WHEN state = 'sending' THEN 1 ELSE 0 END), 0) AS sending,
       ${databaseTime(db)} - min(CASE WHEN state = 'pending' THEN committed_at END) AS oldest_ms
     FROM deliveries WHERE ${OPEN}`,
  );
  const largest = await query<{ account_id: string; deliveries: number }>(
    db,
    `SELECT s.account_id, CAST(sum(d.deliveries) AS BIGINT) AS deliveries
     FROM (SELECT subscription_id, count(*) AS deliveries FROM deliveries WHERE ${OPEN} GROUP BY subscription_id) d
     JOIN subscriptions s ON s.id = d.subscription_id
     GROUP BY s.account_id ORDER BY 2 DESC, 1 LIMIT ${LARGEST_BACKLOGS}`,
  );
  return {
    pending: Number(row?.pending),
    sending: Number(row?.sending),
    oldestMs: row?.oldest_ms ?? null,
    largest: largest.map(({ account_id, deliveries }) => ({ accountId: account_id, deliveries })),
  };
}

/**
 * Subscriptions whose next delivery was committed more than that many ms ago and is pending. Looks up each subscription
 * in the index after the one before, so the time depends on their number and not on that of the deliveries.
 */
export async function listWaitingSubscriptions(db: Db, ageMs: number, now = databaseTime(db)): Promise<string[]> {
  const pending = `FROM deliveries WHERE ${OPEN} AND state = 'pending'`;
  const rows = await query<{ id: string }>(
    db,
    `WITH RECURSIVE waiting (id) AS (
       SELECT min(subscription_id) ${pending}
       UNION ALL
       SELECT (SELECT min(subscription_id) ${pending} AND subscription_id > waiting.id)
       FROM waiting WHERE waiting.id IS NOT NULL)
     SELECT id FROM waiting
     WHERE (SELECT committed_at ${pending} AND subscription_id = waiting.id ORDER BY queue, seq LIMIT 1) < ${now} - ?`,
    [ageMs],
  );
  return rows.map(({ id }) => id);
}
