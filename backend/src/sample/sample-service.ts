import type { Actor } from '../accounts/token.ts';
import type { FilamentService } from '../filaments/filament-service.ts';
import type { Order } from '../orders/order.ts';
import type { OrderService } from '../orders/order-service.ts';
import { isOpenStatus } from '../orders/status.ts';
import type { PrinterService } from '../printers/printer-service.ts';
import { type Clock, toDay } from '../shared/clock.ts';
import { toMinor } from '../shared/currency.ts';
import { invalid } from '../shared/errors.ts';
import type { Language } from '../shared/language.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import {
  ACTOR,
  CUSTOMERS,
  FILAMENTS,
  GROUPS,
  MODELS,
  NOTES,
  OTHER_PRINTS,
  PATHS,
  priceIn,
  STATUSES,
} from './sample-data.ts';
import * as store from './sample-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

/** Consumption without an order is spread over this many entries, starting this many days ago. */
const PORTIONS = 12;
const USED_SINCE_DAYS = 58;

const milli = (value: number): number => Math.round(value * 1000) / 1000;
const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** The services on a transaction, with a clock that may show another time than now. */
export type TransactionalServices = (
  tx: Tx,
  clock: Clock,
) => {
  orders: OrderService;
  filaments: FilamentService;
  printers: PrinterService;
};

export type SampleService = ReturnType<typeof createSampleService>;

