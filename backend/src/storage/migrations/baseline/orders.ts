import { ACCOUNT } from './columns.ts';

export const orderTables = (serial: string): string[] => [
  `CREATE TABLE printer_groups (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    name TEXT NOT NULL,
    sort_order BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX printer_groups_newest ON printer_groups (account_id, created_at, id)',

  `CREATE TABLE printers (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    group_id TEXT REFERENCES printer_groups (id) ON DELETE SET NULL,
    name TEXT NOT NULL,
    internal_name TEXT NOT NULL,
    model TEXT NOT NULL,
    technology TEXT NOT NULL,
    is_favorite SMALLINT NOT NULL DEFAULT 0,
    sort_order BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX printers_newest ON printers (account_id, created_at, id)',
  'CREATE INDEX printers_group ON printers (group_id)',

  `CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    model_name TEXT NOT NULL,
    quantity_pieces BIGINT NOT NULL,
    material_name TEXT NOT NULL,
    color_hex TEXT NOT NULL,
    material_mg BIGINT NOT NULL,
    print_mh BIGINT NOT NULL,
    due_date TEXT NOT NULL,
    order_notes TEXT NOT NULL,
    workflow_status TEXT NOT NULL,
    printer_id TEXT REFERENCES printers (id) ON DELETE SET NULL,
    customer_name TEXT,
    customer_contact TEXT,
    price BIGINT,
    currency TEXT,
    status_reset_received TEXT,
    search_text TEXT NOT NULL,
    version BIGINT NOT NULL,
    source TEXT,
    external_id TEXT,
    external_updated_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX orders_by_status ON orders (account_id, workflow_status, created_at, id)',
  'CREATE INDEX orders_by_creation ON orders (account_id, created_at, id)',
  'CREATE INDEX orders_by_status_due ON orders (account_id, workflow_status, due_date, id)',
  'CREATE INDEX orders_by_status_updated ON orders (account_id, workflow_status, updated_at, id)',
  'CREATE INDEX orders_status_reset ON orders (account_id) WHERE status_reset_received IS NOT NULL',
  'CREATE INDEX orders_by_printer ON orders (printer_id, workflow_status, created_at, id)',
  // costs nothing for orders that are from no shop
  'CREATE UNIQUE INDEX orders_external_id ON orders (account_id, external_id, source) WHERE external_id IS NOT NULL',

  `CREATE TABLE order_history (
    seq ${serial},
    id TEXT NOT NULL UNIQUE,
    order_id TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    from_status TEXT,
    to_status TEXT,
    received TEXT,
    filament_id TEXT,
    grams_mg BIGINT,
    cost_minor BIGINT,
    note TEXT,
    account_id TEXT
  )`,
  'CREATE INDEX order_history_order ON order_history (order_id, seq)',
  // the days on which orders were done or failed; partial, so that other writes cost the same
  "CREATE INDEX order_history_outcomes ON order_history (account_id, to_status, at, order_id) WHERE to_status IN ('done', 'print_error')",
];
