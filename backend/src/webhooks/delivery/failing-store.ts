import { toIso, toIsoOrNull } from '../../../../common/src/clock.ts';
import { type Db, query } from '../../storage/dialect.ts';
import type { AttemptError } from './attempt.ts';

/** A webhook subscription whose latest attempt failed, or that is paused because attempts failed. */
export interface FailingSubscription {
  id: string;
  name: string;
  /** as displayed: for a chat address only the host */
  url: string;
  consecutive_failures: number;
  paused_at: string | null;
  /** of the latest attempt, as everything below */
  error: AttemptError | null;
  response_status: number | null;
  attempted_at: string;
  event: string;
  /** what the event is about, such as `order:<id>` */
  subject: string;
  /** its name; null if the event has none */
  subject_name: string | null;
}

type Row = Omit<FailingSubscription, 'attempted_at' | 'paused_at' | 'subject_name'> & {
  attempted_at: number;
  paused_at: number | null;
  body: string;
};

/** An account has few of them, because its subscriptions are limited. */
export async function listFailingSubscriptions(db: Db, accountId: string): Promise<FailingSubscription[]> {
  const rows = await query<Row>(
    db,
    `SELECT s.id, s.name, s.url_shown AS url, s.consecutive_failures, s.paused_at, d.error, d.response_status,
       d.attempted_at, e.event, e.subject, e.body
     FROM subscriptions s JOIN deliveries d ON d.seq = (
       SELECT n.seq FROM deliveries n
       WHERE n.subscription_id = s.id AND n.sequence IS NOT NULL
         AND (n.state = 'succeeded' OR (n.state = 'failed' AND n.error <> 'channel_disabled'))
       ORDER BY n.sequence DESC LIMIT 1) JOIN events e ON e.seq = d.event_seq
     WHERE s.account_id = ? AND s.deleted_at IS NULL
       AND ((s.enabled = 1 AND d.state = 'failed') OR s.paused_at IS NOT NULL)
     ORDER BY s.name, s.id`,
    [accountId],
  );
  return rows.map(({ body, ...row }) => ({
    ...row,
    paused_at: toIsoOrNull(row.paused_at),
    attempted_at: toIso(row.attempted_at),
    subject_name: nameIn(body),
  }));
}

/** The name of the order, printer, filament or customer that an event is about. */
function nameIn(body: string): string | null {
  const { data } = JSON.parse(body) as { data: { model_name?: string; printer_name?: string; name?: string } };
  return data.model_name ?? data.printer_name ?? data.name ?? null;
}
