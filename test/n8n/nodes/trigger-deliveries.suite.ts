import type { IDataObject } from 'n8n-workflow';
import { eventually, expectSoon } from '../../kit/eventually.ts';
import { createTriggerFarm, refusalOf, startTriggerServer, type Trigger } from '../../kit/n8n/trigger-farm.ts';
import { forSuite, forTest } from '../../kit/opened.ts';
import { startReceiver } from '../../kit/receiver.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Attempt {
  id: string;
  event: string;
  status: string;
  response_status: number | null;
  error: string | null;
  sequence: number;
}

const site = forSuite(createTriggerFarm);
const farm = forSuite(() => site.farm);
const triggerServer = forTest(startTriggerServer);
afterEach(() => site.reset());

async function publish(parameters: IDataObject = {}): Promise<Trigger> {
  const trigger = farm.trigger({ events: ['*'], ...parameters }, { webhookBaseUrl: triggerServer.url });
  triggerServer.settings.trigger = trigger;
  await trigger.publish();
  return trigger;
}

const attempts = async (trigger: Trigger): Promise<Attempt[]> =>
  (await site.client.get<{ items: Attempt[] }>(`/webhook-subscriptions/${trigger.memory().subscriptionId}/deliveries`))
    .body.items;

/** What the service has recorded of the subscription, once there are so many attempts. */
const settled = (trigger: Trigger, count: number) =>
  eventually(
    () => attempts(trigger),
    (all) => all.length >= count,
  );

const createOrder = async (body: Record<string, unknown> = {}) =>
  (await site.client.post('/print-jobs', { model_name: 'Bracket — Кронштейн 🖨️', ...body })).body as IDataObject;
const move = (id: unknown, workflow_status: string) => site.client.put(`/print-jobs/${id}`, { workflow_status });

test('receives verified events exactly as sent', async () => {
  const trigger = await publish({ options: { includeHeaders: true } });
  const order = await createOrder({ order_notes: '"quotes" \\ \u2028 \u0007 </script>' });
  await move(order.id, 'printing');
  const filament = (
    await site.client.post('/filaments', { name: 'PETG', spool_count: 1, low_stock_threshold_grams: 900 })
  ).body as IDataObject;
  await site.client.post(`/filaments/${filament.id}/consume`, { grams: 150.5 });
  const noted = await settled(trigger, 3);

  expect(noted.map(({ status, response_status }) => [status, response_status])).toStrictEqual(
    Array.from({ length: 3 }, () => ['succeeded', 200]),
  );
  const runs = new Map(triggerServer.runs.map((run) => [run.event as string, run]));
  expect([...runs.keys()].sort()).toStrictEqual(['filament.low_stock', 'order.created', 'order.status_changed']);
  for (const [event, run] of runs) {
    expect(Object.keys(run)).toStrictEqual(['event', 'occurred_at', 'data', 'delivery_id', 'sequence', 'headers']);
    expect(run.occurred_at).toMatch(UTC_TIME);
    expect(run.delivery_id).toMatch(UUID);
    const { headers, delivery_id, sequence, ...envelope } = run;
    // as documented and as the service records it
    site.client.checkPushed(event, envelope);
    expect(noted).toContainEqual(expect.objectContaining({ id: delivery_id, event, sequence }));
    expect(headers).toMatchObject({
      'x-svc-event': event,
      'x-svc-delivery': delivery_id,
      'content-type': 'application/json',
    });
  }
  expect(runs.get('order.created')?.data).toMatchObject({
    id: order.id,
    model_name: order.model_name,
    order_notes: order.order_notes,
    workflow_status: 'negotiation',
  });
  expect(runs.get('order.status_changed')?.data).toMatchObject({ id: order.id, workflow_status: 'printing' });
  expect(runs.get('filament.low_stock')?.data).toStrictEqual({
    filament_id: filament.id,
    name: 'PETG',
    remaining_grams: 849.5,
    threshold_grams: 900,
  });
  expect([...triggerServer.runs].map(({ sequence }) => sequence).sort()).toStrictEqual([1, 2, 3]);
});

test('includes the full order record', async () => {
  const trigger = await publish({ events: ['order.created'], options: { fetchRecord: true } });
  const order = await createOrder({ customer_name: 'Studio Ember', price: 4200, currency: 'EUR' });
  await settled(trigger, 1);
  expect(triggerServer.runs[0]?.record).toStrictEqual((await site.client.get(`/print-jobs/${order.id}`)).body);
  expect(triggerServer.runs[0]?.record).toMatchObject({ customer_name: 'Studio Ember' });
});

