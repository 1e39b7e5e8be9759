import { signTimed } from '../../../../common/src/crypto.ts';
import type { SimulatedProgress, SimulationState } from '../../../../common/src/simulation.ts';
import type { PrintOutcome } from '../../report.ts';
import type { SimulatedPrinter } from '../printers/simulated-printer.ts';
import type { FarmClient } from './farm-client.ts';
import { CUSTOMERS, type Language, partOf, pricePerGram } from './farm-data.ts';
import type { OpenedFarm } from './open-farm.ts';
import { CLOSES_AT, type DayPlan, OPENS_AT, type OrderPlan } from './plan.ts';
import { runTimetable, type Timetable } from './timetable.ts';

export interface Day {
  client: FarmClient;
  farm: OpenedFarm;
  /** in the order of `farm.printers` */
  devices: SimulatedPrinter[];
  plan: DayPlan;
  language: Language;
  /** tells what happened, in words */
  say(minute: number, text: string): void;
  show(state: SimulationState): void;
}

interface Order extends OrderPlan {
  id: string;
  /** its number of the day, from 1 */
  number: number;
  name: string;
  grams: number;
  minutes: number;
}

/** What the steps of a day share. */
interface Running extends Day {
  timetable: Timetable;
  /** orders that wait for each printer */
  queues: Order[][];
  progress: SimulatedProgress[];
  prints: number;
  invoices: number;
}

/** How far a print is after each of these shares of its time. */
const SHARES = Array.from({ length: 19 }, (_, i) => (i + 1) / 20);
const REPAIR_MINUTES = 15;
const INVOICE_AFTER_MINUTES = 10;
const PAID_AFTER_MINUTES = 25;
const CHANGE_PLATE_MINUTES = 5;
/** Every second order is paid by invoice, and the last invoices of the day are still open. */
const INVOICE_EVERY = 2;
const EFFECT_TIMEOUT_MS = 30_000;
const EFFECT_POLL_MS = 50;

/** Runs the day until its end, or until the signal ends it. @param minuteMs how long a minute of the day takes */
export async function runDay(day: Day, options: { minuteMs: number; signal: AbortSignal }): Promise<void> {
  await runTimetable({ ...options, opensAt: OPENS_AT, closesAt: CLOSES_AT }, (timetable) => {
    const progress = day.farm.printers.map(({ id, name }) => ({
      printer_id: id,
      name,
      order_name: null,
      percent: 0,
    }));
    const running: Running = { ...day, timetable, queues: progress.map(() => []), progress, prints: 0, invoices: 0 };
    for (const [index, plan] of day.plan.orders.entries()) {
      timetable.at(plan.at, () => receiveOrder(running, plan, index + 1));
    }
    for (let minute = OPENS_AT; minute <= CLOSES_AT; minute += 1) timetable.at(minute, () => show(running));
  });
}

function show({ show, timetable, progress }: Running): void {
  show({ minute: Math.min(timetable.now(), CLOSES_AT), printers: progress.map((one) => ({ ...one })) });
}

const say = ({ say, timetable }: Running, text: string) => say(timetable.now(), text);
const after = ({ timetable }: Running, minutes: number, work: () => void | Promise<void>) =>
  timetable.at(timetable.now() + minutes, work);

const nameOf = ({ number, name }: Pick<Order, 'number' | 'name'>) => `#${number} ${name}`;

/** An order comes in from the shop. */
async function receiveOrder(running: Running, plan: OrderPlan, number: number): Promise<void> {
  const { client, farm, language } = running;
  const { name, grams, minutes, filament } = partOf(plan);
  const day = new Date(Date.now() + (2 + (number % 5)) * 86_400_000).toISOString().slice(0, 10);
  const { id } = await client.send<{ id: string }>('/api/v1/print-jobs', {
    headers: { Authorization: `Bearer ${farm.shopToken}` },
    body: JSON.stringify({
      model_name: name[language],
      quantity_pieces: plan.pieces,
      material_name: filament.type,
      color_hex: filament.color,
      material_grams: grams,
      print_hours: minutes / 60,
      due_date: day,
      customer_name: CUSTOMERS[plan.customer]?.[language],
      price: Math.round(grams * pricePerGram(farm.currency)),
      currency: farm.currency,
      workflow_status: plan.status,
    }),
  });
  const order: Order = { ...plan, id, number, name: name[language], grams, minutes };
  say(running, `order ${nameOf(order)} comes in: ${plan.status}`);
  if (plan.status === 'negotiation') after(running, plan.confirmAfter, () => confirm(running, order));
  else if (plan.status === 'confirmed') enqueue(running, order);
  else if (plan.status === 'packing') after(running, plan.packFor, () => ship(running, order));
  else after(running, plan.deliverFor, () => hand(running, order));
}

async function move(running: Running, order: Order, status: string, more: object = {}): Promise<void> {
  await running.client.call('PUT', `/print-jobs/${order.id}`, { workflow_status: status, ...more });
  say(running, `order ${nameOf(order)}: ${status}`);
}

async function confirm(running: Running, order: Order): Promise<void> {
  await move(running, order, 'confirmed');
  enqueue(running, order);
}

function enqueue(running: Running, order: Order): void {
  running.queues[order.printer]?.push(order);
  after(running, 0, () => startNext(running, order.printer));
}

