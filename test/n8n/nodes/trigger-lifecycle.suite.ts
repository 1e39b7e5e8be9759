import type { IDataObject } from 'n8n-workflow';
import { eventually } from '../../kit/eventually.ts';
import type { Farm } from '../../kit/n8n/harness.ts';
import {
  createTriggerFarm,
  envelopeOf,
  expectRefused,
  expectRun,
  headersOf,
  refusalOf,
  type Subscription,
  startTriggerServer,
  type Trigger,
  toRaw,
} from '../../kit/n8n/trigger-farm.ts';
import { forSuite, forTest } from '../../kit/opened.ts';
import { createAccountWithToken } from '../../kit/service.ts';

const DEFAULT_EVENTS = ['order.created', 'order.status_changed'];
const NAME = 'n8n: Orders to chat / Farmboard Trigger';

const site = forSuite(createTriggerFarm);
const farm = forSuite(() => site.farm);
afterEach(() => site.reset());

const make = (parameters: IDataObject = {}, more: Parameters<Farm['trigger']>[1] = {}): Trigger =>
  farm.trigger({ events: DEFAULT_EVENTS, ...parameters }, more);

async function published(...given: Parameters<typeof make>): Promise<Trigger> {
  const trigger = make(...given);
  await trigger.publish();
  return trigger;
}

/** The same node later: n8n's stored data, with changed parameters. */
function later(trigger: Trigger, parameters: IDataObject = {}, more: Parameters<Farm['trigger']>[1] = {}): Trigger {
  const again = make(
    { ...(trigger.node.parameters as IDataObject), ...parameters },
    { webhookId: trigger.node.webhookId as string, node: { id: trigger.node.id }, ...more },
  );
  again.setMemory({ ...trigger.memory() });
  return again;
}

const onlySubscription = () => site.onlySubscription();

/** What n8n stores of a published trigger, and nothing else. */
const memoryOf = (subscriptionId: string) => ({
  subscriptionId,
  secret: expect.stringMatching(/^whsec_/),
  owner: expect.stringMatching(/\/w-trigger$/),
});

const writes = () =>
  site.proxy.seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

