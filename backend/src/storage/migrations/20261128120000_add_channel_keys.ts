import { type Db, isPostgres, query } from '../dialect.ts';
import { createIndexOnline, lockBriefly } from '../online.ts';

/**
 * Webhook channels that can be continued after they were deleted, and what their last attempts say about the receiver:
 * attempts before the upgrade aren't counted. The filter and the extra header of a channel are for later.
 */
const COLUMNS = [
  'client_key TEXT',
  'deleted_at BIGINT',
  'filter TEXT',
  'header_name TEXT',
  'header_value_sealed TEXT',
  'consecutive_failures BIGINT NOT NULL DEFAULT 0',
  'last_success_at BIGINT',
  'last_error TEXT',
] as const;

const KEY_INDEX = 'subscriptions_client_key';
const KEY_COLUMNS = 'subscriptions (account_id, client_key)';

export async function up(db: Db): Promise<void> {
  for (const column of COLUMNS) await query(db, `ALTER TABLE subscriptions ADD COLUMN ${column}`);
  await query(db, `CREATE UNIQUE INDEX ${KEY_INDEX} ON ${KEY_COLUMNS}`);
  await (isPostgres(db) ? query(db, 'ALTER TABLE subscriptions ALTER COLUMN slot DROP NOT NULL') : allowNoSlot(db));
}

/**
 * A deleted channel has no slot. SQLite can't drop a NOT NULL, and a new table would have to replace the one that all
 * deliveries refer to. So the stored definition is edited, as https://www.sqlite.org/lang_altertable.html#otheralter
 * describes for changes that don't affect stored rows.
 */
async function allowNoSlot(db: Db): Promise<void> {
  await query(db, 'PRAGMA writable_schema = ON');
  const changed = await query(
    db,
    `UPDATE sqlite_schema SET sql = replace(sql, 'slot SMALLINT NOT NULL CHECK', 'slot SMALLINT CHECK')
     WHERE type = 'table' AND name = 'subscriptions' AND sql LIKE '%slot SMALLINT NOT NULL CHECK%' RETURNING name`,
  );
  if (changed.length !== 1) throw new Error('The table of webhook channels has another definition than expected.');
  const [{ schema_version: version }] = (await query<{ schema_version: number }>(db, 'PRAGMA schema_version')) as [
    { schema_version: number },
  ];
  // tells other connections to read the definition again; RESET tells this one
  await query(db, `PRAGMA schema_version = ${version + 1}`);
  await query(db, 'PRAGMA writable_schema = RESET');
}

/** As `up` on PostgreSQL, while others send deliveries. */
export async function online(db: Db): Promise<void> {
  await lockBriefly(db, async (trx) => {
    for (const column of COLUMNS) await query(trx, `ALTER TABLE subscriptions ADD COLUMN IF NOT EXISTS ${column}`);
    await query(trx, 'ALTER TABLE subscriptions ALTER COLUMN slot DROP NOT NULL');
  });
  await createIndexOnline(db, KEY_INDEX, KEY_COLUMNS, 'UNIQUE INDEX');
}
