import { createAgent } from '../kit/agent.ts';
import { startTwoFarms, type TwoFarms } from '../kit/console-client.ts';
import { write } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import type { Schemas } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

type Order = Schemas['Order'];
type DashboardStats = Schemas['DashboardStats'];
type PrinterStats = Schemas['PrinterStats'];

const DAY_MS = 24 * 60 * 60 * 1000;
const ENDED = ['done', 'cancelled', 'closed'];

const farms = forSuite(() => startTwoFarms({ WEBHOOK_ALLOWED_HOSTS: 'loopback' }));
let { service, owner, stranger, client } = {} as TwoFarms;

beforeAll(() => {
  ({ service, owner, stranger, client } = farms);
});

const statsOf = async (query = '', browser = owner) => (await browser.get<DashboardStats>(`/stats?${query}`)).body;
const printerStats = async (browser = owner) => (await browser.get<PrinterStats>('/stats/printers')).body.items;
const make = async (fields: Record<string, unknown>) =>
  (await client.post<Order>('/print-jobs', { model_name: 'Bracket', ...fields })).body;
const move = (id: string, workflow_status: string) => client.put(`/print-jobs/${id}`, { workflow_status });
/** Makes orders and their history so many days older. */
async function age(days: Map<string, number>): Promise<void> {
  const by = (id: string) =>
    `(CASE ${id} ${[...days].map(([key, n]) => `WHEN '${key}' THEN ${n * DAY_MS}`).join(' ')} ELSE 0 END)`;
  await write(farms.folder.file, `UPDATE orders SET created_at = created_at - ${by('id')}`);
  await write(farms.folder.file, `UPDATE order_history SET at = at - ${by('order_id')}`);
}
const dayIn = (zone: string, at: string | number) =>
  new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' }).format(new Date(at));

/** Expected statistics, computed order by order from the API. */
async function model(zone: string, today: string) {
  const { items } = (await client.get<{ items: Order[] }>('/print-jobs?include_closed=true&per_page=200')).body;
  const days = new Map<string, { created: number; done: Set<string>; print_error: number }>();
  const on = (at: string) => {
    const key = dayIn(zone, at);
    const day = days.get(key) ?? { created: 0, done: new Set<string>(), print_error: 0 };
    days.set(key, day);
    return day;
  };
  const failures = new Map<string | null, number>();
  for (const { id, created_at, printer_id } of items) {
    on(created_at).created += 1;
    type Entry = { to_status: string; at: string };
    const history = (await client.get<{ items: Entry[] }>(`/print-jobs/${id}/history?per_page=200`)).body.items;
    for (const { to_status, at } of history) {
      if (to_status === 'done') on(at).done.add(id);
      if (to_status !== 'print_error') continue;
      on(at).print_error += 1;
      failures.set(printer_id, (failures.get(printer_id) ?? 0) + 1);
    }
  }
  const open = items.filter(({ workflow_status }) => !ENDED.includes(workflow_status));
  return {
    days: (day: string) => {
      const { created = 0, done = new Set(), print_error = 0 } = days.get(day) ?? {};
      return { day, created, done: done.size, print_error };
    },
    failures,
    byStatus: (status: string) => items.filter(({ workflow_status }) => workflow_status === status).length,
    overdue: open.filter(({ due_date }) => due_date < today).length,
    dueToday: open.filter(({ due_date }) => due_date === today).length,
  };
}

test('returns every day and status with zeros for an empty account', async () => {
  const { since, today, days, due, orders_by_status, ...lists } = await statsOf('', stranger);
  expect(today).toBe(dayIn('UTC', Date.now()));
  expect(since).toBe(dayIn('UTC', Date.now() - 29 * DAY_MS));
  expect(days).toHaveLength(30);
  expect(new Set(days.map(({ created, done, print_error }) => created + done + print_error))).toEqual(new Set([0]));
  expect(orders_by_status).toHaveLength(10);
  expect(new Set(orders_by_status.map(({ orders }) => orders))).toEqual(new Set([0]));
  expect(due).toEqual({ overdue: 0, today: 0, orders: [] });
  expect(lists).toEqual({ failures: [], prints: [], materials: [], failing_subscriptions: [] });
  expect(await printerStats(stranger)).toEqual([]);
});

test.each(['days=31', 'days=0', 'days=x', 'time_zone=Mars', 'time_zone=', 'zone=UTC'])('refuses %s', async (query) => {
  expect((await owner.get(`/stats?${query}`)).status).toBe(422);
});

