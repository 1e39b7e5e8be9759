import { type Db, query } from '../dialect.ts';
import { lockBriefly } from '../online.ts';

/** What a message said about its grams where that is no plausible number. The previous release inserts reports without. */
export async function up(db: Db): Promise<void> {
  await query(db, 'ALTER TABLE print_reports ADD COLUMN grams_text TEXT');
}

/** As `up` on PostgreSQL, while others use the table. The column itself takes no time. */
export const online = (db: Db): Promise<void> =>
  lockBriefly(db, async (trx) => {
    await query(trx, 'ALTER TABLE print_reports ADD COLUMN IF NOT EXISTS grams_text TEXT');
  });
