import { randomUUID } from 'node:crypto';
import {
  DEFAULT_EVENTS,
  expectProblem,
  type Farm,
  farmIn,
  type Listed,
  OPT_IN_EVENTS,
  type Order,
  range,
  type Subscription,
  sequenceOf,
  startFarm,
  UNKNOWN_ID,
} from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { createRandom, seedFrom } from '../kit/random.ts';

type Filter = NonNullable<Subscription['filter']>;
type Sent = { event: string; data: Record<string, unknown> };
type Sequenced = { sequence: number; status: string; error: string | null; event: Sent };

const PATH = '/webhook-subscriptions';
const URL_ = 'http://127.0.0.1:9/hook';
const STATUSES: Order['workflow_status'][] = ['negotiation', 'confirmed', 'printing', 'packing', 'done', 'closed'];
const MATERIALS = ['PLA', 'PETG', 'petg', 'АБС «чёрный»', '"]}', ''];

const farm = forSuite(startFarm);
afterEach(() => farm.clear());

const create = (filter: unknown, more = {}) =>
  farm.client.post<Subscription>(PATH, { url: URL_, events: DEFAULT_EVENTS, filter, ...more });
const read = async (id: string) => (await farm.client.get<Subscription>(`${PATH}/${id}`)).body;
const materials = (events: Sequenced[]) => events.map(({ event }) => event.data.material_name);

