import { type Db, query } from '../dialect.ts';
import { lockBriefly } from '../online.ts';

const COLUMN = 'read_only SMALLINT NOT NULL DEFAULT 0';

/** Access tokens that can only read. The previous release creates tokens with full access. */
export async function up(db: Db): Promise<void> {
  await query(db, `ALTER TABLE tokens ADD COLUMN ${COLUMN}`);
}

/** As `up` on PostgreSQL, while others use the table. The column itself takes no time. */
export const online = (db: Db): Promise<void> =>
  lockBriefly(db, async (trx) => {
    await query(trx, `ALTER TABLE tokens ADD COLUMN IF NOT EXISTS ${COLUMN}`);
  });
