// The steps of deducting grams, and of undoing entries of the ledger.
import { DomainError, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { fromThousandths } from '../shared/units.ts';
import type { Db } from '../storage/dialect.ts';
import type { Tx } from '../storage/transaction.ts';
import * as batchStore from './batch-store.ts';
import { costOf, type DeductionSource, overdrawLast, type Share, splitFifo } from './filament.ts';
import type { Consumption } from './filament-schema.ts';
import type * as store from './filament-store.ts';
import * as ledgerStore from './ledger-store.ts';

/** One ledger entry per batch. */
export function toEntries(
  filament: store.LockedFilament,
  shares: readonly Share[],
  use: Consumption,
  source: DeductionSource,
): ledgerStore.NewLedgerEntry[] {
  const consumptionId = newId();
  return shares.map((share) => ({
    id: newId(),
    batchId: share.batch.id,
    kind: 'consumption',
    consumptionId,
    undoesId: null,
    gramsMg: -share.gramsMg,
    costMinor: costOf(share.gramsMg, filament.spoolWeightMg, share.batch.spoolPriceMinor),
    orderId: use.order_id ?? null,
    printerId: use.printer_id ?? null,
    note: use.note ?? null,
    overdraw: share.overdraw,
    source,
  }));
}

const ADD_BATCH = 'add a batch with POST /filaments/{id}/batches';

/** @param canOverdraw there is a batch that `allow_overdraw` would overdraw */
function insufficient(filament: store.LockedFilament, gramsMg: number, canOverdraw: boolean): DomainError {
  const availableMg = Math.max(0, filament.remainingMg);
  const requested_grams = fromThousandths(gramsMg);
  const available_grams = fromThousandths(availableMg);
  const wayOut = canOverdraw
    ? `Send allow_overdraw to deduct it anyway, or ${ADD_BATCH} if spools haven't been entered yet.`
    : `The filament has no spools to deduct from, so allow_overdraw doesn't help: ${ADD_BATCH}, then deduct again.`;
  const detail = `${requested_grams} g were requested and ${available_grams} g are in stock; nothing was deducted. ${wayOut}`;
  const shortage_grams = fromThousandths(gramsMg - availableMg);
  const facts = { requested_grams, available_grams, shortage_grams, can_overdraw: canOverdraw };
  return new DomainError('insufficient_stock', detail, { facts });
}

/**
 * How much to deduct from which batch. What is available are the filament's remaining grams, not the sum over batches
 * with grams left: an overdrawn batch counts against the others.
 * @throws DomainError insufficient_stock
 */
export async function chooseBatches(
  db: Db,
  filament: store.LockedFilament,
  gramsMg: number,
  mayOverdraw: boolean,
): Promise<Share[]> {
  if (gramsMg > filament.remainingMg && !mayOverdraw) {
    throw insufficient(filament, gramsMg, (await batchStore.youngestBatch(db, filament)) !== undefined);
  }
  const { shares, restMg } = splitFifo(await batchStore.batchesWithStock(db, filament), gramsMg);
  if (restMg === 0) return shares;
  const youngest = await batchStore.youngestBatch(db, filament);
  if (!youngest) throw insufficient(filament, gramsMg, false);
  return overdrawLast(shares, youngest, restMg);
}

const refused = (detail: string) => new DomainError('validation_error', detail);

/** The entry that is undone, and those that were made together with it. @throws DomainError not_found, validation_error */
export async function findUndoable(
  tx: Tx,
  filamentId: string,
  entryId: string,
): Promise<[ledgerStore.DeductedLine, ...ledgerStore.DeductedLine[]]> {
  const [first, ...others] = await ledgerStore.findDeduction(tx.db, filamentId, entryId);
  if (!first) throw notFound();
  if (first.kind === 'undo') throw refused('This entry is itself an undo. Enter the deduction again instead.');
  if ([first, ...others].some((line) => line.isUndone)) throw refused('This entry has already been undone.');
  return [first, ...others];
}

/** The exact opposite of a ledger entry, including its cost and its order. */
export const opposite = (
  line: ledgerStore.DeductedLine,
  consumptionId: string,
  note: string | null,
  spoolWeightMg: number,
): ledgerStore.NewLedgerEntry => ({
  id: newId(),
  batchId: line.batch.id,
  kind: 'undo',
  consumptionId,
  undoesId: line.id,
  // not -0, which JSON can't represent
  gramsMg: 0 - line.gramsMg,
  costMinor: line.costMinor === null ? null : 0 - line.costMinor,
  orderId: line.orderId,
  printerId: line.printerId,
  note,
  overdraw: line.batch.usedMg + line.gramsMg > line.batch.spoolCount * spoolWeightMg + line.batch.surplusMg,
});

/** Removes spools that never arrived by archiving their batch. */
export async function undoReceipt(
  tx: Tx,
  { batch }: ledgerStore.DeductedLine,
  at: number,
): Promise<{ spools: number; gramsMg: number }> {
  if (batch.isArchived || batch.usedMg !== batch.surplusMg) {
    throw refused(
      "Grams of this batch have been deducted or corrected, so its receipt can't be undone. Undo its deductions and stocktakes first, the newest first.",
    );
  }
  await batchStore.archiveBatch(tx.db, batch.seq, at);
  return { spools: -batch.spoolCount, gramsMg: 0 };
}

/**
 * Returns deducted or corrected grams to the same batches. No batch gets more than it ever held. Undoing a stocktake may
 * leave a batch overdrawn, as it was before; it is then marked for review.
 */
export async function undoUse(
  tx: Tx,
  filament: store.LockedFilament,
  lines: readonly ledgerStore.DeductedLine[],
): Promise<{ spools: number; gramsMg: number }> {
  if (lines.some(({ batch }) => batch.isArchived)) throw refused('The batch has been undone in the meantime.');
  if (lines.some(({ batch, gramsMg }) => batch.usedMg + gramsMg < 0)) {
    throw refused('A stocktake has already returned these grams. Undo the stocktake first.');
  }
  const gains = lines.map(({ batch, gramsMg }) => ({ batch, gramsMg: 0 - gramsMg, surplusMg: 0 }));
  await batchStore.returnToBatches(tx.db, filament, gains);
  return { spools: 0, gramsMg: gains.reduce((sum, gain) => sum + gain.gramsMg, 0) };
}
