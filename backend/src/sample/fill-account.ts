import { type Clock, DAY_MS, HOUR_MS, toDay } from '../../../common/src/clock.ts';
import type { Actor } from '../accounts/token.ts';
import type { FilamentService } from '../filaments/filament-service.ts';
import type { InvoiceService } from '../invoices/invoice-service.ts';
import type { LeadService } from '../leads/lead-service.ts';
import type { Order } from '../orders/order-fields.ts';
import type { OrderService } from '../orders/order-service.ts';
import { isOpenStatus, type WorkflowStatus } from '../orders/status.ts';
import type { PrinterService } from '../printers/printer-service.ts';
import type { ReportService } from '../prints/report-service.ts';
import { toMinor } from '../shared/currency.ts';
import type { Language } from '../shared/language.ts';
import type { Tx } from '../storage/transaction.ts';
import {
  CUSTOMERS,
  FAILURE,
  FILAMENTS,
  GROUPS,
  INVOICES,
  MODELS,
  NOTES,
  OTHER_PRINTS,
  PATHS,
  priceIn,
  REQUESTS,
  SELLER,
  STATUSES,
} from './sample-data.ts';
import * as store from './sample-store.ts';

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
  leads: Pick<LeadService, 'backfill' | 'setState' | 'toOrder' | 'remove'>;
  invoices: Pick<InvoiceService, 'create' | 'issueSample' | 'paySample' | 'removeSample'>;
  reports: Pick<ReportService, 'record'>;
};

/** What the steps of a fill share. */
interface Fill {
  tx: Tx;
  actor: Actor;
  language: Language;
  currency: string;
  now: number;
  /** what the services take for the current time */
  time: { at: number };
  services: ReturnType<TransactionalServices>;
  /** the orders created so far, as they are */
  orders: Map<string, Order>;
}

/** Something that happened on the farm in the past. */
interface PastEvent {
  /** milliseconds */
  at: number;
  run(): Promise<void>;
}

interface SampleFilament {
  id: string;
  type: string;
  color: string;
  left: number;
  threshold: number;
  toUse: number;
}

/** Creates everything in the order in which it would have happened. */
export async function fillAccount(
  transactionalServices: TransactionalServices,
  given: Pick<Fill, 'tx' | 'actor' | 'language' | 'currency' | 'now'>,
) {
  const time = { at: given.now - 90 * DAY_MS };
  const services = transactionalServices(given.tx, () => time.at);
  const run: Fill = { ...given, time, services, orders: new Map() };
  const printerIds = await createPrinters(run);
  const { filaments, batches, events: stockEvents } = await createFilaments(run);
  const statuses = STATUSES.flatMap(([status, count]) => Array.from({ length: count }, () => status));
  const orderEvents = statuses.flatMap((status, index) =>
    planOrder(run, filaments, { status, index, count: statuses.length, printerIds }),
  );
  const otherEvents = [...planRequests(run), ...planInvoices(run)];
  for (const event of [...stockEvents, ...orderEvents, ...otherEvents].sort((a, b) => a.at - b.at)) {
    time.at = Math.round(event.at);
    await event.run();
  }
  return {
    orders: run.orders.size,
    printers: printerIds.length,
    groups: GROUPS.length,
    filaments: FILAMENTS.length,
    batches,
    requests: REQUESTS.length,
    invoices: INVOICES.length,
  };
}

