import { type Db, query } from '../dialect.ts';

/**
 * Adds what agents sent and the server refused. A report of a group's agent that doesn't say which printer it is from
 * belongs to the group.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of [
    `CREATE TABLE refused_reports (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      printer_id TEXT REFERENCES printers (id) ON DELETE CASCADE,
      printer_group_id TEXT REFERENCES printer_groups (id) ON DELETE CASCADE,
      content_hash TEXT NOT NULL,
      source TEXT NOT NULL,
      agent_name TEXT NOT NULL,
      event_id TEXT,
      filename TEXT,
      body TEXT,
      code TEXT NOT NULL,
      reason TEXT NOT NULL,
      received_count BIGINT NOT NULL,
      received_at BIGINT NOT NULL,
      last_received_at BIGINT NOT NULL,
      CHECK ((printer_id IS NULL) <> (printer_group_id IS NULL))
    )`,
    'CREATE UNIQUE INDEX refused_reports_content ON refused_reports (coalesce(printer_id, printer_group_id), content_hash)',
    'CREATE INDEX refused_reports_account ON refused_reports (account_id, last_received_at)',
    'CREATE INDEX refused_reports_printer ON refused_reports (printer_id)',
    'CREATE INDEX refused_reports_group ON refused_reports (printer_group_id)',
    'CREATE INDEX refused_reports_expired ON refused_reports (last_received_at)',
  ]) {
    await query(db, statement);
  }
}
