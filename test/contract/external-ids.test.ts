import {
  expectProblem,
  type Listed,
  type Order,
  type Problem,
  range,
  STATUS_NAMES,
  startFarm,
  UNKNOWN_ID,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { createRandom, seedFrom } from '../kit/random.ts';

const farm = forSuite(startFarm);
const random = createRandom(seedFrom('EXTERNAL_SEED'));

const pathOf = (source: string, id: string): string =>
  `/print-jobs/by-external-id/${encodeURIComponent(source)}/${encodeURIComponent(id)}`;

const putOrder = (id: string, body: object, source = 'shopify') =>
  farm.client.put<Order & Problem>(pathOf(source, id), body);

const list = async (query: string): Promise<Listed<Order>> =>
  (await farm.client.get<Listed<Order>>(`/print-jobs?${query}`)).body;

async function countCreated(id: string | undefined): Promise<number> {
  const path = '/events?event=order.created&per_page=200';
  const { items } = (await farm.client.get<Listed<{ data: { id: string } }>>(path)).body;
  return items.filter(({ data }) => data.id === id).length;
}

const shuffled = <T>(items: T[]): T[] =>
  items
    .map((item) => ({ item, at: random.between(0, 1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

const hour = (n: number): string => new Date(Date.UTC(2026, 10, 1, n)).toISOString();

test('creates one order for 50 racing PUTs, with the newest state', async () => {
  for (const round of range(3)) {
    const id = `racing ${round}`;
    // other times of the shop in random order, with other quantities
    const states = shuffled(range(50)).map((n) => ({
      model_name: 'Bracket',
      quantity_pieces: n,
      external_updated_at: hour(n),
    }));
    const answers = await Promise.all(states.map((state) => putOrder(id, state)));
    const [created, ...more] = answers.filter(({ status }) => status === 201);
    expect(more).toEqual([]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([created?.body.id]));

    const { items, total } = await list(`external_id=${encodeURIComponent(id)}`);
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({ quantity_pieces: 50, external_updated_at: hour(50) });
    expect(await countCreated(created?.body.id)).toBe(1);

    // and again, one after the other
    for (const state of shuffled(states)) {
      const again = await putOrder(id, state);
      const isOld = state.quantity_pieces < 50;
      expect([again.status, again.headers.get('x-svc-stale')]).toEqual([200, isOld ? '1' : null]);
      expect(again.body).toEqual(items[0]);
    }
    expect(await countCreated(created?.body.id)).toBe(1);
  }
});

test('creates one order for 50 racing POSTs, and names it in the errors', async () => {
  const body = { model_name: 'Bracket', source: 'etsy', external_id: 'one' };
  const answers = await Promise.all(range(50).map(() => farm.client.post<Order & Problem>('/print-jobs', body)));
  const [created, ...more] = answers.filter(({ status }) => status === 201);
  expect(more).toEqual([]);
  expect(created?.body).toMatchObject({ source: 'etsy', external_id: 'one', external_updated_at: null });
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused.map((answer) => [answer.body.code, answer.body.id])).toEqual(
    Array(49).fill(['external_id_in_use', created?.body.id]),
  );
  expect(await countCreated(created?.body.id)).toBe(1);
});

test('keeps orders of other sources and accounts apart', async () => {
  const { token } = await farm.newAccount();
  const body = { model_name: 'Bracket' };
  const answers = [
    await putOrder('apart', body),
    await putOrder('apart', body, 'Shopify'),
    await putOrder('Apart', body),
    await farm.client.put<Order>(pathOf('shopify', 'apart'), body, { token }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(4);
});

test('writes an equal or newer state, and one without a time', async () => {
  const { body: created, headers } = await putOrder('times', { model_name: 'A', external_updated_at: hour(5) });
  expect(headers.get('location')).toBe(`/api/v1/print-jobs/${created.id}`);
  const put = async (body: object) => {
    const answer = await putOrder('times', body);
    return [answer.status, answer.body.order_notes, answer.body.external_updated_at];
  };
  // the same instant, in another zone
  const equal = hour(5).replace('05:00:00.000Z', '07:00:00+02:00');
  expect(await put({ order_notes: 'equal', external_updated_at: equal })).toEqual([200, 'equal', hour(5)]);
  expect(await put({ order_notes: 'old', external_updated_at: hour(4) })).toEqual([200, 'equal', hour(5)]);
  expect(await put({ order_notes: 'no time' })).toEqual([200, 'no time', hour(5)]);
  expect(await put({ order_notes: 'null', external_updated_at: null })).toEqual([200, 'null', hour(5)]);
  expect(await put({ order_notes: 'new', external_updated_at: hour(6) })).toEqual([200, 'new', hour(6)]);
});

test('reads what was written by the ID, with its ETag', async () => {
  const external = ['a/b', 'ü ?#%', '🖨'.repeat(50)];
  for (const id of external) {
    const { body, status, headers } = await putOrder(id, { model_name: 'A' }, 'a/ж');
    expect([status, body.source, body.external_id]).toEqual([201, 'a/ж', id]);
    const read = await farm.client.get<Order>(pathOf('a/ж', id));
    expect([read.status, read.body, read.headers.get('etag')]).toEqual([200, body, headers.get('etag')]);
  }
  expectProblem(await farm.client.get(pathOf('a/ж', 'none')), 404, 'not_found');
});

test('leaves the status to the farm, and events without the new fields', async () => {
  const { body } = await putOrder('status', { model_name: 'A', workflow_status: 'done' });
  expect(body.workflow_status).toBe('negotiation');
  await farm.client.put(`/print-jobs/${body.id}`, { workflow_status: 'printing' });
  const answer = await putOrder('status', { order_notes: 'b', workflow_status: 'new' });
  expect([answer.body.workflow_status, answer.headers.get('x-svc-ignored-fields')]).toEqual([
    'printing',
    'workflow_status',
  ]);
  const { items } = (await farm.client.get<Listed<{ data: object }>>('/events?per_page=1')).body;
  expect(Object.keys(items[0]?.data ?? {})).toHaveLength(12);
});

test('needs a model to create an order, and both parts of its ID', async () => {
  expect(expectProblem(await putOrder('no model', {}), 422, 'validation_error').errors?.[0]?.pointer).toBe(
    '/model_name',
  );
  for (const part of [{ source: 'etsy' }, { external_id: '1' }, { source: null, external_id: '1' }]) {
    const problem = expectProblem(await farm.createOrder(part), 422, 'validation_error');
    expect(problem.errors?.[0]?.pointer).toBe('/external_id');
  }
  const without = await farm.createOrder({ source: null, external_id: null });
  expect([without.status, without.body.source]).toEqual([201, null]);
  const long = { source: 's'.repeat(101), external_id: '1' };
  expectProblem(await farm.createOrder(long), 422, 'validation_error');
});

test('creates an order again once it was deleted', async () => {
  const { body } = await putOrder('deleted', { model_name: 'A' });
  await farm.client.delete(`/print-jobs/${body.id}`);
  const again = await putOrder('deleted', { model_name: 'A' });
  expect([again.status, again.body.id === body.id]).toEqual([201, false]);
});

test('an update by its own ID keeps where the order is from', async () => {
  const { body } = await putOrder('kept', { model_name: 'A', external_updated_at: hour(1) });
  const sent = { order_notes: 'b', source: 'x', external_id: 'y', external_updated_at: hour(9) };
  const answer = await farm.client.put<Order>(`/print-jobs/${body.id}`, sent);
  expect(answer.headers.get('x-svc-ignored-fields')).toBe('source, external_id, external_updated_at');
  expect(answer.body).toMatchObject({ source: 'shopify', external_id: 'kept', external_updated_at: hour(1) });
});

test('lists orders by IDs, source, material, customer and creation', async () => {
  const made: Order[] = [];
  for (const n of [0, 1, 2, 3, 4, 5]) {
    const fields = { material_name: n % 2 ? 'PA-CF' : 'pa-cf', customer_name: n < 3 ? 'Ann' : 'Bob' };
    const status = n === 0 ? 'closed' : (STATUS_NAMES[n] as string);
    const external = n < 2 ? { source: 'woo', external_id: `w${n}` } : {};
    made.push((await farm.createOrder({ ...fields, ...external, workflow_status: status })).body);
  }
  const of = async (query: string) => (await list(`${query}&sort=created_at`)).items.map(({ id }) => id);
  const ids = (...numbers: number[]) => numbers.map((n) => made[n]?.id);
  const sent = (...numbers: number[]) => ids(...numbers).map((id) => `id=${id}`);
  expect(await of(sent(4, 0, 2).join('&'))).toEqual(ids(0, 2, 4));
  expect(await of(`${sent(4, 0, 2).join('&')}&customer_name=Ann`)).toEqual(ids(0, 2));
  expect(await of(`id=${UNKNOWN_ID}`)).toEqual([]);
  expect(await of('source=woo')).toEqual(ids(1));
  expect(await of('source=woo&include_closed=true')).toEqual(ids(0, 1));
  expect(await of('source=woo&external_id=w1')).toEqual(ids(1));
  expect(await of('material_name=PA-CF')).toEqual(ids(1, 3, 5));
  expect(await of('customer_name=Bob&material_name=pa-cf')).toEqual(ids(4));
  const [from, to] = [made[2]?.created_at, made[4]?.created_at];
  const between = made.filter(({ created_at }, n) => n > 0 && created_at >= from! && created_at < to!);
  expect(await of(`created_since=${from}&created_before=${to}`)).toEqual(between.map(({ id }) => id));
  const many = Array(100).fill(sent(1)[0]).join('&');
  expect(await of(many)).toEqual(ids(1));
  expectProblem(await farm.client.get(`/print-jobs?${many}&${sent(2)[0]}`), 422, 'validation_error');
});
