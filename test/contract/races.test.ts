import type { Answer } from '../kit/checker.ts';
import { eventually } from '../kit/eventually.ts';
import {
  type Filament,
  type Listed,
  type Order,
  type Problem,
  range,
  type Subscription,
  startFarm,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(startFarm);

const withStatus = <T>(answers: Answer<T>[], status: number) => answers.filter((answer) => answer.status === status);

test('accepts exactly 100 of 200 racing consumes of 1 g on 100 g', async () => {
  const { id } = await farm.filament({ spool_weight_grams: 60, spool_count: 1 });
  await farm.client.post(`/filaments/${id}/batches`, { spool_count: 1 });
  await farm.client.post(`/filaments/${id}/consume`, { grams: 20 });
  const answers = await Promise.all(
    range(200).map(() => farm.client.post<Filament & Problem>(`/filaments/${id}/consume`, { grams: 1 })),
  );
  const passed = withStatus(answers, 200);
  expect(passed).toHaveLength(100);
  // each saw another remainder, so no two deductions started from the same one
  expect(passed.map(({ body }) => body.remaining_grams).sort((a, b) => a - b)).toEqual(range(100).map((n) => n - 1));
  expect(withStatus(answers, 409).map(({ body }) => body.code)).toEqual(Array(100).fill('insufficient_stock'));
  const { body } = await farm.client.get<Filament>(`/filaments/${id}`);
  expect(body).toMatchObject({ used_grams: 120, remaining_grams: 0, needs_review: false });
  const batches = await farm.client.get<Listed<{ used_grams: number }>>(`/filaments/${id}/batches`);
  expect(batches.body.items.map((batch) => batch.used_grams)).toEqual([60, 60]);
  const ledger = await farm.client.get<Listed<{ kind: string; grams: number }>>(`/filaments/${id}/ledger?per_page=200`);
  const taken = ledger.body.items.filter(({ kind }) => kind === 'consumption');
  expect(taken.reduce((sum, { grams }) => sum + grams, 0)).toBe(-120);
});

test('deducts once for 50 racing requests with one idempotency key', async () => {
  const { id } = await farm.filament({ spool_weight_grams: 1000, spool_count: 1 });
  const headers = { 'Idempotency-Key': 'one for all' };
  const answers = await Promise.all(
    range(50).map(() => farm.client.post<Filament>(`/filaments/${id}/consume`, { grams: 7 }, { headers })),
  );
  expect(withStatus(answers, 200)).toHaveLength(50);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') !== 'true')).toHaveLength(1);
  expect((await farm.client.get<Filament>(`/filaments/${id}`)).body.used_grams).toBe(7);
});

test('creates one order and one event for 50 racing requests with one idempotency key', async () => {
  const headers = { 'Idempotency-Key': 'one order' };
  const answers = await Promise.all(range(50).map(() => farm.createOrder({ model_name: 'once' }, { headers })));
  expect(withStatus(answers, 201)).toHaveLength(50);
  const ids = new Set(answers.map(({ body }) => body.id));
  expect(ids.size).toBe(1);
  const orders = await farm.client.get<Listed<Order>>('/print-jobs?q=once');
  expect(orders.body.total).toBe(1);
  const events = await farm.client.get<Listed<{ data: { id: string } }>>('/events?event=order.created&per_page=200');
  expect(events.body.items.map(({ data }) => data.id)).toEqual([...ids]);
});

test('creates and continues one subscription for 20 racing POSTs with one client_key', async () => {
  const path = '/webhook-subscriptions';
  const body = { url: 'http://127.0.0.1:9/one', events: ['order.created'], client_key: 'one' };
  const ids: string[] = [];
  for (const _round of range(3)) {
    const answers = await Promise.all(range(20).map(() => farm.client.post<Subscription & Problem>(path, body)));
    const [made, ...more] = withStatus(answers, 201);
    expect(more).toEqual([]);
    expect(withStatus(answers, 409).map((answer) => [answer.body.code, answer.body.id])).toEqual(
      Array(19).fill(['client_key_in_use', made?.body.id]),
    );
    ids.push(made?.body.id ?? '');
    const deleted = await Promise.all(range(5).map(() => farm.client.delete(`${path}/${ids[0]}`)));
    expect(withStatus(deleted, 204)).toHaveLength(1);
  }
  expect(new Set(ids).size).toBe(1);
});

test('has every event once, racing with deletions and creations of its subscription', async () => {
  const path = '/webhook-subscriptions';
  const body = { url: 'http://127.0.0.1:9/one', events: ['order.created'], client_key: 'without gaps' };
  const { id } = (await farm.client.post<Subscription>(path, body)).body;
  let isDone = false;
  const recreating = (async () => {
    while (!isDone) {
      await farm.client.delete(`${path}/${id}`);
      await farm.client.post(path, body);
    }
  })();
  const orders: string[] = [];
  for (const _batch of range(10))
    orders.push(...(await Promise.all(range(8).map(() => farm.order()))).map((one) => one.id));
  isDone = true;
  await recreating;
  const { items } = await eventually(
    async () =>
      (
        await farm.client.get<Listed<{ sequence: number; status: string; event: { data: { id: string } } }>>(
          `${path}/${id}/events?per_page=200`,
        )
      ).body,
    (all) => all.total === orders.length && all.items.every(({ status }) => status === 'failed'),
  );
  expect(items.map(({ sequence }) => sequence)).toEqual(range(orders.length));
  expect(new Set(items.map(({ event }) => event.data.id))).toEqual(new Set(orders));
  await farm.client.delete(`${path}/${id}`);
});

test('creates 10 subscriptions, the maximum per account, from 50 racing POSTs', async () => {
  const answers = await Promise.all(
    range(50).map((n) =>
      farm.client.post<Subscription & Problem>('/webhook-subscriptions', {
        url: `http://127.0.0.1:9/${n}`,
        events: ['order.created'],
      }),
    ),
  );
  const made = withStatus(answers, 201);
  expect(made).toHaveLength(10);
  expect(withStatus(answers, 422).map(({ body }) => body.code)).toEqual(Array(40).fill('channel_limit_reached'));
  expect(new Set(made.map(({ body }) => body.secret)).size).toBe(10);
  const { body } = await farm.client.get<Listed<Subscription>>('/webhook-subscriptions');
  expect(body.total).toBe(10);
  expect(new Set(body.items.map(({ id }) => id))).toEqual(new Set(made.map((answer) => answer.body.id)));
});
