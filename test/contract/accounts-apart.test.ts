import { type Client, createClient } from '../kit/client.ts';
import { type Browser, openBrowser } from '../kit/console-client.ts';
import { eventually } from '../kit/eventually.ts';
import { DEFAULT_EVENTS, type Farm, type Filament, type Listed, type Order, startFarm } from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { listen } from '../kit/live-stream.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';

const OPERATIONS = times(600, 50_000);
/** All accounts are compared with the model after this many operations. */
const COMPARE_EVERY = times(200, 5_000);
const ACCOUNTS = 3;
const STATUSES = ['negotiation', 'confirmed', 'assigned', 'printing', 'done', 'closed'];

/** What an account must have, and nothing else. */
interface Account {
  client: Client;
  browser: Browser;
  live: Awaited<ReturnType<typeof listen>>;
  receiver: Receiver;
  subscriptionId: string;
  /** the status of each order */
  orders: Map<string, string>;
  /** grams taken from each filament */
  filaments: Map<string, number>;
  /** every record that it ever had */
  everIds: Set<string>;
  created: number;
  changed: number;
}

const random = createRandom(seedFrom('ACCOUNTS_SEED'));
let farm: Farm;
let accounts: Account[];

async function openAccount(): Promise<Account> {
  const { email, token } = await farm.newAccount();
  const client = await createClient(farm.service.origin, token);
  const browser = await openBrowser(farm.service);
  await browser.signIn(email);
  const receiver = await startReceiver();
  const subscription = await client.post<{ id: string }>('/webhook-subscriptions', {
    url: receiver.url,
    events: DEFAULT_EVENTS,
  });
  expect(subscription.status).toBe(201);
  const live = await listen(browser, farm.service.origin);
  const subscriptionId = subscription.body.id;
  return {
    client,
    browser,
    live,
    receiver,
    subscriptionId,
    created: 0,
    changed: 0,
    orders: new Map(),
    filaments: new Map(),
    everIds: new Set([subscriptionId]),
  };
}

beforeAll(async () => {
  farm = await startFarm({ WEBHOOK_ALLOWED_HOSTS: 'loopback' });
  accounts = [];
  while (accounts.length < ACCOUNTS) accounts.push(await openAccount());
});

afterAll(async () => {
  for (const { live, receiver } of accounts) {
    live.close();
    await receiver.stop();
  }
  await farm.close();
});

async function createOrder(account: Account): Promise<void> {
  const workflow_status = random.pick(STATUSES);
  const { status, body } = await account.client.post<Order>('/print-jobs', { model_name: 'Part', workflow_status });
  expect(status).toBe(201);
  account.orders.set(body.id, workflow_status);
  account.everIds.add(body.id);
  account.created += 1;
}

async function changeOrder(account: Account): Promise<void> {
  const id = pickKey(account.orders);
  if (id === undefined) return;
  const workflow_status = random.pick(STATUSES);
  expect((await account.client.put(`/print-jobs/${id}`, { workflow_status })).status).toBe(200);
  if (account.orders.get(id) !== workflow_status) account.changed += 1;
  account.orders.set(id, workflow_status);
}

/** Also of another account, in the same request. */
async function changeOrders(account: Account): Promise<void> {
  const foreign = pickKey(random.pick(accounts.filter((one) => one !== account)).orders);
  const [own, more] = [pickKey(account.orders), pickKey(account.orders)];
  if (own === undefined || more === undefined || foreign === undefined) return;
  const workflow_status = random.pick(STATUSES);
  const change = { ids: [own, foreign, more], workflow_status };
  const { body } = await account.client.post<{ results: { status: number }[] }>('/print-jobs/status', change);
  expect(body.results.map(({ status }) => status)).toEqual([200, 404, 200]);
  for (const id of new Set([own, more])) {
    if (account.orders.get(id) !== workflow_status) account.changed += 1;
    account.orders.set(id, workflow_status);
  }
}

async function deleteOrder(account: Account): Promise<void> {
  const id = pickKey(account.orders);
  if (id === undefined) return;
  expect((await account.client.delete(`/print-jobs/${id}`)).status).toBe(204);
  account.orders.delete(id);
}

async function createFilament(account: Account): Promise<void> {
  if (account.filaments.size >= 5) return;
  const spool = { name: 'Spool', spool_count: 1_000 };
  const { status, body } = await account.client.post<Filament>('/filaments', spool);
  expect(status).toBe(201);
  account.filaments.set(body.id, 0);
  account.everIds.add(body.id);
}

async function consume(account: Account): Promise<void> {
  const id = pickKey(account.filaments);
  if (id === undefined) return;
  const grams = random.between(1, 9);
  expect((await account.client.post(`/filaments/${id}/consume`, { grams })).status).toBe(200);
  account.filaments.set(id, (account.filaments.get(id) as number) + grams);
}

/** The same IDs of the same shop in every account. */
async function putExternal(account: Account): Promise<void> {
  const path = `/print-jobs/by-external-id/shop/${random.between(1, 20)}`;
  const { status, body } = await account.client.put<Order>(path, { model_name: 'Part' });
  if (account.orders.has(body.id)) return expect([path, status]).toEqual([path, 200]);
  expect([path, status, account.everIds.has(body.id)]).toEqual([path, 201, false]);
  account.orders.set(body.id, body.workflow_status);
  account.everIds.add(body.id);
  account.created += 1;
}

