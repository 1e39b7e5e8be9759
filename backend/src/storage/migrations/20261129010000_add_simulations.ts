import { type Db, query } from '../dialect.ts';

/** Accounts of simulated farms, which are deleted as a whole. */
export async function up(db: Db): Promise<void> {
  await query(
    db,
    `CREATE TABLE simulations (
       account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
       owner_id TEXT UNIQUE REFERENCES accounts (id) ON DELETE CASCADE,
       code_hash TEXT NOT NULL,
       started_at BIGINT NOT NULL
     )`,
  );
}
