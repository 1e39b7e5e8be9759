import { type Db, query } from '../../storage/dialect.ts';

/**
 * Lists subscriptions with gaps or duplicates in their sequence, and finished deliveries without a sequence or an
 * outcome.
 */
export async function findFaults(db: Db): Promise<string[]> {
  const gaps = await query<{ id: string }>(
    db,
    `SELECT s.id FROM subscriptions s WHERE s.last_sequence - coalesce((SELECT min(d.sequence) FROM deliveries d WHERE d.subscription_id = s.id), s.last_sequence + 1) + 1
       <> (SELECT count(*) FROM deliveries d WHERE d.subscription_id = s.id AND d.sequence IS NOT NULL)`,
  );
  const unfinished = await query<{ seq: number }>(
    db,
    `SELECT seq FROM deliveries WHERE (state IN ('succeeded', 'failed') AND (sequence IS NULL OR id IS NULL OR attempted_at IS NULL) AND NOT (
         sequence IS NULL AND error = 'unsubscribed' AND subscription_id IN (SELECT id FROM subscriptions WHERE deleted_at IS NOT NULL)))
       OR (state = 'failed' AND error IS NULL) OR (state = 'succeeded' AND error IS NOT NULL)`,
  );
  return [
    ...gaps.map(({ id }) => `the numbers of webhook channel ${id} have a gap`),
    ...unfinished.map(({ seq }) => `delivery ${seq} is finished without an outcome`),
  ];
}
