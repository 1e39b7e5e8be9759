import { createClient } from '../kit/client.ts';
import {
  type Attempt,
  DEFAULT_EVENTS,
  expectProblem,
  type Farm,
  type Listed,
  type Subscription,
  startFarm,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { startService } from '../kit/service.ts';

const farm = forSuite(() => startFarm({ WEBHOOK_ALLOWED_HOSTS: 'loopback' }));
let subscription: Awaited<ReturnType<Farm['subscription']>>;

beforeAll(async () => {
  subscription = await farm.subscription();
});

test('allows only loopback with WEBHOOK_ALLOWED_HOSTS=loopback', async () => {
  for (const url of ['http://192.168.1.5/', 'http://10.0.0.1/', 'http://203.0.114.1/']) {
    const answer = await farm.client.post('/webhook-subscriptions', { url, events: DEFAULT_EVENTS });
    expect(expectProblem(answer, 422, 'blocked_address').setting).toBe('WEBHOOK_ALLOWED_HOSTS');
  }
  expect((await farm.client.post<Attempt>(`${subscription.path}/test`)).body.status).toBe('succeeded');
});

test('refuses the address at which the service itself listens', async () => {
  for (const url of [`${farm.origin}/`, farm.origin.replace('127.0.0.1', 'localhost')]) {
    expectProblem(
      await farm.client.post('/webhook-subscriptions', { url, events: DEFAULT_EVENTS }),
      422,
      'blocked_address',
    );
  }
});

describe.each([
  ['WEBHOOK_ALLOWED_HOSTS=external', { WEBHOOK_ALLOWED_HOSTS: 'external' }],
  ['SIGN_UP=open', { SIGN_UP: 'open', WEBHOOK_ALLOWED_HOSTS: '' }],
])('the address guard, %s', (_name, settings) => {
  test('refuses existing subscriptions at delivery (blocked_address) and new ones at creation', async () => {
    const before = subscription.received.length;
    // the next one has other rules
    await farm.service.stop();
    const service = await startService({ ...farm.env, ...settings });
    try {
      const client = await createClient(service.origin, farm.token);
      const input = { url: subscription.url, events: DEFAULT_EVENTS };
      for (const answer of [
        await client.post('/webhook-subscriptions', input),
        await client.post('/webhook-subscriptions', { ...input, format: 'slack' }),
        await client.post('/webhook-subscriptions', {
          ...input,
          url: subscription.url.replace('127.0.0.1', 'localhost'),
        }),
        await client.put(subscription.path, { url: `${subscription.url}/other` }),
      ])
        expectProblem(answer, 422, 'blocked_address');
      const { status, body } = await client.post<Attempt>(`${subscription.path}/test`);
      expect([status, body.status, body.error, body.response_status]).toEqual([200, 'failed', 'blocked_address', null]);
      const list = await client.get<Listed<Subscription>>('/webhook-subscriptions');
      expect(list.body.items.map(({ url }) => url)).toEqual([subscription.url]);
      expect(subscription.received).toHaveLength(before);
    } finally {
      await service.stop();
    }
  });
});
