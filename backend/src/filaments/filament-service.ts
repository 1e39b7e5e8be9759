import type { Author } from '../accounts/token.ts';
import type { AppendEvent } from '../events/outbox.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../idempotency/with-idempotency.ts';
import type { PublishChange } from '../jobs/jobs.ts';
import type { Clock } from '../shared/clock.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { checkNames } from '../shared/names.ts';
import { fromThousandths, type Listed, type Page, toThousandths } from '../shared/schemas.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import {
  type Batch,
  costOf,
  FILAMENT_NAMES,
  type Filament,
  hasPrice,
  type LedgerEntry,
  overdrawLast,
  type Share,
  type SpoolPrice,
  splitFifo,
  sumOfCosts,
  toPriceMinor,
} from './filament.ts';
import * as store from './filament-store.ts';
import { insertLedger, listLedger, type NewLedgerEntry } from './ledger-store.ts';
import { publishLowStock } from './low-stock.ts';
import { findStockFaults } from './stock-check-store.ts';

const DEFAULT_SPOOL_GRAMS = 1000;

export interface BatchInput extends SpoolPrice {
  spool_count: number;
  /** milliseconds; default now */
  received_at?: number | undefined;
}

/** With a `spool_count` above 0 the first batch is received at once. */
export interface FilamentInput extends Partial<BatchInput> {
  name: string;
  brand?: string | undefined;
  type_name?: string | undefined;
  colors?: string[] | undefined;
  is_gradient?: boolean | undefined;
  spool_weight_grams?: number | undefined;
  low_stock_threshold_grams?: number | null | undefined;
}

export interface Consumption {
  /** above 0, at most 3 decimals */
  grams: number;
  order_id?: string | null | undefined;
  printer_id?: string | null | undefined;
  note?: string | null | undefined;
  /** book also what is not there */
  allow_overdraw?: boolean | undefined;
}

/** Notes in an order's history what was taken for it, or with negative amounts what was given back. */
export type RecordConsumption = (
  tx: Tx,
  use: {
    orderId: string;
    filamentId: string;
    gramsMg: number;
    costMinor: number | null;
    note: string | null;
    actor: string;
    at: number;
  },
) => Promise<void>;

export type FilamentService = ReturnType<typeof createFilamentService>;

