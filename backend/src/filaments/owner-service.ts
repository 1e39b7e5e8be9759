import type { Actor } from '../accounts/token.ts';
import type { AppendEvent } from '../events/outbox.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../idempotency/with-idempotency.ts';
import type { PublishChange } from '../jobs/jobs.ts';
import { type Clock, toDay } from '../shared/clock.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { checkNames } from '../shared/names.ts';
import { fromThousandths, toThousandths } from '../shared/schemas.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import { costOf, FILAMENT_NAMES, type Filament, settle, sumOfCosts } from './filament.ts';
import type { RecordConsumption } from './filament-service.ts';
import * as store from './filament-store.ts';
import { type DeductedLine, findDeduction, insertLedger } from './ledger-store.ts';
import { publishLowStock } from './low-stock.ts';
import { DAY_MS, type FilamentUsage, sumUsage } from './usage-store.ts';

/** Absent: stays as it is. */
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

export interface Count {
  /** what is there, at most 3 decimals */
  remaining_grams: number;
  /** absent: of all batches together */
  batch_id?: string | null | undefined;
  note?: string | null | undefined;
}

export type FilamentOwnerService = ReturnType<typeof createFilamentOwnerService>;

const refused = (detail: string) => new DomainError('validation_error', detail);

/** The line that takes back another, exactly: cost too, and for the same order. */
const opposite = (line: DeductedLine, consumptionId: string, note: string | null, spoolWeightMg: number) => ({
  id: newId(),
  batchId: line.batch.id,
  kind: 'undo' as const,
  consumptionId,
  undoesId: line.id,
  gramsMg: -line.gramsMg,
  // not -0, which JSON has no sign for
  costMinor: line.costMinor === null ? null : 0 - line.costMinor,
  orderId: line.orderId,
  printerId: line.printerId,
  note,
  overdraw: line.batch.usedMg + line.gramsMg > line.batch.spoolCount * spoolWeightMg,
});

