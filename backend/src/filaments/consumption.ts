import type { Author } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult } from '../idempotency/with-idempotency.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { fromThousandths, toThousandths } from '../shared/schemas.ts';
import type { Db } from '../storage/dialect.ts';
import type { Tx } from '../storage/transaction.ts';
import { costOf, type Filament, overdrawLast, type Share, splitFifo, sumOfCosts } from './filament.ts';
import * as store from './filament-store.ts';
import { publishLowStock } from './low-stock.ts';
import { lockForChange, type StockDeps } from './stock-deps.ts';
import * as stockStore from './stock-store.ts';

export interface Consumption {
  /** above 0, rounded to 3 decimals */
  grams: number;
  order_id?: string | null | undefined;
  printer_id?: string | null | undefined;
  note?: string | null | undefined;
  /** also deduct grams that are not in stock */
  allow_overdraw?: boolean | undefined;
}

/**
 * Deducts grams, oldest batch first, and sends `filament.low_stock` if the stock becomes low. All or nothing.
 * @throws DomainError not_found, validation_error, insufficient_stock, idempotency_conflict
 */
export const consume = (
  deps: StockDeps,
  actor: Author,
  id: string,
  use: Consumption,
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<Filament>> =>
  deps.withIdempotency(actor.accountId, idempotency, (tx) => consumeInTransaction(deps, tx, actor, id, use));

/**
 * As `consume`, as part of a larger transaction. When it throws, nothing was written.
 * @throws DomainError not_found, validation_error, insufficient_stock
 */
export async function consumeInTransaction(
  deps: StockDeps,
  tx: Tx,
  actor: Author,
  id: string,
  use: Consumption,
): Promise<Filament> {
  const { accountId } = actor;
  const filament = await lockForChange(deps, tx, accountId, id);
  await checkReferences(deps, tx.db, accountId, use);
  const gramsMg = toThousandths(use.grams);
  const shares = await chooseBatches(tx.db, filament, gramsMg, use.allow_overdraw ?? false);
  const by = { actor: actor.tokenName, at: deps.clock() };
  const entries = toEntries(filament, shares, use);
  await stockStore.deductFromBatches(tx.db, shares);
  await stockStore.insertLedger(tx.db, id, entries, by);
  const after = await store.addToStock(tx.db, id, { spools: 0, usedMg: gramsMg }, by.at);
  await recordForOrder(deps, tx, { id, orderId: use.order_id ?? null, gramsMg, entries, note: use.note ?? null, by });
  const remainingMg = filament.remainingMg - gramsMg;
  await publishLowStock(deps.append, tx, actor, filament, { remainingMg }, by.at);
  return after;
}

/** One ledger entry per batch. */
function toEntries(
  filament: store.LockedFilament,
  shares: readonly Share[],
  use: Consumption,
): stockStore.NewLedgerEntry[] {
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
  }));
}

/** @param use `gramsMg` is negative if grams were returned */
async function recordForOrder(
  deps: StockDeps,
  tx: Tx,
  use: {
    id: string;
    orderId: string | null;
    gramsMg: number;
    entries: readonly stockStore.NewLedgerEntry[];
    note: string | null;
    by: { actor: string; at: number };
  },
): Promise<void> {
  const { id: filamentId, orderId, gramsMg, entries, note, by } = use;
  if (orderId === null) return;
  const costMinor = sumOfCosts(entries.map((entry) => entry.costMinor));
  await deps.recordConsumption(tx, { orderId, filamentId, gramsMg, costMinor, note, ...by });
}

async function checkReferences(
  deps: Pick<StockDeps, 'holdOrder' | 'holdPrinter'>,
  db: Db,
  accountId: string,
  use: Consumption,
): Promise<void> {
  if (use.order_id && !(await deps.holdOrder(db, accountId, use.order_id))) {
    throw invalid('/order_id', 'No order with this ID in the account. GET /print-jobs lists the orders.');
  }
  if (use.printer_id && !(await deps.holdPrinter(db, accountId, use.printer_id))) {
    throw invalid('/printer_id', 'No printer with this ID in the account. GET /printers lists the printers.');
  }
}

function insufficient(filament: store.LockedFilament, gramsMg: number, hint: string): DomainError {
  const availableMg = Math.max(0, filament.remainingMg);
  const requested_grams = fromThousandths(gramsMg);
  const available_grams = fromThousandths(availableMg);
  const detail = `${requested_grams} g were asked for and ${available_grams} g are there; nothing was deducted. ${hint}`;
  const facts = { requested_grams, available_grams, shortage_grams: fromThousandths(gramsMg - availableMg) };
  return new DomainError('insufficient_stock', detail, { facts });
}

/**
 * How much to deduct from which batch. What is available are the filament's remaining grams, not the sum over batches
 * with grams left: an overdrawn batch counts against the others.
 * @throws DomainError insufficient_stock
 */
