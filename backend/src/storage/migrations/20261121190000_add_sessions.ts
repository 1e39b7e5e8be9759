import { type Db, query } from '../dialect.ts';

/** Adds console sessions and setup links. Both store digests only. */
export async function up(db: Db): Promise<void> {
  await query(
    db,
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      hash TEXT NOT NULL UNIQUE,
      user_agent TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      last_used_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL
    )`,
  );
  await query(db, 'CREATE INDEX sessions_account ON sessions (account_id, created_at)');
  await query(db, 'CREATE INDEX sessions_expiry ON sessions (expires_at)');
  await query(db, 'CREATE TABLE set_up_links (hash TEXT PRIMARY KEY, created_at BIGINT NOT NULL)');
}
