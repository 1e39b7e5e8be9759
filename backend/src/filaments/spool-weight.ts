import { invalid } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Tx } from '../storage/transaction.ts';
import * as batchStore from './batch-store.ts';
import * as ledgerStore from './ledger-store.ts';

/**
 * Corrects what received spools hold, as long as nothing was deducted from them or counted: each receipt is undone and
 * entered again with the new weight, so that the ledger still adds up.
 * @throws DomainError validation_error
 */
export async function changeSpoolWeight(
  tx: Tx,
  filamentId: string,
  spoolWeightMg: number,
  by: { actor: string; at: number },
): Promise<void> {
  if (await ledgerStore.isUsedOrCounted(tx.db, filamentId)) {
    throw invalid(
      '/spool_weight_grams',
      'Grams have been deducted from spools of this weight, or counted. Undo those deductions and stocktakes in the ledger first, the newest first, and then change the weight; or create a new filament for spools of another weight.',
    );
  }
  const receipts = await ledgerStore.findReceipts(tx.db, filamentId);
  if (receipts.length === 0) return;
  const entries = receipts.flatMap((receipt) => toEntries(receipt, spoolWeightMg));
  await ledgerStore.insertLedger(tx.db, filamentId, entries, by);
  await batchStore.resetBatches(tx.db, filamentId);
}

/** The undo of a receipt, and the receipt with the right weight. The price of the spools stays the same. */
function toEntries(receipt: ledgerStore.Receipt, spoolWeightMg: number): ledgerStore.NewLedgerEntry[] {
  const { id, batchId, spoolCount, gramsMg, costMinor } = receipt;
  const common = { batchId, consumptionId: null, orderId: null, printerId: null, note: null, overdraw: false };
  return [
    {
      ...common,
      id: newId(),
      kind: 'undo',
      undoesId: id,
      gramsMg: -gramsMg,
      costMinor: costMinor === null ? null : 0 - costMinor,
    },
    { ...common, id: newId(), kind: 'receipt', undoesId: null, gramsMg: spoolCount * spoolWeightMg, costMinor },
  ];
}
