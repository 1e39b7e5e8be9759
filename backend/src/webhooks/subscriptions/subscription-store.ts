import { EVENT_NAMES, type EventEnvelope, type EventName } from '../../events/catalogue.ts';
import { toIso } from '../../shared/clock.ts';
import { type Listed, offsetOf, type Page } from '../../shared/schemas.ts';
import { bool, type Db, forUpdate, placeholders, query, queryOne, type Value } from '../../storage/dialect.ts';
import { queryPage } from '../../storage/page.ts';
import type { AttemptError, ChannelFormat } from '../delivery/attempt.ts';
import { type Attempt, HISTORY_LENGTH, MAX_CHANNELS, type Subscription } from './subscription.ts';

interface SubscriptionRow {
  id: string;
  name: string;
  url_sealed: string;
  url_shown: string;
  format: ChannelFormat;
  secret_sealed: string | null;
  enabled: number;
  last_sequence: number;
  created_at: number;
  updated_at: number;
}

const COLUMNS =
  'id, name, url_sealed, url_shown, format, secret_sealed, enabled, last_sequence, created_at, updated_at';

/** A channel with its encrypted fields, for use inside the service only. */
export interface StoredSubscription {
  subscription: Subscription;
  encryptedUrl: string;
  encryptedSecret: string | null;
}

const toStored = (row: SubscriptionRow, events: EventName[]): StoredSubscription => ({
  subscription: {
    id: row.id,
    name: row.name,
    url: row.url_shown,
    format: row.format,
    events,
    enabled: row.enabled === 1,
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  },
  encryptedUrl: row.url_sealed,
  encryptedSecret: row.secret_sealed,
});

/** The selected events of each channel, in catalog order. */
async function eventsOf(db: Db, ids: string[]): Promise<Map<string, EventName[]>> {
  const rows = await query<{ subscription_id: string; event: EventName }>(
    db,
    `SELECT subscription_id, event FROM subscription_events WHERE subscription_id IN ${placeholders(1, ids.length)}`,
    ids,
  );
  return new Map(
    ids.map((id) => {
      const chosen = new Set(rows.filter((row) => row.subscription_id === id).map((row) => row.event));
      return [id, EVENT_NAMES.filter((name) => chosen.has(name))];
    }),
  );
}

export async function listSubscriptions(db: Db, accountId: string, page: Page): Promise<Listed<Subscription>> {
  const { rows, total } = await queryPage<SubscriptionRow>(db, {
    columns: COLUMNS,
    table: 'subscriptions',
    where: ['t.account_id = ?'],
    values: [accountId],
    orderBy: 't.created_at DESC, t.id DESC',
    limit: page.per_page,
    offset: offsetOf(page),
  });
  if (rows.length === 0) return { items: [], total };
  const events = await eventsOf(
    db,
    rows.map((row) => row.id),
  );
  return { items: rows.map((row) => toStored(row, events.get(row.id) ?? []).subscription), total };
}

async function find(db: Db, accountId: string, id: string, lock: string): Promise<StoredSubscription | undefined> {
  const row = await queryOne<SubscriptionRow>(
    db,
    `SELECT ${COLUMNS} FROM subscriptions WHERE id = ? AND account_id = ?${lock}`,
    [id, accountId],
  );
  return row && toStored(row, (await eventsOf(db, [id])).get(id) ?? []);
}

export const findSubscription = (db: Db, accountId: string, id: string) => find(db, accountId, id, '');

/** As `findSubscription`, and locks the channel's row until the transaction ends. */
export const lockSubscription = (db: Db, accountId: string, id: string) => find(db, accountId, id, forUpdate(db));

export interface NewSubscription {
  id: string;
  name: string;
  encryptedUrl: string;
  maskedUrl: string;
  format: ChannelFormat;
  encryptedSecret: string | null;
  enabled: boolean;
  events: EventName[];
  at: number;
}

/**
 * Inserts a channel into the account's first free slot. Locks the account's row to serialize concurrent inserts; the
 * unique slots are a second safeguard.
 * @returns undefined if all ten slots are taken
 */
