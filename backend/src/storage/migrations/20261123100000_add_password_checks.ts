import { type Db, query } from '../dialect.ts';

/** Sessions of the previous release are asked for the password when they need it. */
export async function up(db: Db): Promise<void> {
  await query(db, 'ALTER TABLE sessions ADD COLUMN password_checked_at BIGINT NOT NULL DEFAULT 0');
}