/** The stock as only its owner changes it: correcting what was entered, counted or booked wrongly. */
export function createFilamentOwnerService(deps: {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  append: AppendEvent;
  recordConsumption: RecordConsumption;
  orderExists(db: Db, accountId: string, id: string): Promise<boolean>;
  /** tells open pages */
  publishChange?: PublishChange | undefined;
}) {
  const { storage, clock, withIdempotency, append, recordConsumption, orderExists } = deps;

  /** @throws DomainError not_found */
  async function lock(tx: Tx, accountId: string, id: string): Promise<store.LockedFilament> {
    const filament = await store.lockFilament(tx.db, accountId, id);
    if (!filament) throw notFound();
    tx.afterCommit(() => deps.publishChange?.(accountId, { kind: 'filament', id }));
    return filament;
  }

  /** Spools that never came: their batch counts no longer. */
  async function takeBackReceipt(
    tx: Tx,
    { batch }: DeductedLine,
    at: number,
  ): Promise<{ spools: number; gramsMg: number }> {
    if (batch.isArchived || batch.usedMg !== 0) {
      throw refused("Part of this batch has been used, so it can't be undone. Undo its deductions first.");
    }
    await store.archiveBatch(tx.db, batch.seq, at);
    return { spools: -batch.spoolCount, gramsMg: 0 };
  }

  /**
   * What was used or corrected, back into (or out of) the very batches. A batch never gets more than it held; it may come
   * into the red, as it was before a stock-take, and is marked for review then.
   */
  async function takeBackUse(
    tx: Tx,
    filament: store.LockedFilament,
    lines: readonly DeductedLine[],
  ): Promise<{ spools: number; gramsMg: number }> {
    if (lines.some(({ batch }) => batch.isArchived)) throw refused('The batch has been undone in the meantime.');
    if (lines.some(({ batch, gramsMg }) => batch.usedMg + gramsMg < 0)) {
      throw refused('A stocktake has already returned these grams. Undo the stocktake first.');
    }
    const gains = lines.map(({ batch, gramsMg }) => ({ seq: batch.seq, gramsMg: -gramsMg }));
    await store.giveToBatches(tx.db, filament, gains);
    return { spools: 0, gramsMg: gains.reduce((sum, gain) => sum + gain.gramsMg, 0) };
  }

  return {
    /** @throws DomainError not_found, validation_error */
    update: ({ accountId }: Actor, id: string, patch: FilamentPatch): Promise<Filament> =>
      storage.inTransaction(async (tx) => {
        const locked = await lock(tx, accountId, id);
        const stored = (await store.findFilament(tx.db, accountId, id)) as Filament;
        const { spool_weight_grams, low_stock_threshold_grams } = patch;
        const before: store.FilamentChange = {
          name: stored.name,
          brand: stored.brand,
          type_name: stored.type_name,
          colors: stored.colors,
          is_gradient: stored.is_gradient,
          spoolWeightMg: locked.spoolWeightMg,
          thresholdMg: locked.thresholdMg,
        };
        const change: store.FilamentChange = {
          name: patch.name ?? before.name,
          brand: patch.brand ?? before.brand,
          type_name: patch.type_name ?? before.type_name,
          colors: patch.colors ?? before.colors,
          is_gradient: patch.is_gradient ?? before.is_gradient,
          spoolWeightMg: spool_weight_grams === undefined ? before.spoolWeightMg : toThousandths(spool_weight_grams),
          thresholdMg:
            low_stock_threshold_grams === undefined
              ? before.thresholdMg
              : toThousandths(low_stock_threshold_grams ?? 0),
        };
        if (JSON.stringify(change) === JSON.stringify(before)) return stored;
        checkNames(FILAMENT_NAMES, change, before);
        if (change.spoolWeightMg !== before.spoolWeightMg && (await store.hasBatches(tx.db, id))) {
          throw invalid(
            '/spool_weight_grams',
            'Spools with this weight have already been received, so changing it would change their contents. Create a new filament for different spools.',
          );
        }
        const at = clock();
        const after = await store.updateFilament(tx.db, id, change, at);
        const { name, thresholdMg } = change;
        await publishLowStock(append, tx, accountId, locked, { name, thresholdMg }, at);
        return after;
      }),

    /** With its batches and its ledger; orders keep in their history what was used for them. @throws DomainError not_found */
    remove: ({ accountId }: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await lock(tx, accountId, id);
        await store.deleteFilament(tx.db, id);
      }),

    /**
     * Takes back a line of the ledger and those booked with it, once: by a line that is its opposite, in the same batch.
     * @throws DomainError not_found, validation_error, idempotency_conflict
     */
    undo: (
      { accountId, tokenName }: Actor,
      id: string,
      entryId: string,
      input: { note?: string | null | undefined },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Filament>> =>
      withIdempotency(accountId, idempotency, async (tx) => {
        const filament = await lock(tx, accountId, id);
        const lines = await findDeduction(tx.db, id, entryId);
        const [first] = lines;
        if (!first) throw notFound();
        if (first.kind === 'undo') throw refused('This entry is itself an undo. Enter the deduction again instead.');
        if (lines.some((line) => line.isUndone)) throw refused('This entry has already been undone.');
        const by = { actor: tokenName, at: clock() };
        const note = input.note ?? null;
        const { spools, gramsMg } =
          first.kind === 'receipt' ? await takeBackReceipt(tx, first, by.at) : await takeBackUse(tx, filament, lines);
        const consumptionId = newId();
        const entries = lines.map((line) => opposite(line, consumptionId, note, filament.spoolWeightMg));
        await insertLedger(tx.db, id, entries, by);
        const after = await store.addToStock(tx.db, id, { spools, usedMg: 0 - gramsMg }, by.at);

        const orderId = first.orderId;
        if (orderId !== null && (await orderExists(tx.db, accountId, orderId))) {
          const costMinor = sumOfCosts(entries.map((entry) => entry.costMinor));
          await recordConsumption(tx, { orderId, filamentId: id, gramsMg: -gramsMg, costMinor, note, ...by });
        }
        const remainingMg = filament.remainingMg + spools * filament.spoolWeightMg + gramsMg;
        await publishLowStock(append, tx, accountId, filament, { remainingMg }, by.at);
        return after;
      }),

    /**
     * What was counted or weighed becomes what the books say, by one adjustment per batch that differs.
     * @throws DomainError not_found, validation_error, idempotency_conflict
     */
    stockTake: (
      { accountId, tokenName }: Actor,
      id: string,
      count: Count,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Filament>> =>
      withIdempotency(accountId, idempotency, async (tx) => {
        const filament = await lock(tx, accountId, id);
        const all = await store.unarchivedBatches(tx.db, filament);
        const batches = count.batch_id ? all.filter((batch) => batch.id === count.batch_id) : all;
        if (count.batch_id && batches.length === 0) {
          throw invalid(
            '/batch_id',
            'Batch not found for this filament. GET /filaments/{id}/batches lists its batches.',
          );
        }
        const { corrections, restMg } = settle(batches, toThousandths(count.remaining_grams));
        if (restMg > 0) {
          const whole = fromThousandths(toThousandths(count.remaining_grams) - restMg);
          throw invalid(
            '/remaining_grams',
            `That is more than has ever been received (${whole} g). Add a batch for spools that haven't been entered yet.`,
          );
        }
        const at = clock();
        const consumptionId = newId();
        if (corrections.length === 0) return (await store.findFilament(tx.db, accountId, id)) as Filament;
        const gainedMg = corrections.reduce((sum, { gramsMg }) => sum + gramsMg, 0);
        await store.giveToBatches(
          tx.db,
          filament,
          corrections.map(({ batch, gramsMg }) => ({ seq: batch.seq, gramsMg })),
        );
        const entries = corrections.map(({ batch, gramsMg }) => {
          const worth = costOf(Math.abs(gramsMg), filament.spoolWeightMg, batch.spoolPriceMinor);
          return {
            id: newId(),
            batchId: batch.id,
            kind: 'adjustment' as const,
            consumptionId,
            undoesId: null,
            gramsMg,
            costMinor: worth === null || gramsMg < 0 ? worth : 0 - worth,
            orderId: null,
            printerId: null,
            note: count.note ?? null,
            overdraw: false,
          };
        });
        await insertLedger(tx.db, id, entries, { actor: tokenName, at });
        const after = await store.addToStock(tx.db, id, { spools: 0, usedMg: -gainedMg }, at);
        await publishLowStock(append, tx, accountId, filament, { remainingMg: filament.remainingMg + gainedMg }, at);
        return after;
      }),

    /** What was used in the last days, today in UTC being the last of them. @throws DomainError validation_error */
    async usage(
      accountId: string,
      days: number,
      filamentId: string | undefined,
    ): Promise<{ from: string; to: string; items: FilamentUsage[] }> {
      const now = clock();
      const since = Math.floor(now / DAY_MS) - days + 1;
      const items = await sumUsage(storage.read, accountId, since, filamentId);
      return { from: toDay(since * DAY_MS), to: toDay(now), items };
    },
  };
}
