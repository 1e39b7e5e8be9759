import { toIso } from '../../../../common/src/clock.ts';
import { type Db, query } from '../../storage/dialect.ts';
import type { AttemptError } from './attempt.ts';

/** A webhook subscription whose latest attempt failed. */
export interface FailingSubscription {
  id: string;
  name: string;
  /** as displayed: for a chat address only the host */
  url: string;
  error: AttemptError | null;
  response_status: number | null;
  attempted_at: string;
}

/** Enabled subscriptions whose latest attempt failed. An account has few of them, because its subscriptions are limited. */
export async function listFailingSubscriptions(db: Db, accountId: string): Promise<FailingSubscription[]> {
  const rows = await query<Omit<FailingSubscription, 'attempted_at'> & { attempted_at: number }>(
    db,
    `SELECT s.id, s.name, s.url_shown AS url, d.error, d.response_status, d.attempted_at
     FROM subscriptions s JOIN deliveries d ON d.seq = (
       SELECT n.seq FROM deliveries n
       WHERE n.subscription_id = s.id AND n.sequence IS NOT NULL AND n.state IN ('succeeded', 'failed')
       ORDER BY n.sequence DESC LIMIT 1)
     WHERE s.account_id = ? AND s.enabled = 1 AND d.state = 'failed' ORDER BY s.name, s.id`,
    [accountId],
  );
  return rows.map((row) => ({ ...row, attempted_at: toIso(row.attempted_at) }));
}