test('counts orders per day in any time zone, matching their histories', async () => {
  const [anna, boris] = await Promise.all(
    ['Anna', 'Boris'].map(
      async (name) => (await owner.post<{ id: string }>('/printers', { name, model: 'x' })).body.id,
    ),
  );
  const now = Date.now();
  // across 40 days, some done twice on a day, some failed and printed again, one deleted afterwards
  const made = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      make({
        printer_id: [anna, boris, null][n % 3],
        due_date: dayIn('UTC', now + ((n % 7) - 3) * DAY_MS),
        workflow_status: n === 5 ? 'done' : 'assigned',
      }),
    ),
  );
  for (const [n, { id }] of made.entries()) {
    const path = [
      ['printing', 'print_error', 'printing', 'print_error', 'printing', 'done'],
      ['printing'],
      ['printing', 'done', 'packing', 'done'],
      ['print_error'],
      ['done', 'closed'],
      ['no such status'],
      ['cancelled'],
    ][n % 7] as string[];
    for (const status of path) await move(id, status);
  }
  await age(new Map(made.map(({ id }, n) => [id, (n * 5) % 41])));
  await client.delete(`/print-jobs/${made[0]?.id}`);

  for (const [zone, days] of [
    ['UTC', 7],
    ['Pacific/Kiritimati', 30],
    ['America/Los_Angeles', 90],
  ] as const) {
    const seen = await statsOf(`days=${days}&time_zone=${zone}`);
    const expected = await model(zone, seen.today);
    expect(seen.today).toBe(dayIn(zone, Date.now()));
    expect(seen.days).toHaveLength(days);
    expect(seen.days).toEqual(seen.days.map(({ day }) => expected.days(day)));
    expect([seen.days[0]?.day, seen.days.at(-1)?.day]).toEqual([seen.since, seen.today]);
    expect(seen.orders_by_status).toEqual(
      seen.orders_by_status.map(({ workflow_status }) => ({
        workflow_status,
        orders: expected.byStatus(workflow_status),
      })),
    );
    expect([seen.due.overdue, seen.due.today]).toEqual([expected.overdue, expected.dueToday]);
    expect(seen.due.orders.every(({ due_date }) => due_date <= seen.today)).toBe(true);
    expect(seen.due.orders).toHaveLength(Math.min(12, expected.overdue + expected.dueToday));
    expect(seen.due.orders.map(({ due_date }) => due_date)).toEqual(seen.due.orders.map((o) => o.due_date).sort());
    if (days === 90) {
      expect(new Map(seen.failures.map((line) => [line.printer_id, line.failures]))).toEqual(expected.failures);
      const names = new Map(seen.failures.map((line) => [line.printer_id, line.printer_name]));
      expect([names.get(anna as string), names.get(boris as string)]).toEqual(['Anna', 'Boris']);
    }
  }
});

test('returns each printer’s open orders and at most three current prints by due date', async () => {
  const { id: printer } = (await owner.post<{ id: string }>('/printers', { name: 'Clara', model: 'x' })).body;
  const printing = [];
  for (const due_date of ['2026-03-04', '2026-03-01', '2026-03-03', '2026-03-02']) {
    printing.push(await make({ printer_id: printer, workflow_status: 'printing', due_date }));
  }
  await make({ printer_id: printer, workflow_status: 'confirmed' });
  await make({ printer_id: printer, workflow_status: 'done' });
  const line = (await printerStats()).find(({ printer_id }) => printer_id === printer);
  expect(line?.printing.map(({ due_date }) => due_date)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);
  expect(new Map(line?.open.map(({ workflow_status, orders }) => [workflow_status, orders]))).toEqual(
    new Map([
      ['printing', 4],
      ['confirmed', 1],
    ]),
  );
  const { items } = (await client.get<{ items: Order[] }>('/print-jobs?per_page=200')).body;
  const sum = (all: { orders: number }[]) => all.reduce((total, { orders }) => total + orders, 0);
  expect((await printerStats()).reduce((total, { open }) => total + sum(open), 0)).toBe(
    items.filter(({ workflow_status }) => !ENDED.includes(workflow_status)).length,
  );
});

