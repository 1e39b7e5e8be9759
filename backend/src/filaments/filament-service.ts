import { type Clock, DAY_MS, toDay, toIso } from '../../../common/src/clock.ts';
import type * as accountStore from '../accounts/account-store.ts';
import type { Actor, Author } from '../accounts/token.ts';
import type { Outbox } from '../events/outbox.ts';
import type { OrderService } from '../orders/order-service.ts';
import type * as printerStore from '../printers/printer-store.ts';
import { invalid, notFound } from '../shared/errors.ts';
import { checkVersion, nextVersion } from '../shared/etag.ts';
import { newId } from '../shared/ids.ts';
import { checkNames } from '../shared/names.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import { patched } from '../shared/patch.ts';
import { fromThousandths, toThousandths } from '../shared/units.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import * as batchStore from './batch-store.ts';
import { chooseBatches, findUndoable, opposite, toEntries, undoReceipt, undoUse } from './consumption.ts';
import { type DeductionSource, FILAMENT_NAMES, hasPrice, sumOfCosts, toPriceMinor } from './filament.ts';
import type {
  Batch,
  BatchInput,
  Consumption,
  Filament,
  FilamentInput,
  FilamentPatch,
  LedgerEntry,
  Stocktake,
  Usage,
} from './filament-schema.ts';
import * as store from './filament-store.ts';
import * as ledgerStore from './ledger-store.ts';
import { appendLowStock } from './low-stock.ts';
import { changeSpoolWeight } from './spool-weight.ts';
import { findCorrections, toAdjustments } from './stocktake.ts';
import { sumUsage } from './usage-store.ts';

const DEFAULT_SPOOL_GRAMS = 1000;

/** The updated filament of a request that deducted grams. */
export interface Consumed extends Filament {
  /** what print reports deducted for the order in the last 24 hours; absent: nothing */
  already_deducted_grams?: number;
}

/** The updated filament of an undo. */
export interface Undone extends Filament {
  /** when the newest stocktake after the undone entry counted its batch; absent: there is none */
  older_than_stocktake?: string;
}

interface FilamentDeps {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  outbox: Outbox;
  orders: Pick<OrderService, 'holdOrder' | 'recordConsumption'>;
  printers: Pick<typeof printerStore, 'holdPrinter'>;
  accounts: Pick<typeof accountStore, 'holdCurrency'>;
}

export type FilamentService = ReturnType<typeof createFilamentService>;

