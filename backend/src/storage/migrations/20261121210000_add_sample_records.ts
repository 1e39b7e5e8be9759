import { type Db, query } from '../dialect.ts';

/** Marks sample data, so that it can be removed. */
export async function up(db: Db): Promise<void> {
  await query(
    db,
    `CREATE TABLE sample_records (
      account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      record_id TEXT NOT NULL,
      PRIMARY KEY (account_id, kind, record_id)
    )`,
  );
}
