import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { DEFAULT_EVENTS, expectProblem, type Listed, type Subscription, startFarm } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(startFarm);
afterEach(() => farm.clear());

const PATH = '/webhook-subscriptions';
const VALUE = 'Bearer kept-by-the-receiver-alone';
const header = { name: 'Authorization', value: VALUE };
const shown = { name: 'Authorization', value: '••••••••' };
const put = (path: string, body: object) => farm.client.put<Subscription>(path, body);
const create = (more: object, options = {}) =>
  farm.client.post<Subscription>(PATH, { url: 'http://127.0.0.1:9/hook', events: DEFAULT_EVENTS, ...more }, options);

describe('the extra header of a subscription', () => {
  test('is sent with events, tests and resends, and its value is shown nowhere', async () => {
    const { path, received, untilRecorded, created } = await farm.subscription({ header });
    await farm.order();
    await untilRecorded(1);
    const [sent] = received;
    await farm.client.post(`${path}/test`);
    await farm.client.post(`${path}/deliveries/${sent?.headers['x-svc-delivery']}/resend`);
    expect(received.map(({ headers }) => headers.authorization)).toEqual([VALUE, VALUE, VALUE]);

    const id = sent?.headers['x-svc-delivery'];
    const console = await farm.console();
    const request = await console.get<{ headers: Record<string, string> }>(`/deliveries/${id}`);
    expect(request.body.headers).toMatchObject({ Authorization: shown.value, 'X-Svc-Delivery': id });
    const answers = [
      created,
      (await farm.client.get(path)).body,
      (await farm.client.get(PATH)).body,
      (await put(path, { name: 'x' })).body,
      (await farm.client.post(`${path}/secret`)).body,
      (await farm.client.get(`${path}/deliveries`)).body,
      request.body,
      (await console.get('/event-log')).body,
      farm.service.log,
    ];
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain('kept-by-the-receiver');
    expect(created.header).toEqual(shown);
    // the subscription was changed since, so nobody knows what it sent then
    const later = await console.get<{ headers: Record<string, string> }>(`/deliveries/${id}`);
    expect(later.body.headers).not.toHaveProperty('Authorization');
  });

  test('stays unless it is sent with another value; null removes it', async () => {
    const { path, received } = await farm.subscription();
    const sent = async () => {
      await farm.client.post(`${path}/test`);
      const headers = received.at(-1)?.headers;
      return [headers?.authorization, headers?.['x-api-key']];
    };
    expect((await farm.client.get<Subscription>(path)).body.header).toBeNull();
    expect(await sent()).toEqual([undefined, undefined]);
    expect((await put(path, { header })).body.header).toEqual(shown);
    await put(path, (await farm.client.get<Subscription>(path)).body);
    expect(await sent()).toEqual([VALUE, undefined]);
    expect((await put(path, { header: { name: 'X-Api-Key', value: '1' } })).body.header?.name).toBe('X-Api-Key');
    expect(await sent()).toEqual([undefined, '1']);
    const problem = expectProblem(await put(path, { header: shown }), 422, 'validation_error');
    expect(problem.errors?.[0]?.pointer).toBe('/header/value');
    expect((await put(path, { header: null })).body.header).toBeNull();
    expect(await sent()).toEqual([undefined, undefined]);
  });

  test('goes to no other host than the one that it was entered for', async () => {
    const { path, url, received, created } = await farm.subscription({ header });
    const other = await farm.receiver();
    for (const sent of [{}, { header: created.header }]) {
      const problem = expectProblem(await put(path, { ...sent, url: other.url }), 422, 'validation_error');
      expect(problem.errors?.[0]?.pointer).toBe('/header/value');
    }
    expect((await put(path, { url: `${url}?of=the-same-host` })).body.header).toEqual(shown);
    await farm.client.post(`${path}/test`);
    expect(received.at(-1)?.headers.authorization).toBe(VALUE);
    expect((await put(path, { url: other.url, header: null })).body.header).toBeNull();
    expect((await put(path, { url, header })).body.header).toEqual(shown);
    await farm.client.post(`${path}/test`);
    expect([received.length, other.received.length]).toEqual([2, 0]);
  });

  test('is erased when the subscription is deleted, and is not in what an Idempotency-Key repeats', async () => {
    const client_key = randomUUID();
    const options = { headers: { 'Idempotency-Key': randomUUID() } };
    const { body: first } = await create({ client_key, header }, options);
    expect((await create({ client_key, header }, options)).body.header).toEqual(shown);
    await farm.client.delete(`${PATH}/${first.id}`);
    const { body: second } = await create({ client_key });
    expect([second.id, second.header]).toEqual([first.id, null]);
    await farm.client.delete(`${PATH}/${first.id}`);
    expect((await create({ client_key, header })).body.header).toEqual(shown);
    if (existsSync(farm.file)) expect(readFileSync(farm.file).includes('kept-by-the-receiver')).toBe(false);
  });

  const names = [
    ...['Host', 'connection', 'CONTENT-TYPE', 'Content-Length', 'Transfer-Encoding', 'TE', 'Trailer', 'Upgrade'],
    ...['Content_Type', 'X-Real-IP', 'x_svc_signature', '', 'a b', 'a:b', 'Ключ', 'a\r\nb', 'x'.repeat(101)],
  ];
  test.each(names)('can’t be named %j', async (name) => {
    const problem = expectProblem(await create({ header: { name, value: 'x' } }), 422, 'validation_error');
    expect(problem.errors?.[0]?.pointer).toBe('/header/name');
  });

  test.each(['', ' x', 'x ', 'a\r\nHost: b', 'ключ', 'x\t', 'x'.repeat(1001), shown.value])(
    'can’t have the value %j',
    async (value) => {
      const problem = expectProblem(await create({ header: { name: 'X-Api-Key', value } }), 422, 'validation_error');
      expect(problem.errors?.[0]?.pointer).toBe('/header/value');
      expect(JSON.stringify(problem)).not.toContain('Host: b');
    },
  );

  test('can be any visible ASCII characters', async () => {
    const value = Array.from({ length: 95 }, (_, place) => String.fromCharCode(32 + place))
      .join('')
      .trim();
    const { path, received } = await farm.subscription({ header: { name: 'X-Own.Header_1', value } });
    await farm.client.post(`${path}/test`);
    expect(received[0]?.headers['x-own.header_1']).toBe(value);
    const { items } = (await farm.client.get<Listed<Subscription>>(PATH)).body;
    expect(items[0]?.header?.name).toBe('X-Own.Header_1');
  });
});