test('receives only chosen events and applies filters', async () => {
  const trigger = await publish({ events: ['order.status_changed'], filters: { workflowStatus: ['done'] } });
  const order = await createOrder();
  for (const status of ['printing', 'done', 'closed']) await move(order.id, status);
  // the others aren't sent at all
  const noted = await settled(trigger, 1);
  expect(noted.map(({ event, status, response_status }) => [event, status, response_status])).toStrictEqual([
    ['order.status_changed', 'succeeded', 200],
  ]);
  expect(triggerServer.runs.map(({ data }) => (data as IDataObject).workflow_status)).toStrictEqual(['done']);
});

describe('Send test event', () => {
  const sendTest = async (trigger: Trigger) =>
    (await site.client.post(`/webhook-subscriptions/${trigger.memory().subscriptionId}/test`)).body;

  test('answers 200 without a run', async () => {
    const trigger = await publish();
    expect(await sendTest(trigger)).toMatchObject({ event: 'webhook.test', status: 'succeeded', response_status: 200 });
    expect(triggerServer.runs).toHaveLength(0);
  });

  test('runs with the option', async () => {
    const trigger = await publish({ options: { runOnTest: true } });
    expect(await sendTest(trigger)).toMatchObject({ status: 'succeeded', response_status: 200 });
    expect(triggerServer.runs).toStrictEqual([
      {
        event: 'webhook.test',
        occurred_at: expect.stringMatching(UTC_TIME),
        data: { subscription_id: trigger.memory().subscriptionId, message: expect.any(String) },
        delivery_id: expect.stringMatching(UUID),
        sequence: 1,
      },
    ]);
  });

  test('runs while the editor listens, on the test subscription', async () => {
    const trigger = farm.trigger({ events: ['order.created'], executeStep: 'next' });
    trigger.data.webhookTestBaseUrl = triggerServer.url;
    triggerServer.settings.trigger = trigger;
    triggerServer.settings.mode = 'manual';
    await trigger.publish('manual');
    expect(await sendTest(trigger)).toMatchObject({ status: 'succeeded', response_status: 200 });
    expect(triggerServer.runs.map(({ event }) => event)).toStrictEqual(['webhook.test']);
    await trigger.delete('manual');
    expect(await site.subscriptions()).toHaveLength(0);
  });
});

describe('an altered request', () => {
  test.each<[string, (raw: Buffer) => Buffer]>([
    ['one byte changed', (raw) => Buffer.from(raw.toString('utf8').replace('negotiation', 'negotiatioN'))],
    ['a byte more', (raw) => Buffer.concat([raw, Buffer.from(' ')])],
    ['a byte less', (raw) => raw.subarray(0, -1)],
    ['parsed and written again', (raw) => Buffer.from(JSON.stringify(JSON.parse(raw.toString('utf8')), null, 1))],
    ['of another encoding', (raw) => Buffer.from(raw.toString('utf8'), 'latin1')],
  ])('is refused with 401, which the service notes, and runs nothing: %s', async (_name, change) => {
    const trigger = await publish({ events: ['order.created'] });
    triggerServer.settings.change = change;
    await createOrder();
    const [noted] = await settled(trigger, 1);
    expect(noted).toMatchObject({ status: 'failed', response_status: 401, error: 'http_status' });
    expect(triggerServer.runs).toHaveLength(0);
    expect(triggerServer.statuses).toStrictEqual([401]);
  });

  test('refuses events of another subscription', async () => {
    const trigger = await publish({ events: ['order.created'] });
    const other = await site.createSubscription({ url: trigger.url(), name: 'Not of n8n' });
    await createOrder();
    await expectSoon(() => triggerServer.statuses.length, 2);
    expect([...triggerServer.statuses].sort()).toStrictEqual([200, 401]);
    expect(triggerServer.runs).toHaveLength(1);
    await site.client.delete(`/webhook-subscriptions/${other.id}`);
  });
});

