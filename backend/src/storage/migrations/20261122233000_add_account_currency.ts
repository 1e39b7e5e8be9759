import { type Db, query } from '../dialect.ts';

/** Accounts of before count in roubles, as do those that the previous release makes beside this one. */
export async function up(db: Db): Promise<void> {
  await query(db, "ALTER TABLE accounts ADD COLUMN currency TEXT NOT NULL DEFAULT 'RUB'");
}
