import { type Db, query } from '../storage/dialect.ts';

/** Violated invariants of the stored stock, of all accounts, one sentence each. Reads only. */
export async function findStockFaults(db: Db): Promise<string[]> {
  const faults = [
    await differingSums(db),
    await differingLedgers(db),
    await brokenUndos(db),
    await strayLedgerEntries(db),
    await unmarkedOverdraws(db),
    await brokenOrder(db),
  ];
  return faults.flat();
}

/** A filament's row keeps sums over its unarchived batches. */
async function differingSums(db: Db): Promise<string[]> {
  const rows = await query<{ id: string; spool_count: number; used_mg: number; spools: number; used: number }>(
    db,
    `SELECT * FROM (
       SELECT f.id, f.spool_count, f.used_mg, coalesce(b.spools, 0) AS spools, coalesce(b.used, 0) AS used FROM filaments f
       LEFT JOIN (SELECT filament_id, CAST(sum(spool_count) AS BIGINT) AS spools, CAST(sum(used_mg - surplus_mg) AS BIGINT) AS used
         FROM filament_batches WHERE archived_at IS NULL GROUP BY filament_id) b ON b.filament_id = f.id) s
     WHERE s.spool_count <> s.spools OR s.used_mg <> s.used ORDER BY s.id`,
  );
  return rows.map(
    (row) =>
      `Filament ${row.id} says ${row.spool_count} spools and ${row.used_mg} mg used, but its unarchived batches ${row.spools} and ${row.used}.`,
  );
}

/**
 * A batch's ledger entries add up to what it received and what was used. An undo counts toward the entry it reverses; a
 * batch whose receipt was undone is archived.
 */
async function differingLedgers(db: Db): Promise<string[]> {
  const rows = await query<{ id: string; used_mg: number; consumed: number; capacity: number; received: number }>(
    db,
    `SELECT * FROM (
       SELECT b.id, b.used_mg - b.surplus_mg AS used_mg, coalesce(l.consumed, 0) AS consumed, b.spool_count * f.spool_weight_mg AS capacity,
         coalesce(l.received, 0) AS received, b.archived_at
       FROM filament_batches b JOIN filaments f ON f.id = b.filament_id
       LEFT JOIN (SELECT e.batch_id, CAST(sum(CASE WHEN coalesce(u.kind, e.kind) = 'receipt' THEN 0 ELSE -e.grams_mg END) AS BIGINT) AS consumed,
           CAST(sum(CASE WHEN coalesce(u.kind, e.kind) = 'receipt' THEN e.grams_mg ELSE 0 END) AS BIGINT) AS received
         FROM filament_ledger e LEFT JOIN filament_ledger u ON u.id = e.undoes_id GROUP BY e.batch_id) l ON l.batch_id = b.id) s
     WHERE s.used_mg <> s.consumed OR (s.capacity <> s.received AND NOT (s.received = 0 AND s.archived_at IS NOT NULL)) ORDER BY s.id`,
  );
  return rows.map(
    (row) =>
      `Batch ${row.id} holds ${row.capacity} mg and ${row.used_mg} mg of it are used, but its ledger says ${row.received} received and ${row.consumed} used.`,
  );
}

/** An undo is the exact opposite of an entry of the same batch that is not an undo itself. */
async function brokenUndos(db: Db): Promise<string[]> {
  const rows = await query<{ id: string; undoes_id: string | null }>(
    db,
    `SELECT e.id, e.undoes_id FROM filament_ledger e LEFT JOIN filament_ledger u ON u.id = e.undoes_id
     WHERE (e.kind = 'undo' OR e.undoes_id IS NOT NULL)
       AND (u.id IS NULL OR e.kind <> 'undo' OR u.kind = 'undo' OR u.batch_id <> e.batch_id OR u.grams_mg <> -e.grams_mg)
     ORDER BY e.seq`,
  );
  return rows.map((row) => `Ledger entry ${row.id} is not the opposite of ${row.undoes_id}, which it undoes.`);
}

async function strayLedgerEntries(db: Db): Promise<string[]> {
  const rows = await query<{ id: string; filament_id: string; batch_id: string }>(
    db,
    `SELECT l.id, l.filament_id, l.batch_id FROM filament_ledger l JOIN filament_batches b ON b.id = l.batch_id
     WHERE b.filament_id <> l.filament_id ORDER BY l.seq`,
  );
  return rows.map(
    (row) => `Ledger entry ${row.id} of filament ${row.filament_id} names batch ${row.batch_id} of another filament.`,
  );
}

async function unmarkedOverdraws(db: Db): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `SELECT b.id FROM filament_batches b JOIN filaments f ON f.id = b.filament_id
     WHERE b.used_mg > b.spool_count * f.spool_weight_mg + b.surplus_mg AND b.needs_review = 0 ORDER BY b.seq`,
  );
  return rows.map((row) => `Batch ${row.id} is overdrawn and not marked for review.`);
}

/**
 * First in, first out: nothing was deducted from a younger batch while an older one had grams left. A batch may be
 * entered late with an early date, and an undo or a stocktake returns grams. Therefore only entries after the older
 * batch last gained grams count: since then it only lost grams, so it had at least what it has now.
 */
async function brokenOrder(db: Db): Promise<string[]> {
  const rows = await query<{ older: string; younger: string }>(
    db,
    `SELECT o.id AS older, y.id AS younger FROM filament_batches o
     JOIN filaments f ON f.id = o.filament_id
     JOIN (SELECT batch_id, max(seq) AS seq FROM filament_ledger WHERE grams_mg > 0 GROUP BY batch_id) r ON r.batch_id = o.id
     JOIN filament_batches y ON y.filament_id = o.filament_id AND y.archived_at IS NULL
       AND (y.received_at > o.received_at OR (y.received_at = o.received_at AND y.seq > o.seq))
     WHERE o.archived_at IS NULL AND o.used_mg < o.spool_count * f.spool_weight_mg + o.surplus_mg
       AND EXISTS (SELECT 1 FROM filament_ledger l WHERE l.batch_id = y.id AND l.kind = 'consumption' AND l.seq > r.seq)
     ORDER BY o.seq, y.seq`,
  );
  return rows.map((row) => `Batch ${row.younger} was used while the older batch ${row.older} had grams left.`);
}