export function createFilamentService(deps: {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  append: AppendEvent;
  recordConsumption: RecordConsumption;
  orderExists(db: Db, accountId: string, id: string): Promise<boolean>;
  printerExists(db: Db, accountId: string, id: string): Promise<boolean>;
  /** The account's currency, which stays until the transaction ends. */
  holdCurrency(db: Db, accountId: string): Promise<string>;
  /** tells open pages */
  publishChange?: PublishChange | undefined;
}) {
  const { storage, clock, withIdempotency, append, recordConsumption, orderExists, printerExists, holdCurrency } = deps;

  const tell = (tx: Tx, accountId: string, id: string) =>
    tx.afterCommit(() => deps.publishChange?.(accountId, { kind: 'filament', id }));

  async function checkReferences(db: Db, accountId: string, use: Consumption): Promise<void> {
    if (use.order_id && !(await orderExists(db, accountId, use.order_id))) {
      throw invalid('/order_id', 'No order with this ID in the account. GET /print-jobs lists the orders.');
    }
    if (use.printer_id && !(await printerExists(db, accountId, use.printer_id))) {
      throw invalid('/printer_id', 'No printer with this ID in the account. GET /printers lists the printers.');
    }
  }

  /** A batch, its line in the ledger and the filament's sums. */
  async function receive(
    tx: Tx,
    accountId: string,
    filament: { id: string; spoolWeightMg: number },
    input: BatchInput,
    by: { actor: string; at: number },
  ): Promise<{ batch: Batch; filament: Filament }> {
    const spoolPriceMinor = hasPrice(input) ? toPriceMinor(input, await holdCurrency(tx.db, accountId)) : null;
    const batch = await store.insertBatch(tx.db, filament.id, {
      id: newId(),
      receivedAt: input.received_at ?? by.at,
      spoolCount: input.spool_count,
      spoolPriceMinor,
      at: by.at,
    });
    const receipt: NewLedgerEntry = {
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
    await insertLedger(tx.db, filament.id, [receipt], by);
    return {
      batch,
      filament: await store.addToStock(tx.db, filament.id, { spools: input.spool_count, usedMg: 0 }, by.at),
    };
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
   * Which batches give how much. What is there is the filament's remaining grams, not the sum of what single batches have
   * left: a batch in the red counts against the others.
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
    const { shares, restMg } = splitFifo(await store.batchesWithStock(db, filament), gramsMg);
    if (restMg === 0) return shares;
    const youngest = await store.youngestBatch(db, filament);
    if (!youngest) {
      const hint = 'There is no batch to overdraw. Add one with POST /filaments/{id}/batches.';
      throw insufficient(filament, gramsMg, hint);
    }
    return overdrawLast(shares, youngest, restMg);
  }

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

    /** Archived ones too, newest first. @throws DomainError not_found */
    async batches(accountId: string, id: string, page: Page): Promise<Listed<Batch>> {
      await checkFilament(accountId, id);
      return store.listBatches(storage.read, id, page);
    },

    /** @throws DomainError not_found */
    async batch(accountId: string, id: string, batchId: string): Promise<Batch> {
      await checkFilament(accountId, id);
      const found = await store.findBatch(storage.read, id, batchId);
      if (!found) throw notFound();
      return found;
    },

    /** @throws DomainError not_found */
    async ledger(accountId: string, id: string, page: Page): Promise<Listed<LedgerEntry>> {
      await checkFilament(accountId, id);
      return listLedger(storage.read, id, page);
    },

    /** @throws DomainError idempotency_conflict */
    create(
      actor: Author,
      input: FilamentInput,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Filament>> {
      checkNames(FILAMENT_NAMES, input);
      return withIdempotency(actor.accountId, idempotency, async (tx) => {
        const at = clock();
        const spoolWeightMg = toThousandths(input.spool_weight_grams ?? DEFAULT_SPOOL_GRAMS);
        const created = await store.insertFilament(tx.db, actor.accountId, {
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
        tell(tx, actor.accountId, created.id);
        const { spool_count } = input;
        if (!spool_count) return created;
        const by = { actor: actor.tokenName, at };
        const first = { ...input, spool_count };
        return (await receive(tx, actor.accountId, { id: created.id, spoolWeightMg }, first, by)).filament;
      });
    },

    /** @throws DomainError not_found, idempotency_conflict */
    addBatch(
      actor: Author,
      id: string,
      input: BatchInput,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Batch>> {
      return withIdempotency(actor.accountId, idempotency, async (tx) => {
        const filament = await store.lockFilament(tx.db, actor.accountId, id);
        if (!filament) throw notFound();
        tell(tx, actor.accountId, id);
        const { batch } = await receive(tx, actor.accountId, filament, input, { actor: actor.tokenName, at: clock() });
        return batch;
      });
    },

    /**
     * Deducts grams, oldest batch first, and sends `filament.low_stock` when that makes the stock low. All or nothing.
     * @throws DomainError not_found, validation_error, insufficient_stock, idempotency_conflict
     */
    consume(
      actor: Author,
      id: string,
      use: Consumption,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Filament>> {
      return withIdempotency(actor.accountId, idempotency, async (tx) => {
        const filament = await store.lockFilament(tx.db, actor.accountId, id);
        if (!filament) throw notFound();
        tell(tx, actor.accountId, id);
        await checkReferences(tx.db, actor.accountId, use);

        const gramsMg = toThousandths(use.grams);
        const shares = await chooseBatches(tx.db, filament, gramsMg, use.allow_overdraw ?? false);
        const by = { actor: actor.tokenName, at: clock() };
        const orderId = use.order_id ?? null;
        const note = use.note ?? null;
        const consumptionId = newId();
        const entries = shares.map(
          (share): NewLedgerEntry => ({
            id: newId(),
            batchId: share.batch.id,
            kind: 'consumption',
            consumptionId,
            undoesId: null,
            gramsMg: -share.gramsMg,
            costMinor: costOf(share.gramsMg, filament.spoolWeightMg, share.batch.spoolPriceMinor),
            orderId,
            printerId: use.printer_id ?? null,
            note,
            overdraw: share.overdraw,
          }),
        );
        await store.takeFromBatches(tx.db, shares);
        await insertLedger(tx.db, id, entries, by);
        const after = await store.addToStock(tx.db, id, { spools: 0, usedMg: gramsMg }, by.at);

        if (orderId !== null) {
          const costMinor = sumOfCosts(entries.map((entry) => entry.costMinor));
          await recordConsumption(tx, { orderId, filamentId: id, gramsMg, costMinor, note, ...by });
        }
        await publishLowStock(
          append,
          tx,
          actor.accountId,
          filament,
          { remainingMg: filament.remainingMg - gramsMg },
          by.at,
        );
        return after;
      });
    },

    /** How many filaments there are and how many of them are low, for the summary. */
    counts: (accountId: string) => store.countFilaments(storage.read, accountId),

    /** Whether the account has this filament, which then stays until the transaction ends. */
    filamentExists: store.holdFilament,
    lockFilament: store.lockFilament,

    /** The stored invariants of the stock that do not hold, of all accounts, as sentences. */
    check: (db: Db): Promise<string[]> => findStockFaults(db),
  };
}
