import { createClient } from '../kit/client.ts';
import { type Browser, createFirstOwner, OWNER, openBrowser, PASSWORD } from '../kit/console-client.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import type { Schemas } from '../kit/farm.ts';
import { listen } from '../kit/live-stream.ts';
import { forSuite } from '../kit/opened.ts';
import { isGenuine, startReceiver } from '../kit/receiver.ts';
import { createEmptyDataFolder, type DataFolder, type Env, type Service, startService } from '../kit/service.ts';

type Delivery = Schemas['LoggedDelivery'];
type Entry = Schemas['EventLogEntry'];
type Sent = Schemas['SentRequest'];

let folder: DataFolder;
/** With Redis, a separate worker delivers and notifies the API process. */
let services: Service[];
let owner: Browser;
const receiver = forSuite(startReceiver);

const api = () => services[0] as Service;

beforeAll(async () => {
  folder = createEmptyDataFolder();
  const env: Env = { ...folder.env, SIGN_UP: 'open', WEBHOOK_ALLOWED_HOSTS: 'loopback' };
  services = [await startService({ ...env, ...(env.REDIS_URL ? { ROLE: 'api' } : {}) })];
  if (env.REDIS_URL) services.push(await startService({ ...env, ROLE: 'worker' }));
  owner = await createFirstOwner(api());
});

afterAll(async () => {
  for (const service of services) await service.kill();
  folder.remove();
});

const log = async (query = '') => (await owner.get<{ items: Entry[]; total: number }>(`/event-log${query}`)).body;

async function makeSubscription(body: object) {
  const made = await owner.post<{ id: string; secret?: string }>('/webhook-subscriptions', {
    events: ['order.created', 'order.status_changed'],
    ...body,
  });
  expect(made.status).toBe(201);
  return made.body;
}

/** The newest event once all its deliveries have ended. */
const newest = (of: number) =>
  eventually(
    async () => (await log()).items[0] as Entry,
    ({ deliveries }) => deliveries.length === of && deliveries.every(({ status }) => /succeeded|failed/.test(status)),
  );

test('lists every event with its exact body and receivers, including none', async () => {
  await owner.post('/print-jobs', { model_name: 'Nobody hears of it' });
  expect((await log()).items).toMatchObject([{ event: 'order.created', deliveries: [] }]);

  const good = await makeSubscription({ name: 'Good', url: receiver.url });
  const bad = await makeSubscription({ name: 'Bad', url: 'http://127.0.0.1:9/nothing' });
  const order = await owner.post<{ id: string }>('/print-jobs', { model_name: 'Bracket "1.50" Ж' });
  const entry = await newest(2);
  const [received] = receiver.received.slice(-1);
  expect(entry.body).toBe(received?.raw.toString('utf8'));
  expect(entry.subject).toBe(`order:${order.body.id}`);
  expect(entry.deliveries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        subscription_id: good.id,
        subscription_name: 'Good',
        status: 'succeeded',
        response_status: 204,
      }),
      expect.objectContaining({ subscription_id: bad.id, status: 'failed', error: 'connection_refused' }),
    ]),
  );

  // header by header as it was sent
  const delivery = entry.deliveries.find(({ subscription_id }) => subscription_id === good.id);
  const sent = (await owner.get<Sent>(`/deliveries/${delivery?.id}`)).body;
  expect(sent.signature).toBe('shown');
  expect(sent.body).toBe(received?.raw.toString('utf8'));
  for (const [name, value] of Object.entries(sent.headers)) expect(received?.headers[name.toLowerCase()]).toBe(value);
  expect(isGenuine(String(good.secret), received as never)).toBe(true);

  // after a secret change the old signature is unknown
  await owner.post(`/webhook-subscriptions/${good.id}/secret`, {});
  const after = (await owner.get<Sent>(`/deliveries/${delivery?.id}`)).body;
  expect([after.signature, 'X-Svc-Signature' in after.headers]).toEqual(['unknown', false]);

  expect((await log('?event=order.status_changed')).total).toBe(0);
  expect((await log('?event=order.created&per_page=1')).items.map(({ id }) => id)).toEqual([entry.id]);
  expect((await owner.get('/event-log?event=order.unknown')).status).toBe(422);
});

test('shows a chat subscription’s body without signature, and never a secret', async () => {
  const made = await makeSubscription({ name: 'Chat', url: `${receiver.url}/T0/secret-of-chat`, format: 'slack' });
  const { body: attempt } = await owner.post<{ id: string }>(`/webhook-subscriptions/${made.id}/test`, {});
  const { headers, body, signature } = (await owner.get<Sent>(`/deliveries/${attempt.id}`)).body;
  expect(signature).toBe('none');
  expect(Object.keys(headers)).not.toContain('X-Svc-Signature');
  expect(body).toBe(receiver.received.at(-1)?.raw.toString('utf8'));
  const entry = (await log()).items[0] as Entry;
  expect(entry).toMatchObject({ event: 'webhook.test', deliveries: [{ id: attempt.id, status: 'succeeded' }] });
  expect(JSON.stringify([headers, body, await log()])).not.toMatch(/secret-of-chat|whsec_/);
});

test('hides events from other accounts, and deletes deliveries with their subscription', async () => {
  const stranger = await openBrowser(api());
  await stranger.post('/sign-up', { ...OWNER, email: 'other@farm.example', password: PASSWORD });
  const chat = (await log()).items[0]?.deliveries[0] as Delivery;
  expect((await stranger.get('/event-log')).body).toMatchObject({ items: [], total: 0 });
  expect((await stranger.get(`/deliveries/${chat.id}`)).status).toBe(404);
  await owner.delete(`/webhook-subscriptions/${chat.subscription_id}`);
  expect((await log()).items[0]?.deliveries).toEqual([]);
  expect((await owner.get(`/deliveries/${chat.id}`)).status).toBe(404);
});

test('notifies open pages of events and deliveries, throttled under load', async () => {
  const token = String((await owner.post('/tokens', { name: 'flood' })).body.token);
  const client = await createClient(api().origin, token);
  const page = await listen(owner, api().origin);
  const heard = (kind: string) => page.heard.filter((change) => change.kind === kind);
  await client.post('/print-jobs', { model_name: 'One' });
  const entry = await newest(2);
  await eventually(
    () => heard('delivery'),
    (all) => new Set(all.map(({ id }) => id)).size === 2,
  );
  // each kind is announced separately, at most 250 ms after the previous one, in no fixed order
  await expectSoon(() => heard('event').map(({ id }) => id), expect.arrayContaining([entry.id]));

  page.heard.length = 0;
  const began = Date.now();
  const many = 150;
  await Promise.all(Array.from({ length: many }, (_, n) => client.post('/print-jobs', { model_name: `Flood ${n}` })));
  await newest(2);
  const flood = (await log(`?per_page=${many}`)).items.map(({ id }) => id);
  await eventually(
    () => String(heard('event').at(-1)?.id),
    (id) => flood.includes(id),
  );
  // every order is announced; one in 250 ms for each of the two subscriptions and for the events
  await expectSoon(() => heard('order').length, many);
  const most = 3 * (Math.ceil((Date.now() - began) / 250) + 1);
  expect(heard('delivery').length + heard('event').length).toBeLessThanOrEqual(most);
  page.close();
});
