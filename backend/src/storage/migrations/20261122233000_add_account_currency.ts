import { type Db, query } from '../dialect.ts';

/** Existing accounts get rubles, as do accounts created by the previous release while both run. */
export async function up(db: Db): Promise<void> {
  await query(db, "ALTER TABLE accounts ADD COLUMN currency TEXT NOT NULL DEFAULT 'RUB'");
}
