import type { EventName } from '../../events/catalogue.ts';
import { type Listed, offsetOf, type Page } from '../../shared/schemas.ts';
import { type Db, placeholders, query, queryOne } from '../../storage/dialect.ts';
import { queryPage } from '../../storage/page.ts';
import type { AttemptError, ChannelFormat } from './attempt.ts';

export interface EventRow {
  seq: number;
  id: string;
  event: EventName;
  subject: string;
  occurred_at: number;
  body: string;
}

export interface DeliveryRow {
  event_seq: number;
  /** null until claimed */
  id: string | null;
  channel_id: string;
  channel_name: string;
  state: 'pending' | 'sending' | 'succeeded' | 'failed';
  response_status: number | null;
  error: AttemptError | null;
  attempted_at: number | null;
  duration_ms: number | null;
  sequence: number | null;
}

export const listEventRows = (
  db: Db,
  accountId: string,
  event: EventName | undefined,
  page: Page,
): Promise<Listed<EventRow>> =>
  queryPage<EventRow>(db, {
    columns: 'seq, id, event, subject, occurred_at, body',
    table: 'events',
    where: ['t.account_id = ?', ...(event ? ['t.event = ?'] : [])],
    values: [accountId, ...(event ? [event] : [])],
    orderBy: 't.seq DESC',
    limit: page.per_page,
    offset: offsetOf(page),
  }).then(({ rows, total }) => ({ items: rows, total }));

/** The deliveries of the given events, in commit order. */
export async function listDeliveriesOf(db: Db, eventSeqs: number[]): Promise<DeliveryRow[]> {
  if (eventSeqs.length === 0) return [];
  return query<DeliveryRow>(
    db,
    `SELECT d.event_seq, d.id, d.subscription_id AS channel_id, s.name AS channel_name, d.state, d.response_status, d.error,
       d.attempted_at, d.duration_ms, d.sequence
     FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
     WHERE d.event_seq IN ${placeholders(1, eventSeqs.length)} ORDER BY d.seq`,
    eventSeqs,
  );
}

export interface SentRow {
  id: string;
  sequence: number;
  attempted_at: number;
  event: EventName;
  body: string;
  channel_id: string;
  format: ChannelFormat;
  url_sealed: string;
  secret_sealed: string | null;
  channel_updated_at: number;
}

/** Finds one attempt with everything its request was rendered from; undefined if it belongs to another account. */
export const findSent = (db: Db, accountId: string, id: string): Promise<SentRow | undefined> =>
  queryOne<SentRow>(
    db,
    `SELECT d.id, d.sequence, d.attempted_at, e.event, e.body, s.id AS channel_id, s.format, s.url_sealed, s.secret_sealed,
       s.updated_at AS channel_updated_at
     FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id JOIN events e ON e.seq = d.event_seq
     WHERE d.id = ? AND s.account_id = ?`,
    [id, accountId],
  );
