import { type Listed, offsetOf, type Page } from '../shared/schemas.ts';
import { type Db, query } from '../storage/dialect.ts';
import { queryPage } from '../storage/page.ts';
import type { EventEnvelope, EventName } from './catalogue.ts';

/** @returns the event's position in the log */
export async function insertEvent(
  db: Db,
  event: { id: string; accountId: string; event: EventName; subject: string; occurredAt: number; body: string },
): Promise<number> {
  const [row] = await query<{ seq: number }>(
    db,
    'INSERT INTO events (id, account_id, event, subject, occurred_at, body) VALUES (?, ?, ?, ?, ?, ?) RETURNING seq',
    [event.id, event.accountId, event.event, event.subject, event.occurredAt, event.body],
  );
  return (row as { seq: number }).seq;
}

/** Inserts a pending delivery for every enabled channel that selected the event. @returns the ids of those channels */
export async function insertDeliveries(
  db: Db,
  event: { accountId: string; event: EventName; subject: string; eventSeq: number; at: number },
): Promise<string[]> {
  const rows = await query<{ subscription_id: string }>(
    db,
    `INSERT INTO deliveries (subscription_id, event_seq, subject, state, committed_at)
     SELECT s.id, ?, ?, 'pending', ? FROM subscriptions s JOIN subscription_events e ON e.subscription_id = s.id
     WHERE s.account_id = ? AND s.enabled = 1 AND e.event = ? RETURNING subscription_id`,
    [event.eventSeq, event.subject, event.at, event.accountId, event.event],
  );
  return rows.map((row) => row.subscription_id);
}

/** An event of the account's log: its id and the envelope as sent. */
export type LoggedEvent = { id: string } & EventEnvelope;

const EVENT_SORTS = { '-occurred_at': 't.seq DESC', occurred_at: 't.seq' } as const;
export type EventSort = keyof typeof EVENT_SORTS;

export interface EventFilter extends Page {
  event?: EventName | undefined;
  /** ms */
  occurred_since?: number | undefined;
  sort: EventSort;
}

export async function listEvents(
  db: Db,
  accountId: string,
  { event, occurred_since, sort, ...page }: EventFilter,
): Promise<Listed<LoggedEvent>> {
  const { rows, total } = await queryPage<{ id: string; body: string }>(db, {
    columns: 'seq, id, body',
    table: 'events',
    where: [
      't.account_id = ?',
      ...(event ? ['t.event = ?'] : []),
      ...(occurred_since === undefined ? [] : ['t.occurred_at >= ?']),
    ],
    values: [accountId, ...(event ? [event] : []), ...(occurred_since === undefined ? [] : [occurred_since])],
    orderBy: EVENT_SORTS[sort],
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map((row) => ({ id: row.id, ...(JSON.parse(row.body) as EventEnvelope) })), total };
}

/**
 * Deletes events older than the given time (ms) with their deliveries, except open deliveries and the last attempts of
 * each channel.
 */
export async function deleteEventsBefore(db: Db, before: number, keptPerChannel: number): Promise<void> {
  await query(
    db,
    `DELETE FROM events WHERE occurred_at < ? AND NOT EXISTS (
       SELECT 1 FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
       WHERE d.event_seq = events.seq AND (d.state IN ('pending', 'sending') OR d.sequence > s.last_sequence - ?))`,
    [before, keptPerChannel],
  );
}
