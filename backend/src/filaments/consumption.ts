import type { Author } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult } from '../idempotency/with-idempotency.ts';
import { toIso } from '../shared/clock.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { fromThousandths, toThousandths } from '../shared/schemas.ts';
import type { Db } from '../storage/dialect.ts';
import type { Tx } from '../storage/transaction.ts';
import {
  costOf,
  type DeductionSource,
  type Filament,
  overdrawLast,
  type Share,
  splitFifo,
  sumOfCosts,
} from './filament.ts';
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

/** The updated filament of a request that deducted grams. */
export interface Consumed extends Filament {
  /** what print reports deducted for the order in the last 24 hours; absent: nothing */
  already_deducted_grams?: number;
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
): Promise<IdempotentResult<Consumed>> =>
  deps.withIdempotency(actor.accountId, idempotency, async (tx) => {
    const after = await consumeInTransaction(deps, tx, actor, id, use, 'request');
    if (!use.order_id) return after;
    const alreadyMg = await stockStore.sumDeducted(tx.db, use.order_id, 'report', deps.clock());
    return alreadyMg > 0 ? { ...after, already_deducted_grams: fromThousandths(alreadyMg) } : after;
  });

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
  source: DeductionSource,
): Promise<Filament> {
  const { accountId } = actor;
  const filament = await lockForChange(tx, accountId, id);
  await checkReferences(deps, tx.db, accountId, use);
  const gramsMg = toThousandths(use.grams);
  const shares = await chooseBatches(tx.db, filament, gramsMg, use.allow_overdraw ?? false);
  const by = { actor: actor.tokenName, at: deps.clock() };
  const entries = toEntries(filament, shares, use, source);
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
  source: DeductionSource,
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
    source,
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

const ADD_BATCH = 'add a batch with POST /filaments/{id}/batches';

/** @param canOverdraw there is a batch that `allow_overdraw` would overdraw */
function insufficient(filament: store.LockedFilament, gramsMg: number, canOverdraw: boolean): DomainError {
  const availableMg = Math.max(0, filament.remainingMg);
  const requested_grams = fromThousandths(gramsMg);
  const available_grams = fromThousandths(availableMg);
  const wayOut = canOverdraw
    ? `Send allow_overdraw to deduct it anyway, or ${ADD_BATCH} if spools haven't been entered yet.`
    : `The filament has no spools to deduct from, so allow_overdraw doesn't help: ${ADD_BATCH}, then deduct again.`;
  const detail = `${requested_grams} g were asked for and ${available_grams} g are in stock; nothing was deducted. ${wayOut}`;
  const shortage_grams = fromThousandths(gramsMg - availableMg);
  const facts = { requested_grams, available_grams, shortage_grams, can_overdraw: canOverdraw };
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
    throw insufficient(filament, gramsMg, (await stockStore.youngestBatch(db, filament)) !== undefined);
  }
  const { shares, restMg } = splitFifo(await stockStore.batchesWithStock(db, filament), gramsMg);
  if (restMg === 0) return shares;
  const youngest = await stockStore.youngestBatch(db, filament);
  if (!youngest) throw insufficient(filament, gramsMg, false);
  return overdrawLast(shares, youngest, restMg);
}

const refused = (detail: string) => new DomainError('validation_error', detail);

/** The updated filament of an undo. */
export interface Undone extends Filament {
  /** when the newest stocktake after the undone entry counted its batch; absent: there is none */
  older_than_stocktake?: string;
}

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
): Promise<IdempotentResult<Undone>> {
  const { accountId, tokenName } = actor;
  return deps.withIdempotency(accountId, idempotency, async (tx) => {
    const filament = await lockForChange(tx, accountId, id);
    const lines = await stockStore.findDeduction(tx.db, id, entryId);
    const [first] = lines;
    if (!first) throw notFound();
    if (first.kind === 'undo') throw refused('This entry is itself an undo. Enter the deduction again instead.');
    if (lines.some((line) => line.isUndone)) throw refused('This entry has already been undone.');
    const by = { actor: tokenName, at: deps.clock() };
    const note = input.note ?? null;
    const { spools, gramsMg } =
      first.kind === 'receipt' ? await undoReceipt(tx, first, by.at) : await undoUse(tx, filament, lines);
    const countedAt = await stockStore.findLaterStocktake(tx.db, id, lines);
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
    return countedAt === undefined ? after : { ...after, older_than_stocktake: toIso(countedAt) };
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
  // not -0, which JSON can't represent
  gramsMg: 0 - line.gramsMg,
  costMinor: line.costMinor === null ? null : 0 - line.costMinor,
  orderId: line.orderId,
  printerId: line.printerId,
  note,
  overdraw: line.batch.usedMg + line.gramsMg > line.batch.spoolCount * spoolWeightMg + line.batch.surplusMg,
});

/** Removes spools that never arrived by archiving their batch. */
async function undoReceipt(
  tx: Tx,
  { batch }: stockStore.DeductedLine,
  at: number,
): Promise<{ spools: number; gramsMg: number }> {
  if (batch.isArchived || batch.usedMg !== batch.surplusMg) {
    throw refused(
      "Grams of this batch have been deducted or corrected, so its receipt can't be undone. Undo its deductions and stocktakes first, the newest first.",
    );
  }
  await stockStore.archiveBatch(tx.db, batch.seq, at);
  return { spools: -batch.spoolCount, gramsMg: 0 };
}

/**
 * Returns deducted or corrected grams to the same batches. No batch gets more than it ever held. Undoing a stocktake may
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
  const gains = lines.map(({ batch, gramsMg }) => ({ batch, gramsMg: 0 - gramsMg, surplusMg: 0 }));
  await stockStore.returnToBatches(tx.db, filament, gains);
  return { spools: 0, gramsMg: gains.reduce((sum, gain) => sum + gain.gramsMg, 0) };
}
