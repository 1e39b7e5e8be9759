import { ACCOUNT } from './columns.ts';

/** Accounts, who may use them, and what belongs to the database as a whole. Tokens, sessions and links are stored as digests. */
export const accountTables: string[] = [
  `CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    currency TEXT NOT NULL DEFAULT 'RUB',
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,

  `CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT,
    read_only SMALLINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
  )`,
  // a name can be reused once its token is revoked
  'CREATE UNIQUE INDEX tokens_live_name ON tokens (account_id, name) WHERE revoked_at IS NULL',

  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    hash TEXT NOT NULL UNIQUE,
    user_agent TEXT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    password_checked_at BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
  )`,
  'CREATE INDEX sessions_account ON sessions (account_id, created_at)',
  'CREATE INDEX sessions_expiry ON sessions (expires_at)',

  'CREATE TABLE setup_links (hash TEXT PRIMARY KEY, created_at BIGINT NOT NULL)',

  // what can be removed as sample data
  `CREATE TABLE sample_records (
    ${ACCOUNT},
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    PRIMARY KEY (account_id, kind, record_id)
  )`,

  // accounts of simulated farms, which are deleted as a whole
  `CREATE TABLE simulations (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    owner_id TEXT UNIQUE REFERENCES accounts (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    started_at BIGINT NOT NULL
  )`,

  `CREATE TABLE idempotency_keys (
    ${ACCOUNT},
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    result TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, key)
  )`,
  'CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)',

  // names shared resources of the processes of this database, such as Redis keys
  'CREATE TABLE deployment (id TEXT PRIMARY KEY)',

  // which process is making one, and the last ones that succeeded and failed; one row
  `CREATE TABLE backup_schedule (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    claimed_by TEXT,
    claimed_until BIGINT,
    started_at BIGINT,
    made_at BIGINT,
    bytes BIGINT,
    failed_at BIGINT
  )`,
];
