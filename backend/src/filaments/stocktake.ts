// The steps of a stocktake.
import { invalid } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { fromThousandths, toThousandths } from '../shared/units.ts';
import type { Tx } from '../storage/transaction.ts';
import * as batchStore from './batch-store.ts';
import { type Correction, correctBatches, costOf, type HeldBatch, maxContentMg } from './filament.ts';
import type { Stocktake } from './filament-schema.ts';
import type * as store from './filament-store.ts';
import * as ledgerStore from './ledger-store.ts';

/**
 * By how much each batch differs from the count; the youngest by 0 g if none does. Empty without batches.
 * @throws DomainError validation_error
 */
export async function findCorrections(tx: Tx, filament: store.LockedFilament, count: Stocktake): Promise<Correction[]> {
  const all = await batchStore.unarchivedBatches(tx.db, filament);
  const batches = count.batch_id ? all.filter((batch) => batch.id === count.batch_id) : all;
  if (count.batch_id && batches.length === 0) {
    throw invalid('/batch_id', 'Batch not found for this filament. GET /filaments/{id}/batches lists its batches.');
  }
  const countedMg = toThousandths(count.remaining_grams);
  const { corrections, restMg } = correctBatches(batches, countedMg);
  if (restMg > 0) {
    const mayChangeWeight = !(await ledgerStore.isUsedOrCounted(tx.db, filament.id));
    throw invalid('/remaining_grams', tooMuch(filament, batches, mayChangeWeight));
  }
  const youngest = batches.at(-1);
  return corrections.length > 0 || !youngest ? corrections : [{ batch: youngest, gramsMg: 0, surplusMg: 0 }];
}

/** Why a count is refused as too high, and each way out. */
function tooMuch(filament: store.LockedFilament, batches: readonly HeldBatch[], mayChangeWeight: boolean): string {
  const addBatch = "add a batch for spools that haven't been entered yet (POST /filaments/{id}/batches)";
  if (batches.length === 0) return `No spools have been received, so there is nothing to count: ${addBatch}.`;
  const sum = (gramsOf: (batch: HeldBatch) => number) =>
    fromThousandths(batches.reduce((total, batch) => total + gramsOf(batch), 0));
  const received = sum(({ labelMg }) => labelMg);
  const most = sum(({ labelMg }) => maxContentMg(labelMg));
  const weight = `if a spool holds more than ${fromThousandths(filament.spoolWeightMg)} g, `;
  const changeWeight = mayChangeWeight
    ? 'change spool_weight_grams'
    : 'undo the deductions and stocktakes in the ledger, the newest first, and then change spool_weight_grams';
  return (
    `That is more than was ever received (${received} g), even if full spools weigh 10 % more: at most ${most} g can be entered. ` +
    `Subtract the empty spools; ${addBatch}; ${weight}${changeWeight}.`
  );
}

export function toAdjustments(
  filament: store.LockedFilament,
  corrections: readonly Correction[],
  count: Stocktake,
): ledgerStore.NewLedgerEntry[] {
  const consumptionId = newId();
  const counted = { gramsMg: toThousandths(count.remaining_grams), isOfBatch: Boolean(count.batch_id) };
  return corrections.map(({ batch, gramsMg }) => {
    const worth = costOf(Math.abs(gramsMg), filament.spoolWeightMg, batch.spoolPriceMinor);
    return {
      id: newId(),
      batchId: batch.id,
      kind: 'adjustment',
      consumptionId,
      undoesId: null,
      gramsMg,
      costMinor: worth === null || gramsMg < 0 ? worth : 0 - worth,
      orderId: null,
      printerId: null,
      note: count.note ?? null,
      overdraw: false,
      counted,
    };
  });
}
