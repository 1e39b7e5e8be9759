import type { Author } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult } from '../idempotency/with-idempotency.ts';
import { invalid } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { fromThousandths, toThousandths } from '../shared/schemas.ts';
import type { Tx } from '../storage/transaction.ts';
import { type Correction, correctBatches, costOf, type Filament } from './filament.ts';
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
 * Corrects the stock to what was counted or weighed, by one adjustment per batch that differs.
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
    const filament = await lockForChange(deps, tx, accountId, id);
    const corrections = await findCorrections(tx, filament, count);
    const at = deps.clock();
    if (corrections.length === 0) return (await store.findFilament(tx.db, accountId, id)) as Filament;
    const gainedMg = corrections.reduce((sum, { gramsMg }) => sum + gramsMg, 0);
    const gains = corrections.map(({ batch, gramsMg }) => ({ seq: batch.seq, gramsMg }));
    await stockStore.returnToBatches(tx.db, filament, gains);
    await stockStore.insertLedger(tx.db, id, toAdjustments(filament, corrections, count.note ?? null), {
      actor: tokenName,
      at,
    });
    const after = await store.addToStock(tx.db, id, { spools: 0, usedMg: -gainedMg }, at);
    const remainingMg = filament.remainingMg + gainedMg;
    await publishLowStock(deps.append, tx, actor, filament, { remainingMg }, at);
    return after;
  });
}

/** By how much each batch differs from the count. @throws DomainError validation_error */
async function findCorrections(tx: Tx, filament: store.LockedFilament, count: Stocktake): Promise<Correction[]> {
  const all = await stockStore.unarchivedBatches(tx.db, filament);
  const batches = count.batch_id ? all.filter((batch) => batch.id === count.batch_id) : all;
  if (count.batch_id && batches.length === 0) {
    throw invalid('/batch_id', 'Batch not found for this filament. GET /filaments/{id}/batches lists its batches.');
  }
  const countedMg = toThousandths(count.remaining_grams);
  const { corrections, restMg } = correctBatches(batches, countedMg);
  if (restMg > 0) {
    const receivedGrams = fromThousandths(countedMg - restMg);
    throw invalid(
      '/remaining_grams',
      `That is more than has ever been received (${receivedGrams} g). Add a batch for spools that haven't been entered yet.`,
    );
  }
  return corrections;
}

function toAdjustments(
  filament: store.LockedFilament,
  corrections: readonly Correction[],
  note: string | null,
): stockStore.NewLedgerEntry[] {
  const consumptionId = newId();
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
      note,
      overdraw: false,
    };
  });
}
