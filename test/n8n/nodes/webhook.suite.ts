import type { IDataObject } from 'n8n-workflow';
import { DEFAULT_EVENTS, type Listed, OPT_IN_EVENTS, type Subscription, UNKNOWN_ID } from '../../kit/farm.ts';
import { passOn } from '../../kit/n8n/fake-server.ts';
import { fromItem, jsonOf, locatorFromItem, namesIn, openResource, sourcesOf } from '../../kit/n8n/rig.ts';
import { isGenuine } from '../../kit/receiver.ts';

const HOOK = 'http://127.0.0.1:9/hook';

const { fake, rig, give, refusal } = openResource('webhook');

afterEach(() => rig.farm.clear());

const read = async (id: unknown): Promise<IDataObject> =>
  (await rig.farm.client.get<IDataObject>(`/webhook-subscriptions/${id}`)).body;

async function subscriptions(count: number): Promise<Subscription[]> {
  const made: Subscription[] = [];
  for (let n = 0; n < count; n++) {
    const body = { url: `${HOOK}/${n}`, events: DEFAULT_EVENTS, name: `Subscription ${n}` };
    made.push((await rig.farm.client.post<Subscription>('/webhook-subscriptions', body)).body);
  }
  return made;
}

describe('create', () => {
  test('creates a subscription for every item and returns its secret once', async () => {
    const output = await give('create', { url: fromItem('url'), events: ['order.created'] }, [
      { url: `${HOOK}/1` },
      { url: ` ${HOOK}/2\n` },
      { url: `${HOOK}/3` },
    ]);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
    expect(jsonOf(output).map(({ url }) => url)).toEqual([`${HOOK}/1`, `${HOOK}/2`, `${HOOK}/3`]);
    for (const { secret, ...json } of jsonOf(output)) {
      expect(secret).toMatch(/^whsec_/);
      expect(json).toEqual(await read(json.id));
    }
  });

  test('sends every field', async () => {
    const additionalFields = { enabled: false, format: 'discord', name: 'Workshop chat' };
    expect(Object.keys(additionalFields)).toEqual(namesIn(rig.n8n, 'webhook', 'create', 'additionalFields'));
    expect(namesIn(rig.n8n, 'webhook', 'create', 'options')).toEqual(['batching', 'idempotencyKey']);
    const events = [...DEFAULT_EVENTS, ...OPT_IN_EVENTS];
    const [output] = await give('create', { url: HOOK, events, additionalFields });
    expect(fake.seen[0]?.body).toEqual({ url: HOOK, events, ...additionalFields });
    expect(output?.json).toMatchObject({ events, ...additionalFields });
    expect(output?.json).not.toHaveProperty('secret');
  });

  test('sends only given values', async () => {
    await give('create', { url: HOOK, events: ['order.created'] });
    expect(fake.seen.map(({ body }) => body)).toEqual([{ url: HOOK, events: ['order.created'] }]);
  });

  test.each([
    ['undefined', fromItem('nothing')],
    ['a number', '={{ 17 }}'],
    ['an object', '={{ ({ a: 1 }) }}'],
  ])('names the field for an address that an expression gives as %s, and sends nothing', async (_what, url) => {
    const error = await refusal('create', { url, events: ['order.created'] });
    expect(error.message).toMatch(/^URL: /);
    expect(error.description).toBeTruthy();
    expect(fake.seen).toEqual([]);
  });
});

describe('get', () => {
  test('reads the subscription of every item without its secret', async () => {
    const made = await subscriptions(3);
    const output = await give(
      'get',
      { subscriptionId: locatorFromItem('id') },
      made.map(({ id }) => ({ id })),
    );
    expect(jsonOf(output)).toEqual(made.map(({ secret: _secret, ...rest }) => rest));
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
  });
});

