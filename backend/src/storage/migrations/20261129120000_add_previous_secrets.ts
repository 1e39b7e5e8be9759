import { type Db, query } from '../dialect.ts';
import { lockBriefly } from '../online.ts';

/** The secret that a new one replaced, for as long as both are valid. */
const COLUMNS = ['previous_secret_sealed TEXT', 'previous_secret_until BIGINT'] as const;

export async function up(db: Db): Promise<void> {
  for (const column of COLUMNS) await query(db, `ALTER TABLE subscriptions ADD COLUMN ${column}`);
}

/** As `up` on PostgreSQL, while others send deliveries. */
export const online = (db: Db): Promise<void> =>
  lockBriefly(db, async (trx) => {
    for (const column of COLUMNS) await query(trx, `ALTER TABLE subscriptions ADD COLUMN IF NOT EXISTS ${column}`);
  });