test('sums consumed grams by material', async () => {
  const add = async (type_name: string) =>
    (await client.post<{ id: string }>('/filaments', { name: type_name, type_name, spool_count: 4 })).body.id;
  const [black, white, pla, old] = await Promise.all(['PETG', 'PETG', 'PLA', 'ABS'].map(add));
  const take = (id: string | undefined, grams: number) => client.post(`/filaments/${id}/consume`, { grams });
  await take(black, 100.125);
  await take(white, 50);
  // over two batches of the same type
  await take(pla, 7.5);
  await take(old, 999);
  await write(farms.folder.file, `UPDATE filament_ledger SET at = at - ${10 * DAY_MS} WHERE filament_id = '${old}'`);
  expect((await statsOf('days=7')).materials).toEqual([
    { type_name: 'PETG', grams: 150.125 },
    { type_name: 'PLA', grams: 7.5 },
  ]);
  expect((await statsOf('days=30')).materials[0]).toEqual({ type_name: 'ABS', grams: 999 });
  // an undone deduction is not usage
  const { items } = (await owner.get<{ items: { id: string }[] }>(`/filaments/${pla}/ledger?per_page=1`)).body;
  expect((await owner.post(`/filaments/${pla}/ledger/${items[0]?.id}/undo`, {})).status).toBe(200);
  expect((await statsOf('days=7')).materials).toEqual([{ type_name: 'PETG', grams: 150.125 }]);
});

test('counts reported prints by printer', async () => {
  const add = async (name: string) =>
    (await owner.post<{ id: string }>('/printers', { name, model: 'MK4' })).body.id as string;
  const [calm, troubled] = [await add('Calm'), await add('Troubled')];
  await add('Silent');
  const report = async (printer_id: string, outcomes: string[], daysAgo = 0) => {
    const agent = await createAgent(service.origin, owner, { printer_id });
    const at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    for (const outcome of outcomes) expect((await agent.report({ outcome, at })).status).toBe(201);
  };
  await report(calm, ['finished', 'finished', 'finished', 'cancelled']);
  await report(troubled, ['failed', 'finished']);
  await report(troubled, ['failed', 'failed'], 10);
  const named = {
    calm: { printer_id: calm, printer_name: 'Calm' },
    troubled: { printer_id: troubled, printer_name: 'Troubled' },
  };
  const ofCalm = { ...named.calm, finished: 3, failed: 0, cancelled: 1 };
  expect((await statsOf('days=7')).prints).toEqual([
    { ...named.troubled, finished: 1, failed: 1, cancelled: 0 },
    ofCalm,
  ]);
  expect((await statsOf('days=30')).prints).toEqual([
    { ...named.troubled, finished: 1, failed: 3, cancelled: 0 },
    ofCalm,
  ]);
  // a failure that may still turn out to be a cancellation doesn't count yet
  await write(
    farms.folder.file,
    `UPDATE print_reports SET held_until = ${Date.now() + DAY_MS} WHERE printer_id = '${troubled}'`,
  );
  expect((await statsOf()).prints).toEqual([ofCalm]);
  await write(farms.folder.file, 'UPDATE print_reports SET held_until = NULL');
});

test('lists subscriptions whose latest attempt failed, with what it was about, unless their owner disabled them', async () => {
  const add = async (name: string, more = {}) => {
    // no receiver listens there
    const subscription = { name, url: 'http://127.0.0.1:9/hook', events: ['order.created'], ...more };
    const made = await client.post<{ id: string }>('/webhook-subscriptions', subscription);
    expect(made.status).toBe(201);
    return made.body.id;
  };
  const [bad, off] = [await add('bad'), await add('off')];
  expect((await statsOf()).failing_subscriptions).toEqual([]);
  const paused = await add('paused', { pause_after_failures: 1 });
  const { id: order } = await make({ model_name: 'a part' });
  const failing = async () => (await statsOf()).failing_subscriptions;
  const seen = await eventually(failing, ({ length }) => length === 3);
  expect(seen).toMatchObject([
    { id: bad, name: 'bad', error: 'connection_refused', response_status: null, consecutive_failures: 1 },
    { id: off, name: 'off', event: 'order.created', subject: `order:${order}`, subject_name: 'a part' },
    { id: paused, error: 'connection_refused', paused_at: expect.any(String) },
  ]);
  await client.put(`/webhook-subscriptions/${off}`, { enabled: false });
  expect((await statsOf()).failing_subscriptions.map(({ id }) => id)).toEqual([bad, paused]);
  await client.delete(`/webhook-subscriptions/${paused}`);
  await write(
    farms.folder.file,
    `UPDATE deliveries SET state = 'succeeded', error = NULL WHERE subscription_id = '${bad}'`,
  );
  expect((await statsOf()).failing_subscriptions).toEqual([]);
});

test('isn’t available to programs and shows nothing of other accounts', async () => {
  expect((await client.get('/stats')).status).toBe(404);
  const theirs = await statsOf('days=90', stranger);
  expect(theirs.days.every(({ created, done, print_error }) => created + done + print_error === 0)).toBe(true);
  expect(await printerStats(stranger)).toEqual([]);
  const { due, failures, prints, materials, failing_subscriptions } = theirs;
  expect([due.orders, failures, prints, materials, failing_subscriptions]).toEqual([[], [], [], [], []]);
});