export async function insertSubscription(
  db: Db,
  accountId: string,
  created: NewSubscription,
): Promise<StoredSubscription | undefined> {
  await query(db, `SELECT id FROM accounts WHERE id = ?${forUpdate(db)}`, [accountId]);
  const taken = await query<{ slot: number }>(db, 'SELECT slot FROM subscriptions WHERE account_id = ?', [accountId]);
  const used = new Set(taken.map((row) => row.slot));
  const slot = Array.from({ length: MAX_CHANNELS }, (_, index) => index).find((index) => !used.has(index));
  if (slot === undefined) return undefined;
  const [row] = await query<SubscriptionRow>(
    db,
    `INSERT INTO subscriptions (id, account_id, slot, name, url_sealed, url_shown, format, secret_sealed, enabled, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
    [
      created.id,
      accountId,
      slot,
      created.name,
      created.encryptedUrl,
      created.maskedUrl,
      created.format,
      created.encryptedSecret,
      bool(created.enabled),
      created.at,
      created.at,
    ],
  );
  await insertEvents(db, created.id, created.events);
  return toStored(row as SubscriptionRow, created.events);
}

async function insertEvents(db: Db, id: string, events: EventName[]): Promise<void> {
  await query(
    db,
    `INSERT INTO subscription_events (subscription_id, event) VALUES ${placeholders(events.length, 2)}`,
    events.flatMap((event) => [id, event]),
  );
}

export interface SubscriptionChange {
  name?: string;
  url_sealed?: string;
  url_shown?: string;
  enabled?: number;
  secret_sealed?: string;
}

export async function updateSubscription(
  db: Db,
  id: string,
  change: SubscriptionChange,
  events: EventName[] | undefined,
  at: number,
): Promise<StoredSubscription> {
  if (events) {
    await query(db, 'DELETE FROM subscription_events WHERE subscription_id = ?', [id]);
    await insertEvents(db, id, events);
  }
  const sets = Object.keys(change).map((column) => `${column} = ?, `);
  const [row] = await query<SubscriptionRow>(
    db,
    `UPDATE subscriptions SET ${sets.join('')}updated_at = ? WHERE id = ? RETURNING ${COLUMNS}`,
    [...(Object.values(change) as Value[]), at, id],
  );
  return toStored(row as SubscriptionRow, events ?? (await eventsOf(db, [id])).get(id) ?? []);
}

export async function deleteSubscription(db: Db, accountId: string, id: string): Promise<boolean> {
  const rows = await query(db, 'DELETE FROM subscriptions WHERE id = ? AND account_id = ? RETURNING id', [
    id,
    accountId,
  ]);
  return rows.length > 0;
}

interface AttemptRow {
  id: string;
  event: EventName;
  state: 'pending' | 'sending' | 'succeeded' | 'failed';
  response_status: number | null;
  error: AttemptError | null;
  attempted_at: number;
  duration_ms: number;
  sequence: number;
}

const toAttempt = (row: AttemptRow): Attempt => ({
  id: row.id,
  event: row.event,
  status: row.state === 'succeeded' ? 'succeeded' : 'failed',
  response_status: row.response_status,
  error: row.error,
  attempted_at: toIso(row.attempted_at),
  duration_ms: row.duration_ms,
  sequence: row.sequence,
});

const ATTEMPT_COLUMNS = `d.id, (SELECT e.event FROM events e WHERE e.seq = d.event_seq) AS event, d.state, d.response_status, d.error,
  d.attempted_at, d.duration_ms, d.sequence`;

/** The last finished attempts of a channel, newest first, limited by the interface specification ("Limits") to 20. */
export async function listAttempts(db: Db, subscriptionId: string): Promise<Attempt[]> {
  const rows = await query<AttemptRow>(
    db,
    `SELECT ${ATTEMPT_COLUMNS} FROM deliveries d WHERE d.subscription_id = ? AND d.sequence IS NOT NULL AND d.state IN ('succeeded', 'failed')
     ORDER BY d.sequence DESC LIMIT ${HISTORY_LENGTH}`,
    [subscriptionId],
  );
  return rows.map(toAttempt);
}

/**
 * The outcome of a delivery.
 * @returns undefined if it was deleted with its channel; without an attempt while it is not finished
 */
export async function findOutcome(db: Db, seq: number): Promise<{ attempt: Attempt | undefined } | undefined> {
  const row = await queryOne<AttemptRow>(db, `SELECT ${ATTEMPT_COLUMNS} FROM deliveries d WHERE d.seq = ?`, [seq]);
  if (!row) return undefined;
  return { attempt: row.state === 'succeeded' || row.state === 'failed' ? toAttempt(row) : undefined };
}

/** Finds the event of a finished attempt, to send it again. */
export const findDelivered = (db: Db, subscriptionId: string, id: string) =>
  queryOne<{ event_seq: number; subject: string }>(
    db,
    "SELECT event_seq, subject FROM deliveries WHERE subscription_id = ? AND id = ? AND state IN ('succeeded', 'failed')",
    [subscriptionId, id],
  );

/** Inserts a delivery that a person requested, ahead of everything pending in the channel. @returns its seq */
export async function insertUrgentDelivery(
  db: Db,
  delivery: { subscriptionId: string; eventSeq: number; subject: string; at: number },
): Promise<number> {
  const [row] = await query<{ seq: number }>(
    db,
    `INSERT INTO deliveries (subscription_id, event_seq, subject, queue, state, committed_at) VALUES (?, ?, ?, 0, 'pending', ?) RETURNING seq`,
    [delivery.subscriptionId, delivery.eventSeq, delivery.subject, delivery.at],
  );
  return (row as { seq: number }).seq;
}

/** An event in a channel's sequence, whatever its outcome. */
export interface SequencedEvent {
  sequence: number;
  delivery_id: string;
  status: 'sending' | 'succeeded' | 'failed';
  error: AttemptError | null;
  event: EventEnvelope;
}

export interface SequenceFilter extends Page {
  after: number;
  event?: string | undefined;
  /** ms */
  occurredSince?: number | undefined;
  /** only the last attempt of each event without a successful or open delivery */
  missed: boolean;
}

const withEvent = (condition: string): string =>
  `EXISTS (SELECT 1 FROM events e WHERE e.seq = t.event_seq AND ${condition})`;

const IS_MISSED = `t.state = 'failed' AND NOT EXISTS (SELECT 1 FROM deliveries o
    WHERE o.event_seq = t.event_seq AND o.subscription_id = t.subscription_id
      AND (o.state IN ('pending', 'sending', 'succeeded') OR o.sequence > t.sequence))
  AND NOT ${withEvent("e.event = 'webhook.test'")}`;

export async function listSequenced(
  db: Db,
  subscriptionId: string,
  { after, event, occurredSince, missed, ...page }: SequenceFilter,
): Promise<Listed<SequencedEvent>> {
  const { rows, total } = await queryPage<{
    sequence: number;
    id: string;
    state: SequencedEvent['status'];
    error: AttemptError | null;
    body: string;
  }>(db, {
    columns: 'sequence, id, state, error, (SELECT e.body FROM events e WHERE e.seq = t.event_seq) AS body',
    table: 'deliveries',
    where: [
      't.subscription_id = ?',
      't.sequence > ?',
      ...(missed ? [IS_MISSED] : []),
      ...(event === undefined ? [] : [withEvent('e.event = ?')]),
      ...(occurredSince === undefined ? [] : [withEvent('e.occurred_at >= ?')]),
    ],
    values: [
      subscriptionId,
      after,
      ...(event === undefined ? [] : [event]),
      ...(occurredSince === undefined ? [] : [occurredSince]),
    ],
    orderBy: 't.sequence',
    limit: page.per_page,
    offset: offsetOf(page),
  });
  const items = rows.map((row) => ({
    sequence: row.sequence,
    delivery_id: row.id,
    status: row.state,
    error: row.error,
    event: JSON.parse(row.body) as EventEnvelope,
  }));
  return { items, total };
}