describe('publishing', () => {
  test('creates exactly one subscription, signed and named after workflow and node', async () => {
    const trigger = await published();
    const subscription = await onlySubscription();
    expect(subscription).toMatchObject({
      id: trigger.memory().subscriptionId,
      name: NAME,
      url: trigger.url(),
      format: 'signed',
      events: DEFAULT_EVENTS,
      enabled: true,
    });
    expect(trigger.url()).toBe(`http://127.0.0.1:5678/webhook/${trigger.node.webhookId}/webhook`);
  });

  test('keeps ID and secret in static data, and the secret nowhere else', async () => {
    const trigger = await published();
    const { secret, ...rest } = trigger.memory();
    expect(rest).toStrictEqual({
      subscriptionId: (await onlySubscription()).id,
      owner: expect.stringMatching(/\/w-trigger$/),
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const elsewhere = [trigger.node, site.proxy.seen, site.service.log, await site.subscriptions(), farm.credentials];
    expect(JSON.stringify(elsewhere)).not.toContain(secret);
    const raw = toRaw(envelopeOf('order.created'));
    expectRun(await trigger.receive(raw, headersOf(raw, secret)));
  });

  test('sends a new idempotency key with each creation', async () => {
    const keys: unknown[] = [];
    for (let i = 0; i < 2; i++) {
      await published();
      const [post] = site.proxy.seen.filter(({ method }) => method === 'POST');
      keys.push(post?.headers['idempotency-key']);
      await site.reset();
    }
    expect(keys[0]).toMatch(/^[\w-]{16,128}$/);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('changes nothing when repeated', async () => {
    const trigger = await published();
    const before = { ...trigger.memory() };
    const subscription = await onlySubscription();
    for (let i = 0; i < 3; i++) {
      site.proxy.rule(() => 'forward');
      const again = later(trigger);
      await again.publish();
      expect(writes()).toStrictEqual([]);
      expect(again.memory()).toStrictEqual(before);
      expect(await onlySubscription()).toStrictEqual(subscription);
    }
  });

  test('chooses events as a sorted set, whatever order and repetitions they come in', async () => {
    const trigger = make({
      events: ['order.status_changed', 'filament.low_stock', 'order.created', 'order.created', ''],
    });
    await trigger.publish();
    const [post] = site.proxy.seen.filter(({ method }) => method === 'POST');
    expect(post?.body?.events).toStrictEqual(['filament.low_stock', 'order.created', 'order.status_changed']);
    site.proxy.rule(() => 'forward');
    await later(trigger, { events: ['order.created', 'filament.low_stock', 'order.status_changed'] }).publish();
    expect(writes()).toStrictEqual([]);
  });

  test('chooses all events with All Events and recognizes them when repeated', async () => {
    const trigger = await published({ events: ['*'] });
    const { events } = await onlySubscription();
    expect([...events].sort()).toStrictEqual(
      Object.keys(site.client.document.webhooks)
        .filter((event) => event !== 'webhook.test')
        .sort(),
    );
    site.proxy.rule(() => 'forward');
    await later(trigger).publish();
    expect(writes()).toStrictEqual([]);
  });
});

describe('the name of a subscription', () => {
  const nameOf = async (workflowName: string | undefined, mode: 'trigger' | 'manual' = 'trigger'): Promise<string> => {
    const trigger = make({}, workflowName === undefined ? {} : { workflowName });
    await trigger.publish(mode);
    const { name } = await onlySubscription();
    // the name of the created subscription is the one that is looked for
    site.proxy.rule(() => 'forward');
    await later(trigger, {}, workflowName === undefined ? {} : { workflowName }).publish(mode);
    expect(writes()).toStrictEqual([]);
    await site.reset();
    return name;
  };

  test('shortens long names and keeps the test marker', async () => {
    expect(await nameOf('W'.repeat(300))).toBe(`n8n: ${'W'.repeat(95)}`);
    const test = await nameOf('W'.repeat(300), 'manual');
    expect(test).toBe(`n8n: ${'W'.repeat(88)} (test)`);
    expect(await nameOf('W'.repeat(68), 'manual')).toBe(`n8n: ${'W'.repeat(68)} / Farmboard Trigger (test)`);
  });

  test.each([
    ['pictures', '🖨️'.repeat(60)],
    ['pictures, one letter on', `a${'🖨️'.repeat(60)}`],
    ['rare letters', '𝒳'.repeat(120)],
    ['rare letters, one letter on', `a${'𝒳'.repeat(120)}`],
    ['families', '👨‍👩‍👧‍👦'.repeat(30)],
  ])('cuts %s to well-formed text', async (_name, workflowName) => {
    for (const mode of ['trigger', 'manual'] as const) {
      const name = await nameOf(workflowName, mode);
      expect(name.isWellFormed()).toBe(true);
      expect(name.length).toBeLessThanOrEqual(100);
      expect(name.length).toBeGreaterThan(90);
      expect(name.startsWith('n8n: ')).toBe(true);
      expect(name.endsWith(' (test)')).toBe(mode === 'manual');
    }
  });

  test('keeps quotes, slashes and other scripts, and has spaces for line ends', async () => {
    const name = await nameOf('Заказы → "чат" / <b>\n\t\'; --');
    expect(name).toBe('n8n: Заказы → "чат" / <b> \'; -- / Farmboard Trigger');
  });
});

describe('drift repaired with the same ID and secret', () => {
  let trigger: Trigger;
  let before: Subscription;
  beforeEach(async () => {
    trigger = make();
    await trigger.publish();
    before = await onlySubscription();
    site.proxy.rule(() => 'forward');
  });

  async function expectRepaired(again: Trigger, expected: Partial<Subscription>): Promise<void> {
    await again.publish();
    const { updated_at: _now, ...now } = (await onlySubscription()) as Subscription & { updated_at: string };
    const { updated_at: _then, ...then } = before as Subscription & { updated_at: string };
    expect(now).toStrictEqual({ ...then, ...expected });
    expect(again.memory()).toStrictEqual(trigger.memory());
    expect(writes()).toStrictEqual([`PUT /webhook-subscriptions/${before.id}`]);
    site.proxy.rule(() => 'forward');
    await again.publish();
    expect(writes()).toStrictEqual([]);
  }

  test('updates the address if n8n has another WEBHOOK_URL', async () => {
    const again = later(trigger, {}, { webhookBaseUrl: 'http://127.0.0.1:9999/hooks' });
    await expectRepaired(again, { url: `http://127.0.0.1:9999/hooks/${trigger.node.webhookId}/webhook` });
  });

  test.each<[string, string[]]>([
    ['fewer', ['order.created']],
    ['more', ['filament.low_stock', 'order.created', 'order.status_changed']],
    ['others', ['invoice.paid', 'lead.created']],
  ])('updates the events if the node now chooses %s', async (_name, events) => {
    await trigger.publish();
    await site.client.put(`/webhook-subscriptions/${before.id}`, { events: DEFAULT_EVENTS });
    const again = later(trigger, { events });
    await again.publish();
    expect([...(await onlySubscription()).events].sort()).toStrictEqual(events);
    expect(again.memory()).toStrictEqual(trigger.memory());
    expect(writes()).toStrictEqual([`PUT /webhook-subscriptions/${before.id}`]);
  });

  test.each([
    [{ events: ['invoice.paid', 'order.created'] }],
    [{ enabled: false }],
    [{ url: 'http://127.0.0.1:1/elsewhere' }],
  ])('undoes a change in the service: %j', async (change) => {
    await site.client.put(`/webhook-subscriptions/${before.id}`, change);
    await expectRepaired(later(trigger), {});
  });

  test('renames the subscription with its workflow', async () => {
    await expectRepaired(later(trigger, {}, { workflowName: 'Orders to mail' }), {
      name: 'n8n: Orders to mail / Farmboard Trigger',
    });
  });

  test('repairs all of it at once with one request', async () => {
    await site.client.put(`/webhook-subscriptions/${before.id}`, {
      url: 'http://127.0.0.1:1/elsewhere',
      events: ['invoice.paid'],
      enabled: false,
    });
    await expectRepaired(later(trigger, {}, { workflowName: 'New' }), { name: 'n8n: New / Farmboard Trigger' });
  });

  test('keeps a name given by a person and sends nothing because of it alone', async () => {
    await site.client.put(`/webhook-subscriptions/${before.id}`, { name: 'My chat' });
    const again = later(trigger, {}, { workflowName: 'Renamed' });
    await again.publish();
    expect(writes()).toStrictEqual([]);
    await site.client.put(`/webhook-subscriptions/${before.id}`, { enabled: false });
    await expectRepaired(again, { name: 'My chat' });
  });

  test('recreates a subscription deleted by hand', async () => {
    await site.client.delete(`/webhook-subscriptions/${before.id}`);
    const again = later(trigger);
    await again.publish();
    const subscription = await onlySubscription();
    expect(subscription).toMatchObject({ name: NAME, url: trigger.url(), events: DEFAULT_EVENTS, enabled: true });
    expect(subscription.id).toBe(before.id);
    expect(again.memory()).toStrictEqual(memoryOf(subscription.id));
    expect(again.memory().secret).not.toBe(trigger.memory().secret);
  });

  test.each<[string, (memory: IDataObject) => IDataObject]>([
    ['lost', () => ({})],
    ['without the secret', ({ subscriptionId }) => ({ subscriptionId })],
    ['with an empty secret', ({ subscriptionId }) => ({ subscriptionId, secret: '' })],
    ['without the id', ({ secret }) => ({ secret })],
    ['with the id of a subscription that is gone', ({ secret }) => ({ secret, subscriptionId: crypto.randomUUID() })],
  ])('replaces the subscription for static data %s, leaving exactly one', async (_name, change) => {
    const again = later(trigger);
    again.setMemory(change({ ...trigger.memory() }));
    await again.publish();
    const subscription = await onlySubscription();
    expect(subscription).toMatchObject({ name: NAME, url: trigger.url(), events: DEFAULT_EVENTS });
    expect(subscription.id).toBe(before.id);
    expect(again.memory()).toStrictEqual(memoryOf(subscription.id));
    const raw = toRaw(envelopeOf('order.created'));
    expectRun(await again.receive(raw, headersOf(raw, again.memory().secret)));
    expectRefused(await again.receive(raw, headersOf(raw, trigger.memory().secret)));
  });

  test('deletes several leftover subscriptions', async () => {
    for (const workflowName of ['Old name', 'Older name'])
      await site.createSubscription({
        url: trigger.url(),
        name: `n8n: ${workflowName} / Farmboard Trigger`,
        events: ['invoice.paid'],
      });
    expect(await site.subscriptions()).toHaveLength(3);
    const again = later(trigger);
    again.setMemory({});
    await again.publish();
    await onlySubscription();
  });

  test('creates a subscription in the new account of the credential, and the old account keeps its own', async () => {
    const { token } = await createAccountWithToken(site.service.env);
    farm.credentials.accessToken = token;
    const again = later(trigger);
    await again.publish();
    const listed = await site.client.get<{ items: Subscription[] }>('/webhook-subscriptions', { token });
    expect(listed.body.items.map(({ id }) => id)).toStrictEqual([again.memory().subscriptionId]);
    expect((await onlySubscription()).id).toBe(before.id);
  });
});

describe('what a published trigger missed', () => {
  const order = async (): Promise<string> =>
    (await site.client.post<{ id: string }>('/print-jobs', { model_name: 'Cup' })).body.id;

  /** The orders of the missed events, in order, when as many are known as expected. */
  const missedOrders = async (id: string | undefined, count: number) => {
    type Missed = { items: { event: { data: { id: string } } }[]; total: number };
    const path = `/webhook-subscriptions/${id}/events?missed=true&per_page=200`;
    const { items } = await eventually(
      async () => (await site.client.get<Missed>(path)).body,
      ({ total }) => total >= count,
    );
    return items.map(({ event }) => event.data.id);
  };

  test.each<[string, IDataObject, Parameters<Farm['trigger']>[1]]>([
    ['nothing changes', {}, {}],
    ['its events change', { events: [...DEFAULT_EVENTS, 'invoice.paid'] }, {}],
    ['it is renamed', {}, { node: { name: 'Renamed' } }],
    ['its workflow is renamed', {}, { workflowName: 'Renamed' }],
    ['n8n has another address', {}, { webhookBaseUrl: 'http://127.0.0.1:9999/hooks' }],
  ])('is kept when it is unpublished and published again, and %s', async (_what, parameters, more) => {
    // of the workflow that the harness runs
    const workflowId = 'w1';
    const trigger = await published({}, { workflowId });
    const { subscriptionId } = trigger.memory();
    const missed = [await order(), await order()];
    await trigger.delete();
    expect(await site.subscriptions()).toEqual([]);
    missed.push(await order(), await order());
    const again = later(trigger, parameters, { ...more, workflowId, node: { id: trigger.node.id, ...more?.node } });
    await again.publish();
    missed.push(await order());
    expect(again.memory().subscriptionId).toBe(subscriptionId);
    expect(await missedOrders(subscriptionId, 5)).toEqual(missed);
    const run = await farm.give({ resource: 'event', operation: 'getAll', source: 'missed', returnAll: true });
    expect(run.map(({ json }) => (json.data as IDataObject).id)).toEqual(missed);
  });

  test('is kept when n8n stops between deletion and creation, or forgets the subscription', async () => {
    const trigger = await published();
    const missed = [await order()];
    for (const memory of [{}, { ...trigger.memory() }, { subscriptionId: crypto.randomUUID(), secret: 'x' }]) {
      const again = later(trigger);
      again.setMemory(memory);
      await again.create();
      missed.push(await order());
      expect(await missedOrders(again.memory().subscriptionId, missed.length)).toEqual(missed);
    }
    await onlySubscription();
  });

  test('belongs to this node, workflow and n8n only, and to no test', async () => {
    const trigger = await published();
    await order();
    await trigger.delete();
    const { id } = trigger.node;
    for (const [copy, mode] of [
      [make({}, { node: { id }, workflowId: 'w-copy' }), 'trigger'],
      [make({}, {}), 'trigger'],
      [make({}, { node: { id } }), 'manual'],
    ] as const) {
      await copy.publish(mode);
      expect(copy.memory().subscriptionId).not.toBe(trigger.memory().subscriptionId);
      expect(await missedOrders(copy.memory().subscriptionId, 0)).toEqual([]);
    }
    const keys = ((await site.subscriptions()) as (Subscription & { client_key?: string })[]).map(
      (one) => one.client_key,
    );
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toBeUndefined();
    for (const key of keys.slice(1)) expect(key).toMatch(/^n8n:.+\/w-(trigger|copy)\/[\w-]+$/);
  });

  test('fits long ids into the key', async () => {
    const trigger = await published({}, { node: { id: 'n'.repeat(300) }, workflowId: 'w'.repeat(36) });
    const { subscriptionId } = trigger.memory();
    await trigger.delete();
    await trigger.publish();
    expect(trigger.memory().subscriptionId).toBe(subscriptionId);
  });
});

describe('a secret replaced by a person', () => {
  const triggerServer = forTest(startTriggerServer);

  test('is detected by a refused delivery and repaired on the next publish', async () => {
    const trigger = make({ options: { runOnTest: true } }, { webhookBaseUrl: triggerServer.url });
    triggerServer.settings.trigger = trigger;
    await trigger.publish();
    const { id } = await onlySubscription();
    const probe = async () => (await site.client.post(`/webhook-subscriptions/${id}/test`)).body.response_status;
    expect(await probe()).toBe(200);

    const recreated = (await site.client.post(`/webhook-subscriptions/${id}/secret`)).body.secret as string;
    const stale = trigger.memory().secret;
    expect(recreated).not.toBe(stale);
    // without a refused event nothing shows the replacement: a secret that works is never replaced
    await trigger.publish();
    expect(trigger.memory().secret).toBe(stale);

    expect(await probe()).toBe(401);
    expect(triggerServer.runs).toHaveLength(1);
    await trigger.publish();
    expect((await onlySubscription()).id).toBe(id);
    expect(trigger.memory().subscriptionId).toBe(id);
    expect(trigger.memory().secret).not.toBe(stale);
    expect(await probe()).toBe(200);
    expect(triggerServer.runs).toHaveLength(2);

    // after the repair, the next publishing changes nothing
    const repaired = { ...trigger.memory() };
    await trigger.publish();
    expect(trigger.memory()).toStrictEqual(repaired);
  });

  test('isn’t assumed for failures other than 401', async () => {
    // without a listener the trigger server answers 500
    const trigger = await published({}, { webhookBaseUrl: triggerServer.url });
    const before = { ...trigger.memory() };
    const attempt = (await site.client.post(`/webhook-subscriptions/${before.subscriptionId}/test`)).body;
    expect(attempt).toMatchObject({ status: 'failed', response_status: 500 });
    await trigger.publish();
    expect(trigger.memory()).toStrictEqual(before);
  });
});

describe('subscriptions of others', () => {
  test('stay unchanged by publishing, repair, loss of static data and deletion', async () => {
    const trigger = make();
    const url = trigger.url();
    for (const body of [
      { url, name: 'Our own program' },
      { url },
      { url, name: 'N8N: Orders to chat / Farmboard Trigger' },
      { url, name: 'My n8n: Orders' },
      { url, name: NAME, format: 'slack' },
      { url, name: NAME, format: 'discord' },
      { url: `${url}/more`, name: NAME },
      { url: url?.replace('/webhook/', '/webhook-test/'), name: `${NAME} (test)` },
      { url: 'http://127.0.0.1:5678/webhook/another/webhook', name: NAME },
    ])
      await site.createSubscription(body);
    const bystanders = await site.subscriptions();
    const others = async () => (await site.subscriptions()).filter(({ id }) => bystanders.some((one) => one.id === id));
    expect(bystanders).toHaveLength(9);

    await trigger.publish();
    expect(await others()).toStrictEqual(bystanders);
    trigger.setMemory({});
    await trigger.publish();
    expect(await others()).toStrictEqual(bystanders);
    await site.client.put(`/webhook-subscriptions/${trigger.memory().subscriptionId}`, { enabled: false });
    await trigger.publish();
    expect(await site.subscriptions()).toHaveLength(10);
    trigger.setMemory({});
    await trigger.delete();
    expect(await site.subscriptions()).toStrictEqual(bystanders);
    await trigger.delete();
    expect(await site.subscriptions()).toStrictEqual(bystanders);
  });
});

describe('a copied workflow with the static data of its original', () => {
  let original: Trigger;
  let published: Subscription;
  beforeEach(async () => {
    original = make();
    await original.publish();
    published = await onlySubscription();
    site.proxy.rule(() => 'forward');
  });
  const copy = (more: Parameters<Farm['trigger']>[1]): Trigger =>
    later(original, {}, { workflowId: 'w-copy', webhookId: crypto.randomUUID(), ...more });

  test('gets its own subscription, and the original keeps its subscription all the while', async () => {
    const copied = copy({ workflowName: 'Copy' });
    await copied.publish();
    const both = await site.subscriptions();
    expect(both).toHaveLength(2);
    expect(both).toContainEqual(published);
    expect(copied.memory().subscriptionId).not.toBe(published.id);
    expect(copied.memory().secret).not.toBe(original.memory().secret);
    await copied.publish();
    expect(await site.subscriptions()).toHaveLength(2);
    await copied.delete();
    expect(await onlySubscription()).toStrictEqual(published);
  });

  test('leaves the original alone when unpublished without ever having been published', async () => {
    const copied = copy({});
    await copied.delete();
    expect(await onlySubscription()).toStrictEqual(published);
    expect(copied.memory()).toStrictEqual({});
  });

  test('leaves the original alone when its first creation fails', async () => {
    const copied = copy({});
    site.proxy.rule(({ method }) => (method === 'POST' ? { status: 500, body: {} } : 'forward'));
    await refusalOf(copied.create(), [site.token]);
    await copied.delete();
    expect(await onlySubscription()).toStrictEqual(published);
  });

  test('replaces the subscription at the same address, where the original no longer is', async () => {
    const copied = copy({ webhookId: original.node.webhookId as string });
    await copied.publish();
    expect((await onlySubscription()).id).toBe(copied.memory().subscriptionId);
  });
});

describe('listening for a test event beside the published workflow', () => {
  const listen = (trigger: Trigger): Trigger => {
    const test = later(trigger);
    // n8n gives a test no static data
    test.setMemory({});
    return test;
  };

  test('has its own subscription, named as a test, and leaves the other alone when it ends', async () => {
    const trigger = await published();
    const before = await onlySubscription();
    const test = listen(trigger);
    await test.publish('manual');
    const both = await site.subscriptions();
    expect(both).toHaveLength(2);
    expect(both.find(({ id }) => id === before.id)).toStrictEqual(before);
    const own = both.find(({ id }) => id === test.memory().subscriptionId);
    expect(own).toMatchObject({
      name: `${NAME} (test)`,
      url: test.url('manual'),
      events: DEFAULT_EVENTS,
      format: 'signed',
    });
    expect(own?.url).toContain('/webhook-test/');
    expect(test.memory().secret).not.toBe(trigger.memory().secret);

    await test.delete('manual');
    expect(await onlySubscription()).toStrictEqual(before);
    expect(test.memory()).toStrictEqual({});
  });

  test('deletes only the test subscription at its end, even without static data', async () => {
    const trigger = await published();
    const test = listen(trigger);
    await test.publish('manual');
    test.setMemory({});
    await test.delete('manual');
    expect((await onlySubscription()).id).toBe(trigger.memory().subscriptionId);
  });

  test('replaces the subscription of an aborted test', async () => {
    const trigger = make();
    for (let i = 0; i < 3; i++) await listen(trigger).publish('manual');
    expect((await onlySubscription()).name).toBe(`${NAME} (test)`);
  });

  test('keeps its subscription when the workflow is published or unpublished meanwhile', async () => {
    const trigger = make();
    const test = listen(trigger);
    await test.publish('manual');
    await trigger.publish();
    expect(await site.subscriptions()).toHaveLength(2);
    await trigger.delete();
    expect((await onlySubscription()).id).toBe(test.memory().subscriptionId);
  });

  test('keeps the two secrets apart', async () => {
    const trigger = await published();
    const test = listen(trigger);
    await test.publish('manual');
    const raw = toRaw(envelopeOf('order.created'));
    expectRun(await test.receive(raw, headersOf(raw, test.memory().secret), 'manual'));
    expectRefused(await test.receive(raw, headersOf(raw, trigger.memory().secret), 'manual'));
    expectRefused(await trigger.receive(raw, headersOf(raw, test.memory().secret)));
  });
});

describe('unpublishing', () => {
  test('deletes the subscription and forgets it', async () => {
    const trigger = await published();
    await trigger.delete();
    expect(await site.subscriptions()).toHaveLength(0);
    expect(trigger.memory()).toStrictEqual({});
  });

  test('succeeds if the subscription is already deleted', async () => {
    const trigger = await published();
    await site.client.delete(`/webhook-subscriptions/${trigger.memory().subscriptionId}`);
    await trigger.delete();
    expect(trigger.memory()).toStrictEqual({});
    await trigger.delete();
  });

  test('deletes by ID even if a person changed name, address and events', async () => {
    const trigger = await published();
    await site.client.put(`/webhook-subscriptions/${trigger.memory().subscriptionId}`, {
      name: 'My chat',
      url: 'http://127.0.0.1:1/x',
    });
    await trigger.delete();
    expect(await site.subscriptions()).toHaveLength(0);
  });

  test.each<[string, (memory: IDataObject) => IDataObject]>([
    ['nothing', () => ({})],
    ['the secret alone', ({ secret }) => ({ secret })],
    ['an empty id', ({ secret }) => ({ secret, subscriptionId: '' })],
  ])('finds the subscription by its address if static data has %s', async (_name, change) => {
    const trigger = await published();
    trigger.setMemory(change({ ...trigger.memory() }));
    await trigger.delete();
    expect(await site.subscriptions()).toHaveLength(0);
    expect(trigger.memory()).toStrictEqual({});
  });

  test('needs no chosen event and no reachable address', async () => {
    const trigger = await published();
    await later(trigger, { events: [] }).delete();
    expect(await site.subscriptions()).toHaveLength(0);
  });

  test('is followed by one subscription with another secret on publishing', async () => {
    const trigger = await published();
    const { secret } = { ...trigger.memory() };
    await trigger.delete();
    await trigger.publish();
    await onlySubscription();
    expect(trigger.memory().secret).not.toBe(secret);
  });
});