export function createSampleService(deps: {
  storage: Storage;
  clock: Clock;
  transactionalServices: TransactionalServices;
  /** the account's currency */
  currencyOf(db: Db, accountId: string): Promise<string>;
}) {
  const { storage, clock, transactionalServices, currencyOf } = deps;

  async function createPrinters(tx: Tx, actor: Actor, language: Language, at: number): Promise<string[]> {
    const { accountId } = actor;
    const { printers } = transactionalServices(tx, () => at);
    const ids: string[] = [];
    for (const [place, group] of GROUPS.entries()) {
      const { result } = await printers.createGroup(
        actor,
        { name: group.name[language], sort_order: place },
        undefined,
      );
      await store.insertSampleRecord(tx.db, accountId, 'printer_group', result.id);
      for (const [sort_order, [name, internal_name, model, is_favorite]] of group.printers.entries()) {
        const fields = { name: name[language], internal_name, model, is_favorite, sort_order, group_id: result.id };
        const { result: printer } = await printers.create(actor, fields, undefined);
        await store.insertSampleRecord(tx.db, accountId, 'printer', printer.id);
        ids.push(printer.id);
      }
    }
    return ids;
  }

  /** Creates everything in the order in which it would have happened. */
  async function fill(tx: Tx, actor: Actor, language: Language) {
    const { accountId } = actor;
    const currency = await currencyOf(tx.db, accountId);
    const now = clock();
    let at = now;
    const { orders, filaments } = transactionalServices(tx, () => at);
    const events: { at: number; run(): Promise<void> }[] = [];

    const printerIds = await createPrinters(tx, actor, language, now - 90 * DAY_MS);

    const spools: { id: string; type: string; color: string; left: number; threshold: number; toUse: number }[] = [];
    let batches = 0;
    for (const [name, brand, type_name, colors, low_stock_threshold_grams, received, used] of FILAMENTS) {
      at = now - 90 * DAY_MS;
      const { result } = await filaments.create(
        actor,
        { name: name[language], brand, type_name, colors, is_gradient: colors.length > 1, low_stock_threshold_grams },
        undefined,
      );
      await store.insertSampleRecord(tx.db, accountId, 'filament', result.id);
      const color = colors[0] ?? '';
      const spool = {
        id: result.id,
        type: type_name,
        color,
        left: 0,
        threshold: low_stock_threshold_grams,
        toUse: used,
      };
      spools.push(spool);
      const [first = 0] = received.map(([, , daysAgo]) => daysAgo);
      for (const [spool_count, roubles, daysAgo] of received) {
        batches += 1;
        events.push({
          at: now - daysAgo * DAY_MS,
          async run() {
            const batch = { spool_count, spool_price: priceIn(currency, roubles), received_at: at };
            await filaments.addBatch(actor, spool.id, batch, undefined);
            spool.left += spool_count * result.spool_weight_grams;
          },
        });
      }
      const since = Math.min(first, USED_SINCE_DAYS) - 0.5;
      for (let portion = 1; portion <= PORTIONS; portion += 1) {
        events.push({
          at: now - since * DAY_MS * (1 - portion / (PORTIONS + 1)),
          run: () => use(spool, portion === PORTIONS ? spool.toUse : milli(used / PORTIONS), undefined),
        });
      }
    }

    /** Deducts grams, but never so many that the stock becomes low or that more is used than the list above says. */
    async function use(spool: (typeof spools)[number], wanted: number, order_id: string | undefined) {
      const available = spool.left > spool.threshold ? spool.left - spool.threshold - 1 : spool.left;
      const grams = milli(Math.min(wanted, available, spool.toUse));
      if (grams <= 0 || (order_id && grams < wanted)) return;
      spool.left -= grams;
      spool.toUse -= grams;
      await filaments.consume(
        actor,
        spool.id,
        { grams, order_id, note: order_id ? null : OTHER_PRINTS[language] },
        undefined,
      );
    }

    const list = STATUSES.flatMap(([status, count]) => Array.from({ length: count }, () => status));
    for (const [index, status] of list.entries()) {
      const isFinished = !isOpenStatus(status);
      const [first = status, ...moves] = PATHS[status];
      const madeAt = now - (isFinished ? 20 * DAY_MS : 0) - (list.length - index) * 5 * HOUR_MS;
      const step = (now - madeAt) / (moves.length + (isFinished ? 6 : 1));
      let order: Order;
      events.push({
        at: madeAt,
        async run() {
          order = await orders.backfill(tx, actor, {
            ...describeOrder(index, status, isFinished),
            workflow_status: first,
            at,
          });
          await store.insertSampleRecord(tx.db, accountId, 'order', order.id);
        },
      });
      for (const [place, to] of moves.entries()) {
        events.push({
          at: madeAt + (place + 1) * step,
          async run() {
            order = await orders.backfillMove(tx, actor, order, to, at);
            if (to !== 'packing') return;
            const spool = spools.find(({ type, color }) => type === order.material_name && color === order.color_hex);
            if (spool) await use(spool, order.material_grams, order.id);
          },
        });
      }
    }

    function describeOrder(index: number, status: string, isFinished: boolean) {
      const [model_name, material_name, color_hex, grams, hours] = pick(MODELS, index * 5 + 1);
      const pieces = 1 + ((index * 7) % 9);
      const roubles = Math.round(grams * pieces * 9 + hours * pieces * 120);
      const isBusy = ['assigned', 'printing', 'print_error'].includes(status);
      return {
        model_name: model_name[language],
        quantity_pieces: pieces,
        material_name,
        color_hex,
        material_grams: milli(grams * pieces),
        print_hours: milli(hours * pieces),
        // mostly in the future, a few overdue; finished orders were due in the past
        due_date: toDay(now + (isFinished ? -3 - (index % 20) : (index % 17) - 2) * DAY_MS),
        order_notes: pick(NOTES, index)[language],
        printer_id: isBusy ? pick(printerIds, index) : null,
        customer_name: pick(CUSTOMERS, index * 3)[language],
        customer_contact: null,
        price: toMinor(priceIn(currency, roubles), currency) ?? null,
        currency,
      };
    }

    events.sort((a, b) => a.at - b.at);
    for (const one of events) {
      at = Math.round(one.at);
      await one.run();
    }
    return {
      orders: list.length,
      printers: printerIds.length,
      groups: GROUPS.length,
      filaments: FILAMENTS.length,
      batches,
    };
  }

  const asSample = (accountId: string, language: Language): Actor => ({
    accountId,
    accountName: '',
    email: '',
    tokenId: '',
    tokenName: ACTOR[language],
    tokenExpiresAt: null,
  });

  return {
    /** Whether the account has sample data, and whether it is empty enough for some to be added. */
    async state(accountId: string): Promise<{ has_sample: boolean; is_empty: boolean }> {
      return {
        has_sample: await store.hasSample(storage.read, accountId),
        is_empty: await store.isEmpty(storage.read, accountId),
      };
    },

    /**
     * Adds a plausible farm to an account: over 60 orders in every status with their history, 8 printers in 2 groups,
     * 12 filaments in 20 batches. It sends no events. Texts are in the given language, prices in the account's
     * currency.
     * @param onlyEmpty refuse an account that has any data; otherwise another farm is added
     * @throws DomainError validation_error
     */
    fill: (accountId: string, { onlyEmpty, language }: { onlyEmpty: boolean; language: Language }) =>
      storage.inTransaction(async (tx) => {
        await store.lockAccount(tx.db, accountId);
        if (onlyEmpty && !(await store.isEmpty(tx.db, accountId))) {
          throw invalid('', 'Sample data can only be added to an account without orders, filaments or printers.');
        }
        return fill(tx, asSample(accountId, language), language);
      }),

    /** Removes what `fill` added, with all later changes to it. What the owner added stays. */
    clear: (accountId: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await store.lockAccount(tx.db, accountId);
        const actor = asSample(accountId, 'en');
        const { orders, filaments, printers } = transactionalServices(tx, clock);
        for (const id of await store.listSampleRecords(tx.db, accountId, 'order'))
          await orders.remove(actor, id, undefined);
        for (const id of await store.listSampleRecords(tx.db, accountId, 'filament')) await filaments.remove(actor, id);
        for (const id of await store.listSampleRecords(tx.db, accountId, 'printer')) await printers.remove(actor, id);
        for (const id of await store.listSampleRecords(tx.db, accountId, 'printer_group'))
          await printers.removeGroup(actor, id);
        await store.deleteSampleRecords(tx.db, accountId);
      }),
  };
}
