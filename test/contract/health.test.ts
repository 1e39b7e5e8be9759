import { deliveriesOf } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { DEFAULT_EVENTS, expectProblem, type Listed, range, type Subscription, startFarm } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

interface Logged {
  id: string;
  event: string;
  data: { id?: string; material_name?: string };
}

const farm = forSuite(startFarm);
afterEach(() => farm.clear());

const PATH = '/webhook-subscriptions';
const put = (path: string, body: object) => farm.client.put<Subscription>(path, body);
const read = async (path: string) => (await farm.client.get<Subscription>(path)).body;
const untilPaused = (path: string) =>
  eventually(
    () => read(path),
    ({ enabled }) => !enabled,
  );

/** Every event from this one on, page by page. */
async function walk(from: string): Promise<Logged[]> {
  const events: Logged[] = [];
  for (let page = 1; ; page++) {
    const query = `from=${from}&sort=occurred_at&per_page=3&page=${page}`;
    const { status, body } = await farm.client.get<Listed<Logged>>(`/events?${query}`);
    expect([query, status]).toEqual([query, 200]);
    events.push(...body.items);
    if (events.length >= body.total) return events;
  }
}

/** A receiver that responds with `state.status`, at first 500. */
async function failing(more: object = {}) {
  const state = { status: 500 };
  const answer = (res: import('node:http').ServerResponse) => res.writeHead(state.status).end();
  return { state, ...(await farm.subscription({ answer, ...more })) };
}

describe('pause_after_failures', () => {
  test('is off unless it is set; null turns it off again', async () => {
    const { path, created } = await farm.subscription();
    expect([created.pause_after_failures, created.paused_at]).toEqual([null, null]);
    for (const sent of [1, 1000, null]) {
      expect((await put(path, { pause_after_failures: sent })).body.pause_after_failures).toBe(sent);
      await put(path, { name: 'x' });
      expect((await read(path)).pause_after_failures).toBe(sent);
    }
    for (const sent of [0, 1001, 1.5, '3']) {
      const problem = expectProblem(await put(path, { pause_after_failures: sent }), 422, 'validation_error');
      expect(problem.errors?.[0]?.pointer).toBe('/pause_after_failures');
    }
  });

  test('disables the subscription with the last failure; what is missed can be read from the event log', async () => {
    const { state, path, received } = await failing({ pause_after_failures: 3 });
    const order = await farm.order();
    for (const status of ['confirmed', 'printing', 'packing', 'done']) await farm.setStatus(order.id, status);
    const paused = await untilPaused(path);
    expect(paused).toMatchObject({ health: 'failing', consecutive_failures: 3, last_error: 'http_status' });
    expect(paused.paused_at).not.toBeNull();
    expect(paused.updated_at >= (paused.paused_at as string)).toBe(true);
    state.status = 204;
    const other = await farm.order();
    await farm.setStatus(other.id, 'cancelled');
    expect(received).toHaveLength(3);

    const { body: resumed } = await put(path, { enabled: true });
    expect(resumed).toMatchObject({ enabled: true, paused_at: null, health: 'ok', consecutive_failures: 0 });
    const first = resumed.first_missed_event;
    const missed = await walk(first?.id ?? '');
    expect(missed[0]).toMatchObject({ ...first, data: { id: order.id, workflow_status: 'packing' } });
    expect(missed.map(({ event, data }) => [event, data.id])).toEqual([
      ['order.status_changed', order.id],
      ['order.status_changed', order.id],
      ['order.created', other.id],
      ['order.status_changed', other.id],
    ]);
    await farm.setStatus(other.id, 'closed');
    await eventually(
      () => received.length,
      (count) => count === 4,
    );
    expect(received[3]?.body.data).toMatchObject({ id: other.id, workflow_status: 'closed' });
    expect((await read(path)).health).toBe('ok');
  });

  test('loses nothing while several requests are in flight', async () => {
    const { id, state, path, received } = await failing({ pause_after_failures: 2 });
    const orders = await Promise.all(range(20).map(() => farm.order()));
    await untilPaused(path);
    await eventually(
      () => deliveriesOf(farm.inspector, id),
      (all) => all.every((delivery) => !['pending', 'sending'].includes(delivery.state)),
    );
    state.status = 204;
    orders.push(await farm.order());
    const attempted = received.map(({ body }) => body.data.id);
    const { body: resumed } = await put(path, { enabled: true });
    const missed = (await walk(resumed.first_missed_event?.id ?? '')).map(({ data }) => data.id);
    expect(attempted).not.toContain(missed[0]);
    expect(new Set(missed).size).toBe(missed.length);
    expect(new Set([...attempted, ...missed])).toEqual(new Set(orders.map(({ id }) => id)));
  });

  test('counts again from the start after it was resumed, and a success in between', async () => {
    const { state, path, received } = await failing({ pause_after_failures: 2 });
    const test = () => farm.client.post(`${path}/test`);
    await test();
    state.status = 204;
    await test();
    state.status = 500;
    await test();
    expect(await read(path)).toMatchObject({ enabled: true, consecutive_failures: 1 });
    await test();
    expect(await read(path)).toMatchObject({ enabled: false, consecutive_failures: 2 });
    // a test shows whether the receiver works again, and changes nothing else
    state.status = 204;
    await test();
    expect(await read(path)).toMatchObject({ enabled: false, health: 'ok', consecutive_failures: 0 });
    expect((await put(path, { enabled: true })).body.first_missed_event).toBeNull();
    state.status = 500;
    await test();
    expect(await read(path)).toMatchObject({ enabled: true, consecutive_failures: 1, paused_at: null });
    expect(received).toHaveLength(6);
  });

  test('a lower limit holds from the next failure on', async () => {
    const { path } = await failing();
    for (const _ of range(3)) await farm.client.post(`${path}/test`);
    expect((await put(path, { pause_after_failures: 2 })).body).toMatchObject({ enabled: true, paused_at: null });
    await farm.client.post(`${path}/test`);
    expect(await read(path)).toMatchObject({ enabled: false, consecutive_failures: 4 });
  });
});

