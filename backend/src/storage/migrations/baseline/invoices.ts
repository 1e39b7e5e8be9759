import { ACCOUNT } from './columns.ts';

/** Amounts are in minor units of the adjacent `currency`. Payment details of customers are never stored. */
export const invoiceTables = (serial: string): string[] => [
  `CREATE TABLE invoice_sellers (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    address TEXT NOT NULL,
    tax_id TEXT NOT NULL,
    bank_details TEXT NOT NULL,
    payment_note TEXT NOT NULL,
    default_currency TEXT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,

  // the last number issued; its row serializes concurrent issues
  `CREATE TABLE invoice_counters (
    ${ACCOUNT},
    year BIGINT NOT NULL,
    last_number BIGINT NOT NULL,
    PRIMARY KEY (account_id, year)
  )`,

  `CREATE TABLE invoices (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    state TEXT NOT NULL CHECK (state IN ('draft', 'issued', 'void')),
    number TEXT,
    number_year BIGINT,
    number_place BIGINT,
    customer_name TEXT NOT NULL,
    customer_details TEXT NOT NULL,
    language TEXT NOT NULL,
    note TEXT NOT NULL,
    currency TEXT NOT NULL,
    total_minor BIGINT NOT NULL,
    received_minor BIGINT NOT NULL DEFAULT 0,
    due_date TEXT,
    issue_date TEXT,
    document TEXT,
    document_sha256 TEXT,
    pay_hash TEXT UNIQUE,
    pay_encrypted TEXT,
    checkout_try BIGINT NOT NULL DEFAULT 0,
    search_text TEXT NOT NULL,
    issued_at BIGINT,
    paid_at BIGINT,
    voided_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (account_id, number_year, number_place),
    CHECK ((state = 'draft') = (number IS NULL)),
    CHECK ((number IS NULL) = (document IS NULL))
  )`,
  'CREATE INDEX invoices_newest ON invoices (account_id, created_at, id)',
  'CREATE INDEX invoices_number ON invoices (account_id, number)',

  `CREATE TABLE invoice_lines (
    invoice_id TEXT NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    order_id TEXT REFERENCES orders (id) ON DELETE SET NULL,
    description TEXT NOT NULL,
    quantity BIGINT NOT NULL,
    unit_price_minor BIGINT NOT NULL,
    PRIMARY KEY (invoice_id, place)
  )`,
  'CREATE INDEX invoice_lines_order ON invoice_lines (order_id)',

  // the rendered PDFs of issued invoices, as base64 text like all files
  `CREATE TABLE invoice_pdfs (
    invoice_id TEXT PRIMARY KEY REFERENCES invoices (id) ON DELETE CASCADE,
    content TEXT NOT NULL
  )`,

  `CREATE TABLE payment_providers (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    kind TEXT NOT NULL CHECK (kind IN ('stripe', 'notification')),
    name TEXT NOT NULL,
    enabled SMALLINT NOT NULL,
    is_test SMALLINT NOT NULL,
    key_encrypted TEXT,
    secret_encrypted TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX payment_providers_newest ON payment_providers (account_id, created_at, id)',

  `CREATE TABLE invoice_payments (
    seq ${serial},
    id TEXT NOT NULL UNIQUE,
    ${ACCOUNT},
    invoice_id TEXT REFERENCES invoices (id) ON DELETE CASCADE,
    provider_id TEXT REFERENCES payment_providers (id) ON DELETE SET NULL,
    source TEXT NOT NULL CHECK (source IN ('stripe', 'notification', 'manual')),
    event_id TEXT,
    payment_id TEXT,
    reference TEXT,
    named_invoice TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('payment', 'refund')),
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    currency TEXT NOT NULL,
    counts SMALLINT NOT NULL,
    payer TEXT,
    note TEXT,
    raw TEXT,
    needs_review SMALLINT NOT NULL,
    reason TEXT,
    reviewed_at BIGINT,
    at BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL,
    UNIQUE (provider_id, event_id),
    UNIQUE (provider_id, kind, payment_id)
  )`,
  'CREATE INDEX invoice_payments_invoice ON invoice_payments (invoice_id, seq)',
  'CREATE INDEX invoice_payments_reference ON invoice_payments (provider_id, reference)',
  'CREATE INDEX invoice_payments_review ON invoice_payments (account_id, seq) WHERE needs_review = 1 AND reviewed_at IS NULL',
];