describe('getAll', () => {
  test('returns all subscriptions for every item without secrets', async () => {
    await subscriptions(2);
    const output = await give('getAll', { returnAll: true }, [{}, {}, {}]);
    const { items } = (await rig.farm.client.get<Listed<Subscription>>('/webhook-subscriptions')).body;
    expect(jsonOf(output)).toEqual([...items, ...items, ...items]);
    expect(sourcesOf(output)).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test('applies Limit', async () => {
    await subscriptions(3);
    expect(await give('getAll', { limit: 2 })).toHaveLength(2);
  });
});

describe('update', () => {
  test.each([
    ['enabled', false, 'enabled'],
    ['events', ['filament.low_stock', 'lead.created'], 'events'],
    ['name', 'Another name', 'name'],
    ['url', 'http://127.0.0.1:9/elsewhere', 'url'],
  ])('writes %s alone and leaves all others', async (name, value, apiName) => {
    const [subscription] = (await subscriptions(1)) as [Subscription];
    const before = await read(subscription.id);
    fake.seen.length = 0;
    const [output] = await give('update', { subscriptionId: subscription.id, updateFields: { [name]: value } });
    expect(fake.seen.map(({ body }) => body)).toEqual([{ [apiName]: value }]);
    const after = await read(subscription.id);
    expect(after).toEqual({ ...before, [apiName]: value, updated_at: after.updated_at });
    expect(output?.json).toEqual(after);
  });

  test('covers all fields', () => {
    expect(namesIn(rig.n8n, 'webhook', 'update', 'updateFields')).toEqual(['enabled', 'events', 'name', 'url']);
  });

  test('updates the subscription of every item', async () => {
    const made = await subscriptions(3);
    const output = await give(
      'update',
      { subscriptionId: locatorFromItem('id'), updateFields: { name: fromItem('name') } },
      made.map(({ id }, index) => ({ id, name: `New ${index}` })),
    );
    expect(jsonOf(output).map(({ id, name }) => [id, name])).toEqual(made.map(({ id }, index) => [id, `New ${index}`]));
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
  });

  test('reports an update without fields', async () => {
    const error = await refusal('update', { subscriptionId: UNKNOWN_ID });
    expect(error.message).toBe('Update Fields: there are none');
    expect(fake.seen).toEqual([]);
  });

  test.each([
    ['Enabled', 'enabled'],
    ['Events', 'events'],
    ['Name', 'name'],
    ['URL', 'url'],
  ])('reports a field that an expression leaves undefined: %s', async (displayName, name) => {
    const error = await refusal('update', {
      subscriptionId: UNKNOWN_ID,
      updateFields: { [name]: fromItem('nothing') },
    });
    expect(error.message).toMatch(new RegExp(`^${displayName}: `));
    expect(fake.seen).toEqual([]);
  });
});

describe('delete', () => {
  test('deletes the subscription of every item', async () => {
    const made = await subscriptions(3);
    const output = await give(
      'delete',
      { subscriptionId: locatorFromItem('id') },
      made.map(({ id }) => ({ id })),
    );
    expect(jsonOf(output)).toEqual([{ deleted: true }, { deleted: true }, { deleted: true }]);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
    expect((await rig.farm.client.get<Listed<Subscription>>('/webhook-subscriptions')).body.items).toEqual([]);
  });
});

describe('sendTest and getDeliveries', () => {
  test('sends a signed test to the receiver of every item and returns its attempt', async () => {
    const one = await rig.farm.subscription();
    const two = await rig.farm.subscription({ answer: (res) => res.writeHead(500).end() });
    const items = [{ id: one.id }, { id: two.id }, { id: one.id }];
    const output = await give('sendTest', { subscriptionId: locatorFromItem('id') }, items);
    expect(jsonOf(output).map(({ event, status, response_status }) => [event, status, response_status])).toEqual([
      ['webhook.test', 'succeeded', 204],
      ['webhook.test', 'failed', 500],
      ['webhook.test', 'succeeded', 204],
    ]);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
    expect(one.received).toHaveLength(2);
    for (const received of one.received) expect(isGenuine(one.secret, received)).toBe(true);
  });

  test('returns the attempts of every item’s subscription, newest first, paired to the item', async () => {
    const one = await rig.farm.subscription();
    const two = await rig.farm.subscription();
    const idle = await rig.farm.subscription();
    for (const { path } of [one, two, one]) await rig.farm.client.post(`${path}/test`);
    const items = [{ id: one.id }, { id: idle.id }, { id: two.id }];
    const output = await give('getDeliveries', { subscriptionId: locatorFromItem('id') }, items);
    const expected = await Promise.all(
      [one, two].map(
        async ({ path }) => (await rig.farm.client.get<Listed<IDataObject>>(`${path}/deliveries`)).body.items,
      ),
    );
    expect(jsonOf(output)).toEqual(expected.flat());
    expect(sourcesOf(output)).toEqual([0, 0, 2]);
  });

  test('returns 20 of more attempts', async () => {
    const { id, path } = await rig.farm.subscription();
    for (let n = 0; n < 22; n++) await rig.farm.client.post(`${path}/test`);
    expect(await give('getDeliveries', { subscriptionId: id })).toHaveLength(20);
  });
});

describe('newSecret', () => {
  test('replaces the secret, immediately or with an overlap', async () => {
    const [{ id, secret }] = (await subscriptions(1)) as [Subscription & { secret: string }];
    const [now] = await give('newSecret', { subscriptionId: id });
    expect(now?.json.secret).toMatch(/^whsec_/);
    expect(now?.json.secret).not.toBe(secret);
    const [later] = await give('newSecret', { subscriptionId: id, options: { overlapHours: '24' } });
    expect(later?.json.secret).not.toBe(now?.json.secret);
    expect(fake.seen.map(({ body }) => body)).toEqual([{ overlap_hours: 0 }, { overlap_hours: 24 }]);
  });

  test('that was lost in transit is not replaced again without a word', async () => {
    const [{ id }] = (await subscriptions(1)) as [Subscription];
    fake.answerWith(async (seen, nth) => {
      const answer = await passOn(rig.farm.service.origin, seen);
      return nth === 1 ? 'cut' : answer;
    });
    const error = await refusal('newSecret', { subscriptionId: id });
    expect(error.message).toBe('Webhook: its secret was replaced, but the new one was lost in transit');
  });

  test('names the field of an overlap that is too long', async () => {
    const [{ id }] = (await subscriptions(1)) as [Subscription];
    const error = await refusal('newSecret', { subscriptionId: id, options: { overlapHours: 169 } });
    expect(error.message).toMatch(/^Overlap \(Hours\): /);
  });
});