describe('a resent event', () => {
  const resend = async (trigger: Trigger) => {
    const [first] = await settled(trigger, 1);
    const { subscriptionId } = trigger.memory();
    // the signed time, in seconds, is what tells it from a repetition
    const attemptedIn = Math.floor(Date.now() / 1000);
    await eventually(
      () => Math.floor(Date.now() / 1000),
      (second) => second > attemptedIn,
    );
    return (await site.client.post(`/webhook-subscriptions/${subscriptionId}/deliveries/${first?.id}/resend`)).body;
  };

  test('runs again', async () => {
    const trigger = await publish({ events: ['order.created'] });
    await createOrder();
    expect(await resend(trigger)).toMatchObject({ status: 'succeeded', response_status: 200 });
    expect(triggerServer.runs).toHaveLength(2);
    expect(triggerServer.runs[0]?.data).toStrictEqual(triggerServer.runs[1]?.data);
    expect(triggerServer.runs[0]?.delivery_id).not.toBe(triggerServer.runs[1]?.delivery_id);
  });

  test('runs again where repeated deliveries are skipped, as it is a new delivery', async () => {
    const trigger = await publish({ events: ['order.created'], options: { skipRepeated: true } });
    await createOrder();
    expect(await resend(trigger)).toMatchObject({ status: 'succeeded', response_status: 200 });
    expect(triggerServer.statuses).toStrictEqual([200, 200]);
    expect(triggerServer.runs).toHaveLength(2);
    expect(triggerServer.runs[0]?.delivery_id).not.toBe(triggerServer.runs[1]?.delivery_id);
  });
});

test('receives many concurrent events exactly once', async () => {
  const trigger = await publish({ events: ['order.created'], options: { skipRepeated: true } });
  const orders = await Promise.all(Array.from({ length: 25 }, () => createOrder()));
  await eventually(
    () => triggerServer.runs.length,
    (count) => count >= 25,
  );
  expect(triggerServer.runs.map(({ data }) => (data as IDataObject).id).sort()).toStrictEqual(
    orders.map(({ id }) => id).sort(),
  );
  expect(new Set(triggerServer.statuses)).toStrictEqual(new Set([200]));
  expect(trigger.memory().secret).toMatch(/^whsec_/);
});

test('receives nothing before publishing and after unpublishing, and enables a disabled subscription again', async () => {
  await createOrder();
  const trigger = await publish({ events: ['order.created'] });
  await createOrder();
  await settled(trigger, 1);
  expect(triggerServer.runs).toHaveLength(1);

  await site.client.put(`/webhook-subscriptions/${trigger.memory().subscriptionId}`, { enabled: false });
  await createOrder();
  await trigger.publish();
  await createOrder();
  await eventually(
    () => triggerServer.runs.length,
    (count) => count >= 2,
  );

  await trigger.delete();
  // when another subscription has received the next event, this one would have received it, too
  const bystander = await startReceiver();
  try {
    await site.createSubscription({ url: bystander.url });
    await createOrder();
    await bystander.until(({ length }) => length === 1);
  } finally {
    await bystander.stop();
  }
  expect(triggerServer.runs).toHaveLength(2);
  expect(triggerServer.statuses).toStrictEqual([200, 200]);
});

test('sends a separately signed copy to each trigger', async () => {
  const second = await startTriggerServer();
  try {
    const first = await publish({ events: ['order.created'] });
    const other = farm.trigger({ events: ['order.created'] }, { webhookBaseUrl: second.url, workflowName: 'Second' });
    second.settings.trigger = other;
    await other.publish();
    const order = await createOrder();
    await settled(first, 1);
    await settled(other, 1);
    for (const { runs } of [triggerServer, second])
      expect(runs.map(({ data }) => (data as IDataObject).id)).toStrictEqual([order.id]);
    // each signed with its own secret
    second.settings.trigger = first;
    await createOrder();
    await settled(other, 2);
    expect(second.statuses).toStrictEqual([200, 401]);
    expect(second.runs).toHaveLength(1);
  } finally {
    await second.stop();
  }
});

test('keeps its subscription when unpublishing fails because the service was killed, and continues with it after a restart', async () => {
  const own = await createTriggerFarm();
  try {
    const trigger = own.farm.trigger({ events: ['order.created'] }, { webhookBaseUrl: triggerServer.url });
    triggerServer.settings.trigger = trigger;
    await trigger.publish();
    const kept = { ...trigger.memory() };
    await own.service.kill();
    for (const action of [() => trigger.delete(), () => trigger.publish()])
      await refusalOf(action(), [own.token, kept.secret]);
    expect(trigger.memory()).toStrictEqual(kept);

    await own.restart();
    await trigger.publish();
    expect(trigger.memory()).toStrictEqual(kept);
    expect((await own.subscriptions()).map(({ id }) => id)).toStrictEqual([kept.subscriptionId]);
    await own.client.post('/print-jobs', { model_name: 'Bracket' });
    await expectSoon(() => triggerServer.runs.length, 1);
    await trigger.delete();
    expect(await own.subscriptions()).toHaveLength(0);
  } finally {
    await own.stop();
  }
});
