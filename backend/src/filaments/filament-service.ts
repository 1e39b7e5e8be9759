import type { Actor, Author } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult } from '../idempotency/with-idempotency.ts';
import { DAY_MS, toDay } from '../shared/clock.ts';
import { notFound } from '../shared/errors.ts';
import { nextVersion } from '../shared/etag.ts';
import { newId } from '../shared/ids.ts';
import { checkNames } from '../shared/names.ts';
import type { Patch } from '../shared/patch.ts';
import { fromThousandths, type Listed, type Page, toThousandths } from '../shared/schemas.ts';
import type { Db } from '../storage/dialect.ts';
import type { Tx } from '../storage/transaction.ts';
import { type Consumption, consume, consumeInTransaction, undo } from './consumption.ts';
import {
  type Batch,
  type DeductionSource,
  FILAMENT_NAMES,
  type Filament,
  hasPrice,
  type LedgerEntry,
  type SpoolPrice,
  toPriceMinor,
} from './filament.ts';
import * as store from './filament-store.ts';
import { publishLowStock } from './low-stock.ts';
import { changeSpoolWeight } from './spool-weight.ts';
import { findStockFaults } from './stock-check-store.ts';
import { lockForChange, type StockDeps } from './stock-deps.ts';
import * as stockStore from './stock-store.ts';
import { type Stocktake, stocktake } from './stocktake.ts';
import { type FilamentUsage, sumUsage } from './usage-store.ts';

const DEFAULT_SPOOL_GRAMS = 1000;

export interface BatchInput extends SpoolPrice {
  spool_count: number;
  /** milliseconds; default now */
  received_at?: number | undefined;
}

/** With a `spool_count` above 0, the first batch is received at once. */
export interface FilamentInput extends Patch<BatchInput> {
  name: string;
  brand?: string | undefined;
  type_name?: string | undefined;
  colors?: string[] | undefined;
  is_gradient?: boolean | undefined;
  spool_weight_grams?: number | undefined;
  low_stock_threshold_grams?: number | null | undefined;
}

/** Absent fields keep their values. */
export interface FilamentPatch {
  name?: string | undefined;
  brand?: string | undefined;
  type_name?: string | undefined;
  colors?: string[] | undefined;
  is_gradient?: boolean | undefined;
  spool_weight_grams?: number | undefined;
  /** null: never low, as is 0 */
  low_stock_threshold_grams?: number | null | undefined;
}

export type FilamentService = ReturnType<typeof createFilamentService>;

/** Filaments, their batches and the ledger of their stock. */
export function createFilamentService(deps: StockDeps) {
  const { storage } = deps;

  /** @throws DomainError not_found */
  async function checkFilament(accountId: string, id: string): Promise<void> {
    if (!(await store.filamentExists(storage.read, accountId, id))) throw notFound();
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
      return stockStore.listBatches(storage.read, id, page);
    },

    /** @throws DomainError not_found */
    async batch(accountId: string, id: string, batchId: string): Promise<Batch> {
      await checkFilament(accountId, id);
      const found = await stockStore.findBatch(storage.read, id, batchId);
      if (!found) throw notFound();
      return found;
    },

    /** @throws DomainError not_found */
    async ledger(accountId: string, id: string, page: Page): Promise<Listed<LedgerEntry>> {
      await checkFilament(accountId, id);
      return stockStore.listLedger(storage.read, id, page);
    },

    /** @throws DomainError validation_error, idempotency_conflict */
    create: (actor: Author, input: FilamentInput, idempotency: IdempotencyRequest | undefined) =>
      create(deps, actor, input, idempotency),

    /** @throws DomainError not_found, validation_error */
    update: (actor: Author, id: string, patch: FilamentPatch, ifMatch?: string) =>
      update(deps, actor, id, patch, ifMatch),

    /**
     * Deletes a filament with its batches and its ledger. Order histories keep what was consumed. @throws DomainError
     * not_found
     */
    remove: ({ accountId }: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await lockForChange(tx, accountId, id);
        await store.deleteFilament(tx.db, id);
      }),

    /** @throws DomainError not_found, idempotency_conflict */
    addBatch: (actor: Author, id: string, input: BatchInput, idempotency: IdempotencyRequest | undefined) =>
      addBatch(deps, actor, id, input, idempotency),

    /** @throws DomainError not_found, validation_error, insufficient_stock, idempotency_conflict */
    consume: (actor: Author, id: string, use: Consumption, idempotency: IdempotencyRequest | undefined) =>
      consume(deps, actor, id, use, idempotency),

    /** As `consume`, as part of a larger transaction. @throws DomainError not_found, validation_error, insufficient_stock */
    consumeInTransaction: (tx: Tx, actor: Author, id: string, use: Consumption, source: DeductionSource) =>
      consumeInTransaction(deps, tx, actor, id, use, source),

    /** What was deducted for an order from a source in the 24 hours before `until` (milliseconds) and not undone, in grams. */
    deductedFor: async (orderId: string, source: DeductionSource, until: number): Promise<number> =>
      fromThousandths(await stockStore.sumDeducted(storage.read, orderId, source, until)),

    /** @throws DomainError not_found, validation_error, idempotency_conflict */
    undo: (
      actor: Actor,
      id: string,
      entryId: string,
      input: { note?: string | null | undefined },
      idempotency: IdempotencyRequest | undefined,
    ) => undo(deps, actor, id, entryId, input, idempotency),

    /** @throws DomainError not_found, validation_error, idempotency_conflict */
    stocktake: (actor: Actor, id: string, count: Stocktake, idempotency: IdempotencyRequest | undefined) =>
      stocktake(deps, actor, id, count, idempotency),

    /** Consumption of the last `days` UTC days, including today. @throws DomainError validation_error */
    usage: (accountId: string, days: number, filamentId: string | undefined) =>
      readUsage(deps, accountId, days, filamentId),

    /** The number of filaments and how many are low, for the summary. */
    counts: (accountId: string) => store.countFilaments(storage.read, accountId),

    /** whether the account has this filament, which can't be deleted until the transaction ends */
    holdFilament: store.holdFilament,
    lockFilament: store.lockFilament,

    /** Violated invariants of the stored stock, of all accounts, one sentence each. */
    check: (db: Db): Promise<string[]> => findStockFaults(db),
  };
}

