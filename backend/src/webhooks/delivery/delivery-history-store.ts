import { toIso } from '../../../../common/src/clock.ts';
import type { EventEnvelope, EventName } from '../../events/catalog.ts';
import type { Listed, Page } from '../../shared/pagination.ts';
import { type Db, placeholders, query, queryOne } from '../../storage/dialect.ts';
import { queryPage, toLimits } from '../../storage/page.ts';
import type { SubscriptionFormat } from '../formats/formats.ts';
import { HISTORY_LENGTH } from '../subscriptions/subscription.ts';
import type { Attempt } from '../subscriptions/subscription-schema.ts';
import type { AttemptError, DeliveryState } from './attempt.ts';
import type { EncryptedSecrets } from './render.ts';

interface AttemptRow {
  id: string;
  event: EventName;
  state: DeliveryState;
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

/**
 * The last finished attempts of a subscription, newest first, limited by the interface specification ("Limits") to 20.
 */
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
 * @returns undefined if it was deleted with its subscription; without an attempt while it is not finished
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

/** An event in a subscription's sequence, whatever its outcome. */
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
  const { rows, total, next } = await queryPage<{
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
    ...toLimits(page),
  });
  const items = rows.map((row) => ({
    sequence: row.sequence,
    delivery_id: row.id,
    status: row.state,
    error: row.error,
    event: JSON.parse(row.body) as EventEnvelope,
  }));
  return { items, total, next };
}

export interface DeliveryRow {
  event_seq: number;
  /** null until claimed */
  id: string | null;
  subscription_id: string;
  subscription_name: string;
  state: DeliveryState;
  response_status: number | null;
  error: AttemptError | null;
  attempted_at: number | null;
  duration_ms: number | null;
  sequence: number | null;
}

/** The deliveries of the given events, in commit order. */
export async function listDeliveriesOf(db: Db, eventSeqs: number[]): Promise<DeliveryRow[]> {
  if (eventSeqs.length === 0) return [];
  return query<DeliveryRow>(
    db,
    `SELECT d.event_seq, d.id, d.subscription_id, s.name AS subscription_name, d.state, d.response_status, d.error,
       d.attempted_at, d.duration_ms, d.sequence
     FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id AND s.deleted_at IS NULL
     WHERE d.event_seq IN ${placeholders(1, eventSeqs.length)} ORDER BY d.seq`,
    eventSeqs,
  );
}

export interface SentRow extends EncryptedSecrets {
  id: string;
  sequence: number;
  event_id: string;
  event: EventName;
  body: string;
  traceparent: string | null;
  format: SubscriptionFormat;
  url_encrypted: string;
  subscription_updated_at: number;
}

/** Finds one attempt with everything its request was rendered from; undefined if it belongs to another account. */
export const findSent = (db: Db, accountId: string, id: string): Promise<SentRow | undefined> =>
  queryOne<SentRow>(
    db,
    `SELECT d.id, d.sequence, d.attempted_at, e.id AS event_id, e.event, e.body, e.traceparent, s.id AS subscription_id, s.format,
       s.url_encrypted, s.secret_encrypted, s.previous_secret_encrypted, s.previous_secret_until, s.header_name, s.header_value_encrypted,
       s.updated_at AS subscription_updated_at
     FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id JOIN events e ON e.seq = d.event_seq
     WHERE d.id = ? AND s.account_id = ? AND s.deleted_at IS NULL`,
    [id, accountId],
  );
