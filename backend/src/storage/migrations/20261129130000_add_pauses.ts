import { type Db, query } from '../dialect.ts';
import { lockBriefly } from '../online.ts';

/**
 * After how many failures a subscription is paused, since when it is, and the position in the log of the last event
 * before it was disabled, by that or by its owner.
 */
const COLUMNS = ['pause_after_failures BIGINT', 'paused_at BIGINT', 'missed_after BIGINT'] as const;

export async function up(db: Db): Promise<void> {
  for (const column of COLUMNS) await query(db, `ALTER TABLE subscriptions ADD COLUMN ${column}`);
}

/** As `up` on PostgreSQL, while others send deliveries. */
export const online = (db: Db): Promise<void> =>
  lockBriefly(db, async (trx) => {
    for (const column of COLUMNS) await query(trx, `ALTER TABLE subscriptions ADD COLUMN IF NOT EXISTS ${column}`);
  });