/** @throws DomainError validation_error, idempotency_conflict */
function create(
  deps: StockDeps,
  actor: Author,
  input: FilamentInput,
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<Filament>> {
  const { accountId } = actor;
  checkNames(FILAMENT_NAMES, input);
  return deps.withIdempotency(accountId, idempotency, async (tx) => {
    const at = deps.clock();
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
    return (await receive(deps, tx, accountId, { id: created.id, spoolWeightMg }, first, by)).filament;
  });
}

/** @throws DomainError not_found, idempotency_conflict */
function addBatch(
  deps: StockDeps,
  { accountId, tokenName }: Author,
  id: string,
  input: BatchInput,
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<Batch>> {
  return deps.withIdempotency(accountId, idempotency, async (tx) => {
    const filament = await lockForChange(tx, accountId, id);
    const by = { actor: tokenName, at: deps.clock() };
    return (await receive(deps, tx, accountId, filament, input, by)).batch;
  });
}

/** Inserts a batch and its ledger entry and updates the filament's sums. */
async function receive(
  deps: Pick<StockDeps, 'holdCurrency'>,
  tx: Tx,
  accountId: string,
  filament: { id: string; spoolWeightMg: number },
  input: BatchInput,
  by: { actor: string; at: number },
): Promise<{ batch: Batch; filament: Filament }> {
  const spoolPriceMinor = hasPrice(input) ? toPriceMinor(input, await deps.holdCurrency(tx.db, accountId)) : null;
  const batch = await stockStore.insertBatch(tx.db, filament.id, {
    id: newId(),
    receivedAt: input.received_at ?? by.at,
    spoolCount: input.spool_count,
    spoolPriceMinor,
    at: by.at,
  });
  const receipt: stockStore.NewLedgerEntry = {
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
  await stockStore.insertLedger(tx.db, filament.id, [receipt], by);
  return {
    batch,
    filament: await store.addToStock(tx.db, filament.id, { spools: input.spool_count, usedMg: 0 }, by.at),
  };
}

/** @throws DomainError not_found, precondition_failed, validation_error */
function update(
  deps: StockDeps,
  actor: Author,
  id: string,
  patch: FilamentPatch,
  ifMatch: string | undefined,
): Promise<Filament> {
  const { accountId } = actor;
  return deps.storage.inTransaction(async (tx) => {
    const locked = await lockForChange(tx, accountId, id);
    const stored = (await store.findFilament(tx.db, accountId, id)) as Filament;
    const at = nextVersion(stored, ifMatch, 'filament', deps.clock());
    const before = toChange(stored, locked);
    const change = applyPatch(before, patch);
    if (JSON.stringify(change) === JSON.stringify(before)) return stored;
    checkNames(FILAMENT_NAMES, change, before);
    const by = { actor: actor.tokenName, at };
    if (change.spoolWeightMg !== before.spoolWeightMg) await changeSpoolWeight(tx, id, change.spoolWeightMg, by);
    const after = await store.updateFilament(tx.db, id, change, by.at);
    const { name, thresholdMg } = change;
    const remainingMg = toThousandths(after.remaining_grams);
    await publishLowStock(deps.append, tx, actor, locked, { name, thresholdMg, remainingMg }, by.at);
    return after;
  });
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

function applyPatch(before: store.FilamentChange, patch: FilamentPatch): store.FilamentChange {
  const { spool_weight_grams, low_stock_threshold_grams } = patch;
  return {
    name: patch.name ?? before.name,
    brand: patch.brand ?? before.brand,
    type_name: patch.type_name ?? before.type_name,
    colors: patch.colors ?? before.colors,
    is_gradient: patch.is_gradient ?? before.is_gradient,
    spoolWeightMg: spool_weight_grams === undefined ? before.spoolWeightMg : toThousandths(spool_weight_grams),
    thresholdMg:
      low_stock_threshold_grams === undefined ? before.thresholdMg : toThousandths(low_stock_threshold_grams ?? 0),
  };
}

async function readUsage(
  { storage, clock }: StockDeps,
  accountId: string,
  days: number,
  filamentId: string | undefined,
): Promise<{ from: string; to: string; items: FilamentUsage[] }> {
  const now = clock();
  const since = Math.floor(now / DAY_MS) - days + 1;
  const items = await sumUsage(storage.read, accountId, since, filamentId);
  return { from: toDay(since * DAY_MS), to: toDay(now), items };
}