describe('first_missed_event', () => {
  test('is the first event that the subscription selects, after its owner disabled it', async () => {
    const { path, untilRecorded } = await farm.subscription({
      events: ['order.created'],
      filter: { material_name: ['PETG', 'Δ «x»'] },
    });
    await farm.order({ material_name: 'PETG' });
    // while its delivery is pending, disabling discards it, and this event is the first one missed
    await untilRecorded(1);
    const { body: disabled } = await put(path, { enabled: false });
    expect([disabled.paused_at, 'first_missed_event' in disabled]).toEqual([null, false]);
    const pla = await farm.order({ material_name: 'PLA' });
    await farm.setStatus(pla.id, 'done');
    const missed = await farm.order({ material_name: 'Δ «x»' });
    await farm.order({ material_name: 'PETG' });
    expect((await put(path, { name: 'x' })).body).not.toHaveProperty('first_missed_event');
    const { body: enabled } = await put(path, { enabled: true });
    const [first] = await walk(enabled.first_missed_event?.id ?? '');
    expect(first).toMatchObject({ ...enabled.first_missed_event, event: 'order.created', data: { id: missed.id } });
    expect((await put(path, { enabled: true })).body).not.toHaveProperty('first_missed_event');
    expect(await read(path)).not.toHaveProperty('first_missed_event');
  });

  test('is null if nothing was missed, also for a subscription that was created disabled', async () => {
    const { body } = await farm.client.post<Subscription>(PATH, {
      url: 'http://127.0.0.1:9/hook',
      events: DEFAULT_EVENTS,
      enabled: false,
    });
    await farm.order();
    expect((await put(`${PATH}/${body.id}`, { enabled: true })).body.first_missed_event).toBeNull();
    await put(`${PATH}/${body.id}`, { enabled: false });
    expect((await put(`${PATH}/${body.id}`, { enabled: true })).body.first_missed_event).toBeNull();
  });
});
