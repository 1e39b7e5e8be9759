import { type Db, query } from '../dialect.ts';

/** The state of scheduled backups in one row: which process is making one, and the last ones that succeeded and failed. */
export async function up(db: Db): Promise<void> {
  await query(
    db,
    `CREATE TABLE backup_schedule (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      claimed_by TEXT,
      claimed_until BIGINT,
      started_at BIGINT,
      made_at BIGINT,
      bytes BIGINT,
      failed_at BIGINT
    )`,
  );
  await query(db, 'INSERT INTO backup_schedule (id) VALUES (1)');
}
