import { ACCOUNT } from './columns.ts';

/**
 * Deleting a printer deletes its agents, rules and reports; deleting a group deletes its agents. Reports store the
 * agent's name as text, so that it stays readable after the agent is deleted. A refused report of a group's agent that
 * doesn't say which printer it is from belongs to the group.
 */
export const printTables = (serial: string): string[] => [
  `CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    printer_id TEXT REFERENCES printers (id) ON DELETE CASCADE,
    printer_group_id TEXT REFERENCES printer_groups (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    signed_only SMALLINT NOT NULL DEFAULT 0,
    last_used_at BIGINT,
    revoked_at BIGINT,
    created_at BIGINT NOT NULL,
    CHECK ((printer_id IS NULL) <> (printer_group_id IS NULL))
  )`,
  'CREATE INDEX agents_live ON agents (account_id, created_at, id) WHERE revoked_at IS NULL',
  'CREATE INDEX agents_printer ON agents (printer_id)',
  'CREATE INDEX agents_group ON agents (printer_group_id)',

  `CREATE TABLE printer_rules (
    printer_id TEXT PRIMARY KEY REFERENCES printers (id) ON DELETE CASCADE,
    deduct_grams SMALLINT NOT NULL,
    loaded_filament_id TEXT REFERENCES filaments (id) ON DELETE SET NULL,
    on_finished TEXT,
    on_failed TEXT,
    on_cancelled TEXT,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX printer_rules_filament ON printer_rules (loaded_filament_id)',

  `CREATE TABLE print_reports (
    seq ${serial},
    id TEXT NOT NULL UNIQUE,
    ${ACCOUNT},
    printer_id TEXT NOT NULL REFERENCES printers (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    print_key TEXT,
    source TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    filename TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('finished', 'failed', 'cancelled')),
    at BIGINT NOT NULL,
    grams_mg BIGINT,
    reason TEXT,
    order_id TEXT REFERENCES orders (id) ON DELETE SET NULL,
    filament_id TEXT REFERENCES filaments (id) ON DELETE SET NULL,
    deducted_mg BIGINT,
    moved_to TEXT,
    notes TEXT NOT NULL,
    held_until BIGINT,
    received_at BIGINT NOT NULL,
    grams_text TEXT,
    UNIQUE (printer_id, event_id)
  )`,
  'CREATE INDEX print_reports_newest ON print_reports (printer_id, seq)',
  'CREATE INDEX print_reports_account ON print_reports (account_id, at)',
  'CREATE INDEX print_reports_order ON print_reports (order_id)',
  'CREATE INDEX print_reports_filament ON print_reports (filament_id)',
  // small, because reports are held for seconds only
  'CREATE INDEX print_reports_held ON print_reports (held_until) WHERE held_until IS NOT NULL',

  `CREATE TABLE refused_reports (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
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
];
