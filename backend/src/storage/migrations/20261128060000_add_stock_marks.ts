import { type Db, query } from '../dialect.ts';
import { createIndexOnline, lockBriefly } from '../online.ts';

/**
 * What a batch holds beyond its label, and what a ledger entry came from: the count of a stocktake (of one batch or of
 * all), and whether a print report or a request deducted. Entries of earlier releases don't say, and read as a count of
 * all batches and as neither.
 */
const COLUMNS = [
  ['filament_batches', 'surplus_mg BIGINT NOT NULL DEFAULT 0'],
  ['filament_ledger', 'source TEXT'],
  ['filament_ledger', 'counted_mg BIGINT'],
  ['filament_ledger', 'counted_batch SMALLINT NOT NULL DEFAULT 0'],
] as const;

/** For the newest stocktake after an entry, and for the other deductions of an order within a day. */
const ADDED = {
  filament_ledger_counts: "filament_ledger (filament_id, seq) WHERE kind = 'adjustment'",
  filament_ledger_order_at: 'filament_ledger (order_id, at)',
};
const REPLACED = 'filament_ledger_order';

export async function up(db: Db): Promise<void> {
  for (const [table, column] of COLUMNS) await query(db, `ALTER TABLE ${table} ADD COLUMN ${column}`);
  for (const [name, on] of Object.entries(ADDED)) await query(db, `CREATE INDEX ${name} ON ${on}`);
  await query(db, `DROP INDEX ${REPLACED}`);
}

/** As `up` on PostgreSQL, while others write. */
export async function online(db: Db): Promise<void> {
  for (const [table, column] of COLUMNS) {
    await lockBriefly(db, async (trx) => {
      await query(trx, `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column}`);
    });
  }
  for (const [name, on] of Object.entries(ADDED)) await createIndexOnline(db, name, on);
  await query(db, `DROP INDEX CONCURRENTLY IF EXISTS ${REPLACED}`);
}
