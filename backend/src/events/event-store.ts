import type { Listed, Page } from '../shared/pagination.ts';
import { countedTotal, EVENT_COUNTS } from '../storage/counters.ts';
import { type Db, placeholders, query, queryOne } from '../storage/dialect.ts';
import { queryPage, toLimits } from '../storage/page.ts';
import type { ExpiredRows } from '../storage/purge.ts';
import type { EventName } from './catalog.ts';

export interface NewEventRow {
  id: string;
  accountId: string;
  event: EventName;
  subject: string;
  occurredAt: number;
  body: string;
  /** of the request that caused it, if it carried one */
  traceparent?: string | undefined;
}

/** @returns the event's position in the log */
export async function insertEvent(db: Db, event: NewEventRow): Promise<number> {
  const [row] = await query<{ seq: number }>(
    db,
    `INSERT INTO events (id, account_id, event, subject, occurred_at, body, traceparent) VALUES (?, ?, ?, ?, ?, ?, ?)
     RETURNING seq`,
    [event.id, event.accountId, event.event, event.subject, event.occurredAt, event.body, event.traceparent ?? null],
  );
  return (row as { seq: number }).seq;
}

/** Deletes events that have no deliveries. */
export async function deleteEvents(db: Db, accountId: string, seqs: readonly number[]): Promise<void> {
  for (let from = 0; from < seqs.length; from += MAX_DELETED) {
    const some = seqs.slice(from, from + MAX_DELETED);
    await query(db, `DELETE FROM events WHERE account_id = ? AND seq IN ${placeholders(1, some.length)}`, [
      accountId,
      ...some,
    ]);
  }
}

const MAX_DELETED = 500;

/** A stored event; `body` is the envelope as sent. */
export interface EventRow {
  seq: number;
  id: string;
  event: EventName;
  subject: string;
  occurred_at: number;
  body: string;
}

const EVENT_SORTS = { '-occurred_at': 't.seq DESC', occurred_at: 't.seq' } as const;
export type EventSort = keyof typeof EVENT_SORTS;

export interface EventFilter extends Page {
  event?: EventName | undefined;
  /** ms */
  occurred_since?: number | undefined;
  /** the position of the first event in the log */
  fromSeq?: number | undefined;
  sort: EventSort;
}

export async function listEvents(
  db: Db,
  accountId: string,
  { event, occurred_since, fromSeq, sort, ...page }: EventFilter,
): Promise<Listed<EventRow>> {
  const { rows, total, next } = await queryPage<EventRow>(db, {
    columns: 'seq, id, event, subject, occurred_at, body',
    table: 'events',
    where: [
      't.account_id = ?',
      ...(event ? ['t.event = ?'] : []),
      ...(occurred_since === undefined ? [] : ['t.occurred_at >= ?']),
      ...(fromSeq === undefined ? [] : ['t.seq >= ?']),
    ],
    values: [accountId, event, occurred_since, fromSeq].filter((value) => value !== undefined),
    orderBy: EVENT_SORTS[sort],
    key: 'seq',
    ...(occurred_since === undefined &&
      fromSeq === undefined && { total: countedTotal(EVENT_COUNTS, { account_id: accountId, event }) }),
    ...toLimits(page),
  });
  return { items: rows, total, next };
}

/** @returns the event's position in the log; undefined if the account has no such event (any more) */
export async function findEventSeq(db: Db, accountId: string, id: string): Promise<number | undefined> {
  const row = await queryOne<{ seq: number }>(db, 'SELECT seq FROM events WHERE id = ? AND account_id = ?', [
    id,
    accountId,
  ]);
  return row?.seq;
}

/**
 * Events older than the given time (ms) with their deliveries, except events with open deliveries and the last attempts
 * of each subscription.
 */
export const expiredEvents = (before: number, keptPerSubscription: number): ExpiredRows => ({
  table: 'events',
  key: ['seq'],
  where: `t.occurred_at < ? AND NOT EXISTS (
    SELECT 1 FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
    WHERE d.event_seq = t.seq AND (d.state IN ('pending', 'sending') OR d.sequence > s.last_sequence - ?))`,
  values: [before, keptPerSubscription],
  orderBy: 't.occurred_at',
});