describe('the filter of a subscription', () => {
  test('is null unless it is set, stays unless it is sent, and null clears it', async () => {
    const filter = { workflow_status: ['printing'], material_name: ['PETG', 'Δ «x»'] };
    const { id } = (await create(undefined)).body;
    expect((await read(id)).filter).toBeNull();
    for (const sent of [filter, { material_name: ['PLA'] }, null, filter]) {
      expect((await farm.client.put<Subscription>(`${PATH}/${id}`, { filter: sent })).body.filter).toEqual(sent);
      await farm.client.put(`${PATH}/${id}`, { name: 'x' });
      expect((await read(id)).filter).toEqual(sent);
    }
    expect((await create(filter)).body.filter).toEqual(filter);
    expect((await create(null)).body.filter).toBeNull();
    const listed = (await farm.client.get<Listed<Subscription>>(PATH)).body.items;
    expect(listed.map((one) => one.filter)).toEqual([null, filter, filter]);
  });

  test.each<[string, unknown, string]>([
    ['an unknown status', { workflow_status: ['printing', 'paused'] }, '/filter/workflow_status/1'],
    ['no statuses', { workflow_status: [] }, '/filter/workflow_status'],
    ['one status without a list', { workflow_status: 'printing' }, '/filter/workflow_status'],
    ['an unknown printer', { printer_id: [UNKNOWN_ID] }, '/filter/printer_id/0'],
    ['a printer ID that is not a UUID', { printer_id: ['A-01'] }, '/filter/printer_id/0'],
    ['a blank material', { material_name: [' '] }, '/filter/material_name/0'],
    ['101 materials', { material_name: Array(101).fill('PLA') }, '/filter/material_name'],
    ['no list', {}, '/filter'],
    ['only a field that does not exist', { status: ['printing'] }, '/filter'],
    ['a list', ['printing'], '/filter'],
  ])('%s: refuses POST and PUT with 422 and changes nothing', async (_what, filter, pointer) => {
    expect(expectProblem(await create(filter), 422, 'validation_error').errors?.[0]?.pointer).toBe(pointer);
    const { id } = (await create({ workflow_status: ['done'] })).body;
    const problem = expectProblem(await farm.client.put(`${PATH}/${id}`, { filter }), 422, 'validation_error');
    expect(problem.errors?.[0]?.pointer).toBe(pointer);
    if (pointer === '/filter/workflow_status/1') expect(problem.errors?.[0]?.detail).toContain('print_error');
    expect((await read(id)).filter).toEqual({ workflow_status: ['done'] });
  });

  test('takes only printers of its account, and keeps one that is deleted later', async () => {
    const stranger = await farmIn(farm.service, farm.file);
    const theirs = await stranger.printer();
    const [kept, deleted] = [await farm.printer(), await farm.printer({ name: 'A-02' })];
    const filter = { printer_id: [kept.id, deleted.id] };
    const { id } = (await create({ printer_id: [kept.id.toUpperCase(), deleted.id] })).body;
    const refused = await create({ printer_id: [kept.id, theirs.id, UNKNOWN_ID] });
    const pointers = expectProblem(refused, 422, 'validation_error').errors?.map((one) => one.pointer);
    expect(pointers).toEqual(['/filter/printer_id/1', '/filter/printer_id/2']);
    expect((await (await farm.console()).delete(`/printers/${deleted.id}`)).status).toBe(204);
    expect((await farm.client.put<Subscription>(`${PATH}/${id}`, await read(id))).body.filter).toEqual(filter);
    expectProblem(await create(filter), 422, 'validation_error');
    await stranger.close();
  });

  test('takes a material that nothing has, with a warning', async () => {
    await farm.order({ material_name: 'PETG' });
    await farm.filament({ type_name: 'ABS' });
    const { body: created } = await create({ material_name: ['PETG', 'PTEG', 'ABS', 'abs'] });
    expect(created.warnings).toEqual([
      { pointer: '/filter/material_name/1', detail: expect.stringContaining('"PTEG"') },
      { pointer: '/filter/material_name/3', detail: expect.stringContaining('"abs"') },
    ]);
    expect(created.filter).toEqual({ material_name: ['PETG', 'PTEG', 'ABS', 'abs'] });
    const path = `${PATH}/${created.id}`;
    expect(await read(created.id)).not.toHaveProperty('warnings');
    const { body: updated } = await farm.client.put<Subscription>(path, { filter: { material_name: ['Δ'] } });
    expect(updated.warnings?.map(({ pointer }) => pointer)).toEqual(['/filter/material_name/0']);
    await farm.order({ material_name: 'Δ' });
    const { body: known } = await farm.client.put<Subscription>(path, { filter: { material_name: ['Δ'] } });
    expect(known).not.toHaveProperty('warnings');
    expect((await farm.client.put<Subscription>(path, { name: 'x' })).body).not.toHaveProperty('warnings');
  });

  test('holds neither for tests nor for resends', async () => {
    const subscription = await farm.subscription();
    await farm.order({ material_name: 'PLA' });
    await subscription.untilRecorded(1);
    await farm.client.put(subscription.path, { filter: { material_name: ['PETG'] } });
    const [sent] = subscription.received;
    await farm.client.post(`${subscription.path}/test`);
    await farm.client.post(`${subscription.path}/deliveries/${sent?.headers['x-svc-delivery']}/resend`);
    expect(subscription.received.map(({ body }) => body.event)).toEqual([
      'order.created',
      'webhook.test',
      'order.created',
    ]);
    expect(subscription.received.map(sequenceOf)).toEqual([1, 2, 3]);
  });

  test('holds while the subscription is deleted; one that continues it has its own', async () => {
    const client_key = randomUUID();
    const orders = async () => {
      for (const material_name of ['PLA', 'PETG']) await farm.order({ material_name });
    };
    const first = (await create({ material_name: ['PETG'] }, { client_key })).body;
    await orders();
    await farm.client.delete(`${PATH}/${first.id}`);
    await orders();
    const second = (await create({ material_name: ['PLA'] }, { client_key })).body;
    expect([second.id, second.filter]).toEqual([first.id, { material_name: ['PLA'] }]);
    await orders();
    const { items } = (await farm.client.get<Listed<Sequenced>>(`${PATH}/${first.id}/events`)).body;
    const missed = items.filter(({ error }) => error === 'unsubscribed');
    expect(new Set(materials(missed))).toEqual(new Set(['PETG']));
    await farm.client.delete(`${PATH}/${first.id}`);
    const third = (await create(undefined, { client_key })).body;
    expect(third.filter).toBeNull();
    const all = (await farm.client.get<Listed<Sequenced>>(`${PATH}/${first.id}/events`)).body.items;
    expect(materials(all)).toEqual(['PETG', 'PETG', 'PLA']);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });
});

/** What the documentation says, over what the responses of the changes say. */
const matches = (filter: Filter | null, { data }: Sent): boolean =>
  Object.entries(filter ?? {}).every(
    ([field, values]) => !(field in data) || (values as string[]).includes(String(data[field])),
  );

