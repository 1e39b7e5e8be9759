import { type Db, query } from '../dialect.ts';

/**
 * Lines of the ledger that take back others. `undoes_id` has no foreign key: a table that refers to itself cannot be copied row by
 * row, and lines are never deleted but with their filament. The unique index is what makes an undo happen once.
 */
export async function up(db: Db): Promise<void> {
  await query(db, 'ALTER TABLE filament_ledger ADD COLUMN booking_id TEXT');
  await query(db, 'ALTER TABLE filament_ledger ADD COLUMN undoes_id TEXT');
  await query(db, 'CREATE INDEX filament_ledger_booking ON filament_ledger (booking_id) WHERE booking_id IS NOT NULL');
  await query(
    db,
    'CREATE UNIQUE INDEX filament_ledger_undoes ON filament_ledger (undoes_id) WHERE undoes_id IS NOT NULL',
  );
  // what was used day by day
  await query(db, "CREATE INDEX filament_ledger_usage ON filament_ledger (filament_id, at) WHERE kind = 'consumption'");
}