/** Filaments, their batches and the ledger of their stock. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createFilamentService(deps: FilamentDeps) {
  const { storage, clock, withIdempotency, outbox, orders, printers, accounts } = deps;

  /** @throws DomainError not_found */
  async function checkFilament(accountId: string, id: string): Promise<void> {
    if (!(await store.filamentExists(storage.read, accountId, id))) throw notFound();
  }

  /** Inserts a batch and its ledger entry and updates the filament's sums. */
  async function receive(
    tx: Tx,
    accountId: string,
    filament: { id: string; spoolWeightMg: number; isNew?: boolean },
    input: BatchInput,
    by: { actor: string; at: number },
  ): Promise<{ batch: Batch; filament: Filament }> {
    const spoolPriceMinor = hasPrice(input) ? toPriceMinor(input, await accounts.holdCurrency(tx.db, accountId)) : null;
    const batch = await batchStore.insertBatch(tx.db, filament.id, {
      id: newId(),
      receivedAt: input.received_at ?? by.at,
      spoolCount: input.spool_count,
      spoolPriceMinor,
      at: by.at,
    });
    const receipt: ledgerStore.NewLedgerEntry = {
      id: newId(),
      batchId: batch.id,
      kind: 'receipt',
      consumptionId: null,
      undoesId: null,
      gramsMg: input.spool_count * filament.spoolWeightMg,
      costMinor: spoolPriceMinor === null ? null : spoolPriceMinor * input.spool_count,
      orderId: null,
      printerId: null,
      note: null,
      overdraw: false,
    };
    await ledgerStore.insertLedger(tx.db, filament.id, [receipt], by);
    const added = { spools: input.spool_count, usedMg: 0, isNew: filament.isNew ?? false };
    return {
      batch,
      filament: await store.addToStock(tx.db, filament.id, added, by.at),
    };
  }

  async function checkReferences(tx: Tx, accountId: string, use: Consumption): Promise<void> {
    if (use.order_id && !(await orders.holdOrder(tx.db, accountId, use.order_id))) {
      throw invalid('/order_id', 'No order with this ID in the account. GET /print-jobs lists the orders.');
    }
    if (use.printer_id && !(await printers.holdPrinter(tx.db, accountId, use.printer_id))) {
      throw invalid('/printer_id', 'No printer with this ID in the account. GET /printers lists the printers.');
    }
  }

  /**
   * As `consume`, as part of a larger transaction. When it throws, nothing was written.
   * @throws DomainError not_found, validation_error, insufficient_stock
   */
  async function consumeInTransaction(
    tx: Tx,
    actor: Author,
    id: string,
    use: Consumption,
    source: DeductionSource,
  ): Promise<Filament> {
    const { accountId } = actor;
    const filament = await lockForChange(tx, accountId, id);
    await checkReferences(tx, accountId, use);
    const gramsMg = toThousandths(use.grams);
    const shares = await chooseBatches(tx.db, filament, gramsMg, use.allow_overdraw ?? false);
    const by = { actor: actor.tokenName, at: clock() };
    const entries = toEntries(filament, shares, use, source);
    await batchStore.deductFromBatches(tx.db, shares);
    await ledgerStore.insertLedger(tx.db, id, entries, by);
    const after = await store.addToStock(tx.db, id, { spools: 0, usedMg: gramsMg }, by.at);
    if (use.order_id) {
      const costMinor = sumOfCosts(entries.map((entry) => entry.costMinor));
      const used = { orderId: use.order_id, filamentId: id, gramsMg, costMinor, note: use.note ?? null, ...by };
      await orders.recordConsumption(tx, used);
    }
    const remainingMg = filament.remainingMg - gramsMg;
    await appendLowStock(outbox, tx, actor, filament, { remainingMg }, by.at);
    return after;
  }

  return {
    list: (accountId: string, filter: store.FilamentFilter, page: Page): Promise<Listed<Filament>> =>
      store.listFilaments(storage.read, accountId, filter, page),

    /** @throws DomainError not_found */
    async get(accountId: string, id: string): Promise<Filament> {
      const found = await store.findFilament(storage.read, accountId, id);
      if (!found) throw notFound();
      return found;
    },

    /** Newest first, including archived batches. @throws DomainError not_found */
    async batches(accountId: string, id: string, page: Page): Promise<Listed<Batch>> {
      await checkFilament(accountId, id);
      return batchStore.listBatches(storage.read, id, page);
    },

    /** @throws DomainError not_found */
    async batch(accountId: string, id: string, batchId: string): Promise<Batch> {
      await checkFilament(accountId, id);
      const found = await batchStore.findBatch(storage.read, id, batchId);
      if (!found) throw notFound();
      return found;
    },

    /** @throws DomainError not_found */
    async ledger(accountId: string, id: string, page: Page): Promise<Listed<LedgerEntry>> {
      await checkFilament(accountId, id);
      return ledgerStore.listLedger(storage.read, id, page);
    },

    /** @throws DomainError validation_error, idempotency_conflict */
    create(
      actor: Author,
      input: FilamentInput,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Filament>> {
      const { accountId } = actor;
      checkNames(FILAMENT_NAMES, input);
      return withIdempotency(accountId, idempotency, async (tx) => {
        const at = clock();
        const spoolWeightMg = toThousandths(input.spool_weight_grams ?? DEFAULT_SPOOL_GRAMS);
        const created = await store.insertFilament(tx.db, accountId, {
          id: newId(),
          name: input.name,
          brand: input.brand ?? '',
          type_name: input.type_name ?? '',
          colors: input.colors ?? [],
          is_gradient: input.is_gradient ?? false,
          spoolWeightMg,
          thresholdMg: toThousandths(input.low_stock_threshold_grams ?? 0),
          at,
        });
        tx.changed(accountId, { kind: 'filament', id: created.id });
        const { spool_count } = input;
        if (!spool_count) return created;
        const first = { ...input, spool_count };
        const by = { actor: actor.tokenName, at };
        return (await receive(tx, accountId, { id: created.id, spoolWeightMg, isNew: true }, first, by)).filament;
      });
    },

    /** @throws DomainError not_found, precondition_failed, validation_error */
    update: (actor: Author, id: string, patch: FilamentPatch, ifMatch?: string): Promise<Filament> =>
      storage.inTransaction(async (tx) => {
        const { accountId } = actor;
        const locked = await lockForChange(tx, accountId, id);
        const stored = (await store.findFilament(tx.db, accountId, id)) as Filament;
        const at = nextVersion(stored, ifMatch, 'filament', clock());
        const before = toChange(stored, locked);
        const change = applyPatch(before, patch);
        if (JSON.stringify(change) === JSON.stringify(before)) return stored;
        checkNames(FILAMENT_NAMES, change, before);
        const by = { actor: actor.tokenName, at };
        if (change.spoolWeightMg !== before.spoolWeightMg) await changeSpoolWeight(tx, id, change.spoolWeightMg, by);
        const after = await store.updateFilament(tx.db, id, change, by.at);
        const { name, thresholdMg } = change;
        const remainingMg = toThousandths(after.remaining_grams);
        await appendLowStock(outbox, tx, actor, locked, { name, thresholdMg, remainingMg }, by.at);
        return after;
      }),

    /**
     * Deletes a filament with its batches and its ledger. Order histories keep what was consumed. @throws DomainError
     * not_found, precondition_failed
     */
    remove: ({ accountId }: Actor, id: string, ifMatch?: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await lockForChange(tx, accountId, id);
        const { updated_at: version } = (await store.findFilament(tx.db, accountId, id)) as Filament;
        checkVersion(ifMatch, version, { name: 'filament', tag: 'updated_at in quotes' });
        await store.deleteFilament(tx.db, id);
      }),

    /** @throws DomainError not_found, idempotency_conflict */
    addBatch: (
      { accountId, tokenName }: Author,
      id: string,
      input: BatchInput,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Batch>> =>
      withIdempotency(accountId, idempotency, async (tx) => {
        const filament = await lockForChange(tx, accountId, id);
        const by = { actor: tokenName, at: clock() };
        return (await receive(tx, accountId, filament, input, by)).batch;
      }),

    /**
     * Deducts grams, oldest batch first, and sends `filament.low_stock` if the stock becomes low. All or nothing.
     * @throws DomainError not_found, validation_error, insufficient_stock, idempotency_conflict
     */
    consume: (
      actor: Author,
      id: string,
      use: Consumption,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Consumed>> =>
      withIdempotency(actor.accountId, idempotency, async (tx) => {
        const after = await consumeInTransaction(tx, actor, id, use, 'request');
        if (!use.order_id) return after;
        const alreadyMg = await ledgerStore.sumDeducted(tx.db, use.order_id, 'report', clock());
        return alreadyMg > 0 ? { ...after, already_deducted_grams: fromThousandths(alreadyMg) } : after;
      }),

    consumeInTransaction,

    /** What was deducted for an order from a source in the 24 hours before `until` (milliseconds) and not undone, in grams. */
    deductedFor: async (orderId: string, source: DeductionSource, until: number): Promise<number> =>
      fromThousandths(await ledgerStore.sumDeducted(storage.read, orderId, source, until)),

    /**
     * Reverses a ledger entry, and the entries deducted together with it, by opposite entries in the same batches. An entry
     * can be undone once.
     * @throws DomainError not_found, validation_error, idempotency_conflict
     */
    undo: (
      actor: Author,
      id: string,
      entryId: string,
      input: { note?: string | null | undefined },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Undone>> =>
      withIdempotency(actor.accountId, idempotency, async (tx) => {
        const { accountId, tokenName } = actor;
        const filament = await lockForChange(tx, accountId, id);
        const lines = await findUndoable(tx, id, entryId);
        const [first] = lines;
        const by = { actor: tokenName, at: clock() };
        const note = input.note ?? null;
        const { spools, gramsMg } =
          first.kind === 'receipt' ? await undoReceipt(tx, first, by.at) : await undoUse(tx, filament, lines);
        const countedAt = await ledgerStore.findLaterStocktake(tx.db, id, lines);
        const consumptionId = newId();
        const entries = lines.map((line) => opposite(line, consumptionId, note, filament.spoolWeightMg));
        await ledgerStore.insertLedger(tx.db, id, entries, by);
        const after = await store.addToStock(tx.db, id, { spools, usedMg: 0 - gramsMg }, by.at);
        const { orderId } = first;
        if (orderId !== null && (await orders.holdOrder(tx.db, accountId, orderId))) {
          const costMinor = sumOfCosts(entries.map((entry) => entry.costMinor));
          const returned = { orderId, filamentId: id, gramsMg: -gramsMg, costMinor, note, ...by };
          await orders.recordConsumption(tx, returned);
        }
        const remainingMg = filament.remainingMg + spools * filament.spoolWeightMg + gramsMg;
        await appendLowStock(outbox, tx, actor, filament, { remainingMg }, by.at);
        return countedAt === undefined ? after : { ...after, older_than_stocktake: toIso(countedAt) };
      }),

    /**
     * Corrects the stock to what was counted or weighed, by one adjustment per batch that differs. If none does, an
     * adjustment of 0 g says that the stock was counted.
     * @throws DomainError not_found, validation_error, idempotency_conflict
     */
    stocktake: (
      actor: Author,
      id: string,
      count: Stocktake,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Filament>> =>
      withIdempotency(actor.accountId, idempotency, async (tx) => {
        const { accountId, tokenName } = actor;
        const filament = await lockForChange(tx, accountId, id);
        const corrections = await findCorrections(tx, filament, count);
        const at = clock();
        if (corrections.length === 0) return (await store.findFilament(tx.db, accountId, id)) as Filament;
        const gainedMg = corrections.reduce((sum, { gramsMg }) => sum + gramsMg, 0);
        await batchStore.returnToBatches(tx.db, filament, corrections);
        await ledgerStore.insertLedger(tx.db, id, toAdjustments(filament, corrections, count), {
          actor: tokenName,
          at,
        });
        const after = await store.addToStock(tx.db, id, { spools: 0, usedMg: 0 - gainedMg }, at);
        const remainingMg = filament.remainingMg + gainedMg;
        await appendLowStock(outbox, tx, actor, filament, { remainingMg }, at);
        return after;
      }),

    /** Consumption of the last `days` UTC days, including today. @throws DomainError validation_error */
    async usage(accountId: string, days: number, filamentId: string | undefined): Promise<Usage> {
      const now = clock();
      const since = Math.floor(now / DAY_MS) - days + 1;
      const items = await sumUsage(storage.read, accountId, since, filamentId);
      return { from: toDay(since * DAY_MS), to: toDay(now), items };
    },

    /** The number of filaments and how many are low, for the summary. */
    counts: (accountId: string) => store.countFilaments(storage.read, accountId),

    /** whether the account has this filament, which can't be deleted until the transaction ends */
    holdFilament: store.holdFilament,
    lockFilament: store.lockFilament,
  };
}

/** Locks a filament until the transaction ends and notifies open pages of a change. @throws DomainError not_found */
async function lockForChange(tx: Tx, accountId: string, id: string): Promise<store.LockedFilament> {
  const filament = await store.lockFilament(tx.db, accountId, id);
  if (!filament) throw notFound();
  tx.changed(accountId, { kind: 'filament', id });
  return filament;
}

/** The stored filament in the shape and units of an update. */
const toChange = (stored: Filament, locked: store.LockedFilament): store.FilamentChange => ({
  name: stored.name,
  brand: stored.brand,
  type_name: stored.type_name,
  colors: stored.colors,
  is_gradient: stored.is_gradient,
  spoolWeightMg: locked.spoolWeightMg,
  thresholdMg: locked.thresholdMg,
});

const applyPatch = (
  before: store.FilamentChange,
  { spool_weight_grams: weight, low_stock_threshold_grams: threshold, ...fields }: FilamentPatch,
): store.FilamentChange =>
  patched(before, {
    ...fields,
    spoolWeightMg: weight === undefined ? undefined : toThousandths(weight),
    thresholdMg: threshold === undefined ? undefined : toThousandths(threshold ?? 0),
  });