type Random = ReturnType<typeof createRandom>;

function randomFilter({ next, pick, between }: Random, printers: string[]): Filter {
  const some = <T>(values: T[]) => range(between(1, 3)).map(() => pick(values));
  const filter: Filter = {};
  if (next() < 0.5) filter.workflow_status = some(STATUSES);
  if (next() < 0.4) filter.printer_id = some(printers);
  if (next() < 0.5) filter.material_name = some(MATERIALS.filter(Boolean));
  return Object.keys(filter).length > 0 ? filter : { workflow_status: some(STATUSES) };
}

type Account = Pick<Farm, 'client' | 'order' | 'filament' | 'agent'>;

/** Makes one random change. @returns the events that it must cause */
async function change(
  account: Account,
  { next, pick }: Random,
  { printers, orders }: { printers: string[]; orders: Order[] },
) {
  const fields = () => ({
    workflow_status: pick(STATUSES),
    material_name: pick(MATERIALS),
    printer_id: pick([null, ...printers]),
  });
  const kind = next();
  if (kind < 0.3 || orders.length === 0) {
    const order = await account.order(fields());
    orders.push(order);
    return [{ event: 'order.created', data: order as unknown as Sent['data'] }];
  }
  if (kind < 0.9) {
    const before = pick(orders);
    const { body: after } = await account.client.put<Order>(`/print-jobs/${before.id}`, fields());
    orders[orders.indexOf(before)] = after;
    const changed = after.workflow_status !== before.workflow_status;
    return changed ? [{ event: 'order.status_changed', data: after as unknown as Sent['data'] }] : [];
  }
  const { id } = await account.filament({ spool_weight_grams: 10, spool_count: 1, low_stock_threshold_grams: 5 });
  await account.client.post(`/filaments/${id}/consume`, { grams: 6 });
  return [{ event: 'filament.low_stock', data: { filament_id: id } }];
}

const identify = ({ event, data }: Sent) => [
  event,
  data.id ?? data.filament_id,
  data.workflow_status,
  data.material_name,
];

/** The events sorted by their subject: those of one order or filament are sent in order, others side by side. */
const inOrderOfEach = (events: Sent[]) =>
  events.map(identify).toSorted(([, a = ''], [, b = '']) => (a === b ? 0 : String(a) < String(b) ? -1 : 1));

describe('random changes and filters', () => {
  const ACCOUNTS = 2;
  const CHANGES = times(50, 500);
  const seed = seedFrom('FILTER_SEED');
  const accounts = range(ACCOUNTS).map(() => forSuite(() => farmIn(farm.service, farm.file)));

  test.each(range(ACCOUNTS))(
    `account %i: each of ten subscriptions has exactly its events, those of a subject in order, without gaps (FILTER_SEED=${seed})`,
    async (number) => {
      const random = createRandom(seed + number);
      const account = accounts[number - 1] as typeof farm;
      const printers: string[] = [];
      for (const name of ['A', 'B', 'C']) printers.push((await account.printer({ name })).id);
      const made = { printers, orders: [] };
      const subscriptions = [];
      for (const _ of range(10)) {
        const filter = randomFilter(random, printers);
        const events = [...DEFAULT_EVENTS, ...OPT_IN_EVENTS];
        subscriptions.push({ filter, ...(await account.subscription({ filter, events })) });
      }
      const all: Sent[] = [];
      for (const _ of range(CHANGES)) all.push(...(await change(account, random, made)));
      for (const { filter, path, received, until } of subscriptions) {
        const expected = all.filter((event) => matches(filter, event));
        await until(({ length }) => length >= expected.length);
        expect(received.map(sequenceOf).sort((a, b) => a - b)).toEqual(range(expected.length));
        const events: Sequenced[] = [];
        for (;;) {
          const after = events.at(-1)?.sequence ?? 0;
          const { items } = (await account.client.get<Listed<Sequenced>>(`${path}/events?after=${after}&per_page=200`))
            .body;
          if (items.length === 0) break;
          events.push(...items);
        }
        expect(inOrderOfEach(events.map(({ event }) => event))).toEqual(inOrderOfEach(expected));
        expect(events.map(({ sequence }) => sequence)).toEqual(range(expected.length));
      }
    },
  );
});