/** Uses a record of another account, in every way that the API has. */
async function reachForAnother(account: Account): Promise<void> {
  const another = random.pick(accounts.filter((one) => one !== account));
  const order = pickKey(another.orders) ?? 'none';
  const filament = pickKey(another.filaments) ?? 'none';
  const { client } = account;
  const answer = await random.pick([
    () => client.get(`/print-jobs/${order}`),
    () => client.get(`/print-jobs/${order}/history`),
    () => client.put(`/print-jobs/${order}`, { workflow_status: 'done' }),
    () => client.delete(`/print-jobs/${order}`),
    () => client.get(`/filaments/${filament}/ledger`),
    () => client.post(`/filaments/${filament}/consume`, { grams: 1 }),
    () => client.put(`/filaments/${filament}`, { name: 'mine now' }),
    () => client.post(`/filaments/${filament}/stocktake`, { remaining_grams: 1 }),
    () => client.delete(`/filaments/${filament}`),
    () => client.get(`/webhook-subscriptions/${another.subscriptionId}/deliveries`),
    () => client.delete(`/webhook-subscriptions/${another.subscriptionId}`),
  ])();
  expect(answer.status).toBe(404);
}

const pickKey = (map: Map<string, unknown>): string | undefined =>
  map.size === 0 ? undefined : [...map.keys()][random.between(0, map.size - 1)];

/** Reads all pages of a list. @returns its items; the total of each page must be their number */
async function readAll<T>(client: Client, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get<Listed<T>>(`${path}${path.includes('?') ? '&' : '?'}per_page=200&page=${page}`);
    items.push(...body.items);
    if (items.length < body.total && body.items.length > 0) continue;
    expect(items).toHaveLength(body.total);
    return items;
  }
}

const countOf = (account: Account, status: string): number =>
  [...account.orders.values()].filter((one) => one === status).length;

async function compare(account: Account): Promise<void> {
  const { client, browser, orders, filaments } = account;
  const listed = await readAll<Order>(client, '/print-jobs?include_closed=true');
  expect(new Map(listed.map(({ id, workflow_status }) => [id, workflow_status]))).toEqual(orders);
  for (const status of STATUSES) {
    const { body } = await client.get<Listed<Order>>(`/print-jobs?workflow_status=${status}&per_page=1`);
    expect([status, body.total]).toEqual([status, countOf(account, status)]);
  }
  const { body } = await browser.get<{ orders_by_status: { workflow_status: string; orders: number }[] }>(
    '/stats?time_zone=UTC&days=30',
  );
  for (const { workflow_status, orders: n } of body.orders_by_status)
    expect([workflow_status, n]).toEqual([workflow_status, countOf(account, workflow_status)]);
  const stock = await readAll<Filament>(client, '/filaments');
  expect(new Set(stock.map(({ id }) => id))).toEqual(new Set(filaments.keys()));
  for (const [id, grams] of filaments) {
    const ledger = await readAll<{ kind: string; grams: number }>(client, `/filaments/${id}/ledger`);
    const taken = ledger.filter(({ kind }) => kind === 'consumption').map((entry) => -entry.grams);
    expect(taken.reduce((sum, entry) => sum + entry, 0)).toBe(grams);
  }
  const feed = await readAll<{ id: string; event: string; data: { id: string } }>(client, '/events');
  expect(feed.filter(({ data }) => !account.everIds.has(data.id))).toEqual([]);
  // live messages name events, too
  for (const { id } of feed) account.everIds.add(id);
  expect(feed.filter(({ event }) => event === 'order.created')).toHaveLength(account.created);
  expect(feed.filter(({ event }) => event === 'order.status_changed')).toHaveLength(account.changed);
  expect((await client.get<Listed<unknown>>('/webhook-subscriptions')).body.total).toBe(1);
}

const OPERATIONS_OF_ACCOUNTS = [
  ...[createOrder, createOrder, createOrder, putExternal, changeOrder, changeOrder, changeOrders, deleteOrder],
  ...[createFilament, consume, consume, reachForAnother, reachForAnother, reachForAnother],
];

test('three accounts with random operations have what each made, and nothing of the others', async () => {
  for (let i = 1; i <= OPERATIONS; i++) {
    await random.pick(OPERATIONS_OF_ACCOUNTS)(random.pick(accounts));
    if (i % COMPARE_EVERY === 0) for (const account of accounts) await compare(account);
  }
  for (const account of accounts) {
    const { receiver, live, everIds, created, changed } = account;
    const sent = () => receiver.received.filter(({ body }) => body.event !== 'filament.low_stock').length;
    await eventually(
      async () => sent(),
      (n) => n >= created + changed,
    );
    expect(sent()).toBe(created + changed);
    expect(receiver.received.filter(({ body }) => !everIds.has(String(body.data.id)))).toEqual([]);
    expect(live.heard.filter(({ id }) => id !== undefined && !everIds.has(id))).toEqual([]);
    expect(live.isOver()).toBe(false);
    expect(live.heard.length).toBeGreaterThan(0);
  }
});
