import type { Author } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult } from '../idempotency/with-idempotency.ts';
import { invalid } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { fromThousandths, toThousandths } from '../shared/schemas.ts';
import type { Tx } from '../storage/transaction.ts';
import { type Correction, correctBatches, costOf, type Filament, type HeldBatch, maxContentMg } from './filament.ts';
import * as store from './filament-store.ts';
import { publishLowStock } from './low-stock.ts';
import { lockForChange, type StockDeps } from './stock-deps.ts';
import * as stockStore from './stock-store.ts';

export interface Stocktake {
  /** the counted or weighed grams, rounded to 3 decimals */
  remaining_grams: number;
  /** absent: all batches together */
  batch_id?: string | null | undefined;
  note?: string | null | undefined;
}

/**
 * Corrects the stock to what was counted or weighed, by one adjustment per batch that differs. If none does, an
 * adjustment of 0 g says that the stock was counted.
 * @throws DomainError not_found, validation_error, idempotency_conflict
 */
export function stocktake(
  deps: StockDeps,
  actor: Author,
  id: string,
  count: Stocktake,
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<Filament>> {
  const { accountId, tokenName } = actor;
  return deps.withIdempotency(accountId, idempotency, async (tx) => {
    const filament = await lockForChange(tx, accountId, id);
    const corrections = await findCorrections(tx, filament, count);
    const at = deps.clock();
    if (corrections.length === 0) return (await store.findFilament(tx.db, accountId, id)) as Filament;
    const gainedMg = corrections.reduce((sum, { gramsMg }) => sum + gramsMg, 0);
    await stockStore.returnToBatches(tx.db, filament, corrections);
    await stockStore.insertLedger(tx.db, id, toAdjustments(filament, corrections, count), { actor: tokenName, at });
    const after = await store.addToStock(tx.db, id, { spools: 0, usedMg: 0 - gainedMg }, at);
    const remainingMg = filament.remainingMg + gainedMg;
    await publishLowStock(deps.append, tx, actor, filament, { remainingMg }, at);
    return after;
  });
}

/**
 * By how much each batch differs from the count; the youngest by 0 g if none does. Empty without batches.
 * @throws DomainError validation_error
 */
async function findCorrections(tx: Tx, filament: store.LockedFilament, count: Stocktake): Promise<Correction[]> {
  const all = await stockStore.unarchivedBatches(tx.db, filament);
  const batches = count.batch_id ? all.filter((batch) => batch.id === count.batch_id) : all;
  if (count.batch_id && batches.length === 0) {
    throw invalid('/batch_id', 'Batch not found for this filament. GET /filaments/{id}/batches lists its batches.');
  }
  const countedMg = toThousandths(count.remaining_grams);
  const { corrections, restMg } = correctBatches(batches, countedMg);
  if (restMg > 0) {
    const mayChangeWeight = !(await stockStore.isUsedOrCounted(tx.db, filament.id));
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
    `That is more than has ever been received (${received} g) and the 10 % more that full spools may weigh: at most ${most} g can be entered. ` +
    `Subtract the empty spools; ${addBatch}; ${weight}${changeWeight}.`
  );
}

function toAdjustments(
  filament: store.LockedFilament,
  corrections: readonly Correction[],
  count: Stocktake,
): stockStore.NewLedgerEntry[] {
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