async function chooseBatches(
  db: Db,
  filament: store.LockedFilament,
  gramsMg: number,
  mayOverdraw: boolean,
): Promise<Share[]> {
  if (gramsMg > filament.remainingMg && !mayOverdraw) {
    throw insufficient(filament, gramsMg, 'Send allow_overdraw to deduct it anyway.');
  }
  const { shares, restMg } = splitFifo(await stockStore.batchesWithStock(db, filament), gramsMg);
  if (restMg === 0) return shares;
  const youngest = await stockStore.youngestBatch(db, filament);
  if (!youngest) {
    const hint = 'There is no batch to overdraw. Add one with POST /filaments/{id}/batches.';
    throw insufficient(filament, gramsMg, hint);
  }
  return overdrawLast(shares, youngest, restMg);
}

const refused = (detail: string) => new DomainError('validation_error', detail);

/**
 * Reverses a ledger entry, and the entries deducted together with it, by opposite entries in the same batches. An entry
 * can be undone once.
 * @throws DomainError not_found, validation_error, idempotency_conflict
 */
export function undo(
  deps: StockDeps,
  actor: Author,
  id: string,
  entryId: string,
  input: { note?: string | null | undefined },
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<Filament>> {
  const { accountId, tokenName } = actor;
  return deps.withIdempotency(accountId, idempotency, async (tx) => {
    const filament = await lockForChange(deps, tx, accountId, id);
    const lines = await stockStore.findDeduction(tx.db, id, entryId);
    const [first] = lines;
    if (!first) throw notFound();
    if (first.kind === 'undo') throw refused('This entry is itself an undo. Enter the deduction again instead.');
    if (lines.some((line) => line.isUndone)) throw refused('This entry has already been undone.');
    const by = { actor: tokenName, at: deps.clock() };
    const note = input.note ?? null;
    const { spools, gramsMg } =
      first.kind === 'receipt' ? await undoReceipt(tx, first, by.at) : await undoUse(tx, filament, lines);
    const consumptionId = newId();
    const entries = lines.map((line) => opposite(line, consumptionId, note, filament.spoolWeightMg));
    await stockStore.insertLedger(tx.db, id, entries, by);
    const after = await store.addToStock(tx.db, id, { spools, usedMg: 0 - gramsMg }, by.at);
    const { orderId } = first;
    if (orderId !== null && (await deps.holdOrder(tx.db, accountId, orderId))) {
      await recordForOrder(deps, tx, { id, orderId, gramsMg: -gramsMg, entries, note, by });
    }
    const remainingMg = filament.remainingMg + spools * filament.spoolWeightMg + gramsMg;
    await publishLowStock(deps.append, tx, actor, filament, { remainingMg }, by.at);
    return after;
  });
}

/** The exact opposite of a ledger entry, including its cost and its order. */
const opposite = (
  line: stockStore.DeductedLine,
  consumptionId: string,
  note: string | null,
  spoolWeightMg: number,
): stockStore.NewLedgerEntry => ({
  id: newId(),
  batchId: line.batch.id,
  kind: 'undo',
  consumptionId,
  undoesId: line.id,
  gramsMg: -line.gramsMg,
  // not -0, which JSON can't represent
  costMinor: line.costMinor === null ? null : 0 - line.costMinor,
  orderId: line.orderId,
  printerId: line.printerId,
  note,
  overdraw: line.batch.usedMg + line.gramsMg > line.batch.spoolCount * spoolWeightMg,
});

/** Removes spools that never arrived by archiving their batch. */
async function undoReceipt(
  tx: Tx,
  { batch }: stockStore.DeductedLine,
  at: number,
): Promise<{ spools: number; gramsMg: number }> {
  if (batch.isArchived || batch.usedMg !== 0) {
    throw refused("Part of this batch has been used, so it can't be undone. Undo its deductions first.");
  }
  await stockStore.archiveBatch(tx.db, batch.seq, at);
  return { spools: -batch.spoolCount, gramsMg: 0 };
}

/**
 * Returns deducted or corrected grams to the same batches. No batch gets more than it held. Undoing a stocktake may
 * leave a batch overdrawn, as it was before; it is then marked for review.
 */
async function undoUse(
  tx: Tx,
  filament: store.LockedFilament,
  lines: readonly stockStore.DeductedLine[],
): Promise<{ spools: number; gramsMg: number }> {
  if (lines.some(({ batch }) => batch.isArchived)) throw refused('The batch has been undone in the meantime.');
  if (lines.some(({ batch, gramsMg }) => batch.usedMg + gramsMg < 0)) {
    throw refused('A stocktake has already returned these grams. Undo the stocktake first.');
  }
  const gains = lines.map(({ batch, gramsMg }) => ({ seq: batch.seq, gramsMg: -gramsMg }));
  await stockStore.returnToBatches(tx.db, filament, gains);
  return { spools: 0, gramsMg: gains.reduce((sum, gain) => sum + gain.gramsMg, 0) };
}
