import { type Db, query } from '../dialect.ts';
import { createIndexOnline, lockBriefly } from '../online.ts';

/** Which order of a shop or another system an order is. The index costs nothing for orders that are from none. */
const COLUMNS = ['source TEXT', 'external_id TEXT', 'external_updated_at BIGINT'] as const;

const INDEX = 'orders_external_id';
const INDEXED = 'orders (account_id, external_id, source) WHERE external_id IS NOT NULL';

export async function up(db: Db): Promise<void> {
  for (const column of COLUMNS) await query(db, `ALTER TABLE orders ADD COLUMN ${column}`);
  await query(db, `CREATE UNIQUE INDEX ${INDEX} ON ${INDEXED}`);
}

/** As `up` on PostgreSQL, while others write. */
export async function online(db: Db): Promise<void> {
  await lockBriefly(db, async (trx) => {
    for (const column of COLUMNS) await query(trx, `ALTER TABLE orders ADD COLUMN IF NOT EXISTS ${column}`);
  });
  await createIndexOnline(db, INDEX, INDEXED, 'UNIQUE INDEX');
}
