import { type Db, query } from '../dialect.ts';
import { lockBriefly } from '../online.ts';

/** The trace of the request that caused an event. The previous release inserts events without one. */
export async function up(db: Db): Promise<void> {
  await query(db, 'ALTER TABLE events ADD COLUMN traceparent TEXT');
}

/** As `up` on PostgreSQL, while others use the table. The column itself takes no time. */
export const online = (db: Db): Promise<void> =>
  lockBriefly(db, async (trx) => {
    await query(trx, 'ALTER TABLE events ADD COLUMN IF NOT EXISTS traceparent TEXT');
  });