/** @returns the ids of the printers */
async function createPrinters({ tx, actor, language, services }: Fill): Promise<string[]> {
  const { accountId } = actor;
  const { printers } = services;
  const ids: string[] = [];
  for (const [place, group] of GROUPS.entries()) {
    const { result } = await printers.createGroup(actor, { name: group.name[language], sort_order: place }, undefined);
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

/** Creates the filaments without stock. @returns the events that receive and use their spools */
async function createFilaments(
  run: Fill,
): Promise<{ filaments: SampleFilament[]; batches: number; events: PastEvent[] }> {
  const { tx, actor, language, services } = run;
  const filaments: SampleFilament[] = [];
  const events: PastEvent[] = [];
  let batches = 0;
  for (const [name, brand, type_name, colors, low_stock_threshold_grams, received, used] of FILAMENTS) {
    const { result } = await services.filaments.create(
      actor,
      { name: name[language], brand, type_name, colors, is_gradient: colors.length > 1, low_stock_threshold_grams },
      undefined,
    );
    await store.insertSampleRecord(tx.db, actor.accountId, 'filament', result.id);
    const filament: SampleFilament = {
      id: result.id,
      type: type_name,
      color: colors[0] ?? '',
      left: 0,
      threshold: low_stock_threshold_grams,
      toUse: used,
    };
    filaments.push(filament);
    batches += received.length;
    events.push(...planReceipts(run, filament, received, result.spool_weight_grams));
    const [firstDaysAgo = 0] = received.map(([, , daysAgo]) => daysAgo);
    events.push(...planOtherUse(run, filament, used, firstDaysAgo));
  }
  return { filaments, batches, events };
}

const planReceipts = (
  { actor, currency, now, time, services }: Fill,
  filament: SampleFilament,
  received: (typeof FILAMENTS)[number][5],
  spoolGrams: number,
): PastEvent[] =>
  received.map(([spool_count, roubles, daysAgo]) => ({
    at: now - daysAgo * DAY_MS,
    async run() {
      const batch = { spool_count, spool_price: priceIn(currency, roubles), received_at: time.at };
      await services.filaments.addBatch(actor, filament.id, batch, undefined);
      filament.left += spool_count * spoolGrams;
    },
  }));

/** Spreads the consumption without an order evenly over the time since the first receipt. */
function planOtherUse(run: Fill, filament: SampleFilament, used: number, firstDaysAgo: number): PastEvent[] {
  const since = Math.min(firstDaysAgo, USED_SINCE_DAYS) - 0.5;
  return Array.from({ length: PORTIONS }, (_, index) => index + 1).map((portion) => ({
    at: run.now - since * DAY_MS * (1 - portion / (PORTIONS + 1)),
    run: () => use(run, filament, portion === PORTIONS ? filament.toUse : milli(used / PORTIONS), undefined),
  }));
}

/** Deducts grams, but never so many that the stock becomes low or that more is used than the sample data says. */
async function use(
  { actor, language, services }: Fill,
  filament: SampleFilament,
  wanted: number,
  order_id: string | undefined,
): Promise<void> {
  const available = filament.left > filament.threshold ? filament.left - filament.threshold - 1 : filament.left;
  const grams = milli(Math.min(wanted, available, filament.toUse));
  if (grams <= 0 || (order_id && grams < wanted)) return;
  filament.left -= grams;
  filament.toUse -= grams;
  const note = order_id ? null : OTHER_PRINTS[language];
  await services.filaments.consume(actor, filament.id, { grams, order_id, note }, undefined);
}

interface PlannedOrder {
  status: WorkflowStatus;
  index: number;
  /** of all orders */
  count: number;
  printerIds: readonly string[];
}

/** The events that create an order and move it to its status. */
function planOrder(run: Fill, filaments: readonly SampleFilament[], planned: PlannedOrder): PastEvent[] {
  const { tx, actor, now, time, services } = run;
  const { status, index, count } = planned;
  const isFinished = !isOpenStatus(status);
  const [first = status, ...moves] = PATHS[status];
  const createdAt = now - (isFinished ? 20 * DAY_MS : 0) - (count - index) * 5 * HOUR_MS;
  const step = (now - createdAt) / (moves.length + (isFinished ? 6 : 1));
  let order: Order;
  const creation: PastEvent = {
    at: createdAt,
    async run() {
      const fields = describeOrder(run, planned, isFinished);
      order = await services.orders.backfill(tx, actor, { ...fields, workflow_status: first, at: time.at });
      await store.insertSampleRecord(tx.db, actor.accountId, 'order', order.id);
      run.orders.set(order.id, order);
    },
  };
  const later = moves.map((to, place) => ({
    at: createdAt + (place + 1) * step,
    async run() {
      if (order.workflow_status === 'printing') await report(run, order, to, pick(planned.printerIds, index));
      order = await services.orders.backfillMove(tx, actor, order, to, time.at);
      run.orders.set(order.id, order);
      if (to !== 'packing') return;
      const filament = filaments.find(({ type, color }) => type === order.material_name && color === order.color_hex);
      if (filament) await use(run, filament, order.material_grams, order.id);
    },
  }));
  return [creation, ...later];
}

function describeOrder(
  { language, currency, now }: Fill,
  { status, index, printerIds }: PlannedOrder,
  isFinished: boolean,
) {
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

/** Reports the print that ends with a move of its order. */
async function report({ actor, language, services }: Fill, order: Order, to: WorkflowStatus, printerId: string) {
  const hasFailed = to === 'print_error';
  const agent = { printer_id: printerId, printer_group_id: null };
  await services.reports.record(
    { ...actor, agent },
    {
      source: 'report',
      eventId: `sample-${order.id}-${to}`,
      printerId,
      filename: `${order.model_name} ORDER-${order.id}.gcode`,
      outcome: hasFailed ? 'failed' : 'finished',
      grams: hasFailed ? milli(order.material_grams / 3) : order.material_grams,
      ...(hasFailed && { reason: FAILURE[language] }),
    },
  );
}

/** The requests from customers, and what was done with them a few hours later. */
const planRequests = (run: Fill): PastEvent[] =>
  REQUESTS.flatMap(({ description, contact, email, budget, deadline, daysAgo, becomes }) => {
    const { tx, actor, language, now, services } = run;
    const at = now - daysAgo * DAY_MS;
    let id: string;
    const arrival: PastEvent = {
      at,
      async run() {
        id = await services.leads.backfill(tx, actor, {
          description: description[language],
          contact: contact[language],
          client_email: email,
          budget: budget[language],
          deadline: deadline[language],
        });
        await store.insertSampleRecord(tx.db, actor.accountId, 'lead', id);
      },
    };
    const reply: PastEvent = {
      at: at + 3 * HOUR_MS,
      async run() {
        if (becomes === 'order') {
          const { lead } = await services.leads.toOrder(actor, id, language);
          await store.insertSampleRecord(tx.db, actor.accountId, 'order', lead.order_id as string);
        }
        await services.leads.setState(actor, id, 'answered');
      },
    };
    return becomes === 'new' ? [arrival] : [arrival, reply];
  });

const PAY_WITHIN_DAYS = 14;

/** The invoices, each for one order. */
const planInvoices = (run: Fill): PastEvent[] =>
  INVOICES.flatMap(({ of, createdDaysAgo, isIssued, paidDaysAgo }) => {
    const { tx, actor, language, currency, now, services } = run;
    const at = now - createdDaysAgo * DAY_MS;
    let id: string;
    const creation: PastEvent = {
      at,
      async run() {
        const [order] = [...run.orders.values()]
          .filter(({ workflow_status }) => workflow_status === of)
          .sort((one, other) => (other.price ?? 0) - (one.price ?? 0));
        if (!order) throw new Error(`the sample farm has no order with the status ${of}`);
        const draft = { order_ids: [order.id], language, due_date: toDay(at + PAY_WITHIN_DAYS * DAY_MS) };
        ({ id } = (await services.invoices.create(actor, draft, undefined)).result);
        await store.insertSampleRecord(tx.db, actor.accountId, 'invoice', id);
        const { name, address, payment_note } = SELLER;
        const seller = {
          name: name[language],
          address: address[language],
          payment_note: payment_note[language],
          tax_id: '',
          bank_details: '',
          default_currency: currency,
        };
        if (isIssued) await services.invoices.issueSample(tx, actor, id, seller);
      },
    };
    if (paidDaysAgo === undefined) return [creation];
    return [creation, { at: now - paidDaysAgo * DAY_MS, run: () => services.invoices.paySample(tx, actor, id) }];
  });
