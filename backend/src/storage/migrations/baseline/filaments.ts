import { ACCOUNT } from './columns.ts';

/**
 * A batch holds what its label says and `surplus_mg` beyond it. A ledger entry says what it came from: the count of a
 * stocktake (of one batch or of all), or whether a print report or a request deducted. `undoes_id` has no foreign key,
 * because a table that refers to itself cannot be copied row by row; entries are only deleted with their filament.
 */
export const filamentTables = (serial: string): string[] => [
  `CREATE TABLE filaments (
    id TEXT PRIMARY KEY,
    ${ACCOUNT},
    name TEXT NOT NULL,
    brand TEXT NOT NULL,
    type_name TEXT NOT NULL,
    colors TEXT NOT NULL,
    is_gradient SMALLINT NOT NULL DEFAULT 0,
    spool_weight_mg BIGINT NOT NULL CHECK (spool_weight_mg > 0),
    low_stock_threshold_mg BIGINT NOT NULL DEFAULT 0,
    spool_count BIGINT NOT NULL DEFAULT 0,
    used_mg BIGINT NOT NULL DEFAULT 0,
    search_text TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX filaments_newest ON filaments (account_id, created_at, id)',

  `CREATE TABLE filament_batches (
    seq ${serial},
    id TEXT NOT NULL UNIQUE,
    filament_id TEXT NOT NULL REFERENCES filaments (id) ON DELETE CASCADE,
    received_at BIGINT NOT NULL,
    spool_count BIGINT NOT NULL CHECK (spool_count > 0),
    used_mg BIGINT NOT NULL DEFAULT 0 CHECK (used_mg >= 0),
    spool_price_minor BIGINT,
    needs_review SMALLINT NOT NULL DEFAULT 0,
    archived_at BIGINT,
    surplus_mg BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
  )`,
  'CREATE INDEX filament_batches_fifo ON filament_batches (filament_id, received_at, seq)',

  `CREATE TABLE filament_ledger (
    seq ${serial},
    id TEXT NOT NULL UNIQUE,
    filament_id TEXT NOT NULL REFERENCES filaments (id) ON DELETE CASCADE,
    batch_id TEXT NOT NULL REFERENCES filament_batches (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    grams_mg BIGINT NOT NULL,
    cost_minor BIGINT,
    order_id TEXT REFERENCES orders (id) ON DELETE SET NULL,
    printer_id TEXT REFERENCES printers (id) ON DELETE SET NULL,
    note TEXT,
    overdraw SMALLINT NOT NULL DEFAULT 0,
    actor TEXT NOT NULL,
    at BIGINT NOT NULL,
    deduction_id TEXT,
    undoes_id TEXT,
    source TEXT,
    counted_mg BIGINT,
    counted_batch SMALLINT NOT NULL DEFAULT 0
  )`,
  'CREATE INDEX filament_ledger_filament ON filament_ledger (filament_id, seq)',
  'CREATE INDEX filament_ledger_batch ON filament_ledger (batch_id)',
  'CREATE INDEX filament_ledger_printer ON filament_ledger (printer_id)',
  'CREATE INDEX filament_ledger_deduction ON filament_ledger (deduction_id) WHERE deduction_id IS NOT NULL',
  // ensures that an entry is undone once
  'CREATE UNIQUE INDEX filament_ledger_undoes ON filament_ledger (undoes_id) WHERE undoes_id IS NOT NULL',
  // daily use
  "CREATE INDEX filament_ledger_usage ON filament_ledger (filament_id, at) WHERE kind = 'consumption'",
  // the newest stocktake after an entry
  "CREATE INDEX filament_ledger_counts ON filament_ledger (filament_id, seq) WHERE kind = 'adjustment'",
  // the other deductions of an order within a day
  'CREATE INDEX filament_ledger_order_at ON filament_ledger (order_id, at)',
];
