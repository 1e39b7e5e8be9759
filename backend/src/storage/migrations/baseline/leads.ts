import { ACCOUNT } from './columns.ts';

/**
 * Public profiles and their requests. Uploads are stored in `file_chunks` as base64 text in rows of about 64 kB, so that
 * backup, move and restore include them. `lead_limits` stores the times of recent requests per limit key; rows are locked
 * while counting, so that the limits hold across processes.
 */
export const leadTables: string[] = [
  `CREATE TABLE profiles (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    slug TEXT NOT NULL UNIQUE,
    is_public SMALLINT NOT NULL DEFAULT 0,
    headline TEXT NOT NULL,
    about TEXT NOT NULL,
    materials TEXT NOT NULL,
    contact TEXT NOT NULL,
    photos TEXT NOT NULL,
    search_text TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX profiles_public ON profiles (created_at, account_id) WHERE is_public = 1',

  `CREATE TABLE files (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    purpose TEXT NOT NULL CHECK (purpose IN ('lead', 'photo')),
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  'CREATE INDEX files_account ON files (account_id, purpose)',

  `CREATE TABLE file_chunks (
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (file_id, number)
  )`,

  `CREATE TABLE leads (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    state TEXT NOT NULL CHECK (state IN ('new', 'answered', 'archived')),
    description TEXT NOT NULL,
    contact TEXT NOT NULL,
    client_email TEXT NOT NULL,
    budget TEXT NOT NULL,
    deadline TEXT NOT NULL,
    file_id TEXT REFERENCES files (id) ON DELETE SET NULL,
    order_id TEXT REFERENCES orders (id) ON DELETE SET NULL,
    fingerprint TEXT NOT NULL UNIQUE,
    search_text TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX leads_newest ON leads (account_id, created_at, id)',
  'CREATE INDEX leads_by_state ON leads (account_id, state, created_at, id)',
  'CREATE INDEX leads_file ON leads (file_id)',
  'CREATE INDEX leads_order ON leads (order_id)',

  'CREATE TABLE lead_limits (key TEXT PRIMARY KEY, times TEXT NOT NULL, last_at BIGINT NOT NULL)',
  'CREATE INDEX lead_limits_age ON lead_limits (last_at)',
];
