import { ACCOUNT } from './columns.ts';

/** A deleted channel keeps its row, without a slot, so that it can be continued. */
export const webhookTables = (serial: string): string[] => [
  `CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    slot SMALLINT CHECK (slot BETWEEN 0 AND 9),
    name TEXT NOT NULL,
    url_encrypted TEXT NOT NULL,
    url_shown TEXT NOT NULL,
    format TEXT NOT NULL,
    secret_encrypted TEXT,
    enabled SMALLINT NOT NULL,
    last_sequence BIGINT NOT NULL DEFAULT 0,
    client_key TEXT,
    deleted_at BIGINT,
    filter TEXT,
    header_name TEXT,
    header_value_encrypted TEXT,
    consecutive_failures BIGINT NOT NULL DEFAULT 0,
    last_success_at BIGINT,
    last_error TEXT,
    previous_secret_encrypted TEXT,
    previous_secret_until BIGINT,
    pause_after_failures BIGINT,
    paused_at BIGINT,
    missed_after BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (account_id, slot)
  )`,
  'CREATE INDEX subscriptions_newest ON subscriptions (account_id, created_at, id)',
  'CREATE UNIQUE INDEX subscriptions_client_key ON subscriptions (account_id, client_key)',

  `CREATE TABLE subscription_events (
    subscription_id TEXT NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    event TEXT NOT NULL,
    PRIMARY KEY (subscription_id, event)
  )`,

  `CREATE TABLE events (
    seq ${serial},
    id TEXT NOT NULL UNIQUE,
    ${ACCOUNT},
    event TEXT NOT NULL,
    subject TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    body TEXT NOT NULL,
    traceparent TEXT
  )`,
  'CREATE INDEX events_account ON events (account_id, seq)',
  'CREATE INDEX events_age ON events (occurred_at)',
  'CREATE INDEX events_by_kind ON events (account_id, event, seq)',

  `CREATE TABLE deliveries (
    seq ${serial},
    id TEXT UNIQUE,
    subscription_id TEXT NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    event_seq BIGINT NOT NULL REFERENCES events (seq) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    queue SMALLINT NOT NULL DEFAULT 1,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'succeeded', 'failed')),
    committed_at BIGINT NOT NULL,
    sequence BIGINT,
    claimed_by TEXT,
    claimed_until BIGINT,
    attempted_at BIGINT,
    duration_ms BIGINT,
    response_status BIGINT,
    error TEXT,
    UNIQUE (subscription_id, sequence)
  )`,
  // read by drains and the sweep; partial, so that finished rows do not grow it
  "CREATE INDEX deliveries_open ON deliveries (subscription_id, state, queue, seq) WHERE state IN ('pending', 'sending')",
  'CREATE INDEX deliveries_event ON deliveries (event_seq)',
];