/** Starts the next print of a printer, if it is free and the print ends in time. */
async function startNext(running: Running, printer: number): Promise<void> {
  const { queues, timetable, progress, farm } = running;
  const [order] = queues[printer] ?? [];
  const state = progress[printer];
  if (!order || !state || state.order_name !== null) return;
  if (timetable.now() + order.minutes > CLOSES_AT) return;
  queues[printer]?.shift();
  state.order_name = order.name;
  state.percent = 0;
  const [device, { id }] = [running.devices[printer], farm.printers[printer]] as [SimulatedPrinter, { id: string }];
  await move(running, order, 'assigned', { printer_id: id });
  await move(running, order, 'printing');
  device.start({ filename: `ORDER-${order.id}_${order.number}.gcode`, grams: order.grams });
  running.prints += 1;
  const { failure } = running.plan;
  const endsAt = running.prints === failure.print ? failure.share : 1;
  for (const share of SHARES.filter((one) => one < endsAt)) {
    after(running, order.minutes * share, () => advance(device, state, share));
  }
  after(running, order.minutes * endsAt, async () => {
    if (endsAt < 1) advance(device, state, endsAt);
    await endPrint(running, order, endsAt < 1 ? 'failed' : 'finished');
  });
}

function advance(device: SimulatedPrinter, state: SimulatedProgress, share: number): void {
  device.progress(share);
  state.percent = Math.round(share * 100);
}

/** The printer ends its print, and the agent's report moves the order. */
async function endPrint(running: Running, order: Order, outcome: PrintOutcome): Promise<void> {
  const { devices, progress, farm, client } = running;
  devices[order.printer]?.end(outcome);
  const status = outcome === 'finished' ? 'packing' : 'print_error';
  await reached(running, order, status);
  const [state, { filamentId, id }] = [progress[order.printer], farm.printers[order.printer]] as [
    SimulatedProgress,
    OpenedFarm['printers'][number],
  ];
  state.order_name = null;
  say(running, `${state.name} ${outcome} ${nameOf(order)}: ${status}`);
  // Bambu printers don't say how much they have used
  if (devices[order.printer]?.config.type === 'bambu') {
    const grams = outcome === 'finished' ? order.grams : (order.grams * state.percent) / 100;
    await client.call('POST', `/filaments/${filamentId}/consume`, { grams, order_id: order.id, printer_id: id });
  }
  if (outcome === 'finished') after(running, order.packFor, () => ship(running, order));
  else after(running, REPAIR_MINUTES, () => repeat(running, order));
  after(running, CHANGE_PLATE_MINUTES, () => startNext(running, order.printer));
}

/** Waits until what the agent reported has moved the order. @throws Error if it doesn't in time */
async function reached({ client }: Running, order: Order, status: string): Promise<void> {
  const lateAt = performance.now() + EFFECT_TIMEOUT_MS;
  for (;;) {
    const { workflow_status } = await client.call<{ workflow_status: string }>('GET', `/print-jobs/${order.id}`);
    if (workflow_status === status) return;
    if (performance.now() > lateAt) throw new Error(`order ${nameOf(order)} is ${workflow_status}, not ${status}`);
    await new Promise((resolve) => setTimeout(resolve, EFFECT_POLL_MS));
  }
}

/** A failed print is printed again, before the others. */
async function repeat(running: Running, order: Order): Promise<void> {
  await move(running, order, 'confirmed');
  running.queues[order.printer]?.unshift(order);
  after(running, 0, () => startNext(running, order.printer));
}

async function ship(running: Running, order: Order): Promise<void> {
  await move(running, order, 'delivery');
  after(running, order.deliverFor, () => hand(running, order));
}

/** The customer has it. */
async function hand(running: Running, order: Order): Promise<void> {
  await move(running, order, 'done');
  running.invoices += 1;
  if (running.invoices % INVOICE_EVERY === 1) after(running, INVOICE_AFTER_MINUTES, () => invoice(running, order));
}

async function invoice(running: Running, order: Order): Promise<void> {
  const { client } = running;
  const { id } = await client.call<{ id: string }>('POST', '/invoices', { order_ids: [order.id] });
  const issued = await client.call<Invoice>('POST', `/invoices/${id}/issue`, {});
  say(running, `invoice ${issued.number} of ${nameOf(order)} is issued`);
  if (running.timetable.now() + PAID_AFTER_MINUTES <= CLOSES_AT) {
    after(running, PAID_AFTER_MINUTES, () => pay(running, issued));
  }
}

interface Invoice {
  number: string;
  total: number;
  currency: string;
}

/** The bank reports the payment with its signature. */
async function pay(running: Running, { number, total, currency }: Invoice): Promise<void> {
  const { client, farm, timetable } = running;
  const paidAt = new Date().toISOString();
  const body = JSON.stringify({
    id: `transfer-${number}`,
    type: 'payment',
    invoice: number,
    amount: total,
    currency,
    paid_at: paidAt,
  });
  const time = String(Math.floor(Date.now() / 1000));
  const signature = signTimed(farm.bank.secret, time, body).toString('hex');
  await client.send(farm.bank.path, { headers: { 'X-Notification-Signature': `t=${time},v1=${signature}` }, body });
  running.say(timetable.now(), `invoice ${number} is paid`);
}
