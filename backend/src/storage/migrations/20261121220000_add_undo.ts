import { type Db, query } from '../dialect.ts';

/**
 * Adds ledger entries that undo others. `undoes_id` has no foreign key, because a table that refers to itself cannot be
 * copied row by row; entries are only deleted with their filament. The unique index ensures that an entry is undone
 * once.
 */
export async function up(db: Db): Promise<void> {
  await query(db, 'ALTER TABLE filament_ledger ADD COLUMN booking_id TEXT');
  await query(db, 'ALTER TABLE filament_ledger ADD COLUMN undoes_id TEXT');
  await query(db, 'CREATE INDEX filament_ledger_booking ON filament_ledger (booking_id) WHERE booking_id IS NOT NULL');
  await query(
    db,
    'CREATE UNIQUE INDEX filament_ledger_undoes ON filament_ledger (undoes_id) WHERE undoes_id IS NOT NULL',
  );
  // daily use
  await query(db, "CREATE INDEX filament_ledger_usage ON filament_ledger (filament_id, at) WHERE kind = 'consumption'");
}
