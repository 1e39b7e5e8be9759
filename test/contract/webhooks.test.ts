import { randomUUID } from 'node:crypto';
import {
  DEFAULT_EVENTS,
  expectProblem,
  type Listed,
  OPT_IN_EVENTS,
  range,
  type Subscription,
  startFarm,
  UNKNOWN_ID,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

const PATH = '/webhook-subscriptions';
const URL_ = 'http://127.0.0.1:9/hook';

const farm = forSuite(startFarm);

afterEach(() => farm.clear());

const create = (body: unknown, headers: Record<string, string> = {}) =>
  farm.client.post<Subscription>(PATH, body, { headers });
const list = async () => (await farm.client.get<Listed<Subscription>>(PATH)).body;

describe('POST /webhook-subscriptions', () => {
  test('returns the subscription and, only once, its signing secret (generic signed format only)', async () => {
    const answer = await create({ url: URL_, events: DEFAULT_EVENTS });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { secret, ...record } = answer.body;
    expect(answer.headers.get('location')).toBe(`/api/v1${PATH}/${record.id}`);
    expect(secret).toMatch(/^whsec_.{32,}$/);
    expect(record).toMatchObject({ url: URL_, events: DEFAULT_EVENTS, format: 'signed', enabled: true });
    const again = [
      await list(),
      (await farm.client.get(`${PATH}/${record.id}`)).body,
      (await farm.client.put(`${PATH}/${record.id}`, { name: 'x' })).body,
      (await farm.client.get(`${PATH}/${record.id}/deliveries`)).body,
    ];
    for (const body of again) {
      expect(JSON.stringify(body)).not.toContain(secret);
      expect(JSON.stringify(body)).not.toContain('whsec_');
    }
  });

  test('creates no second subscription on replay and repeats no secret', async () => {
    const headers = { 'Idempotency-Key': 'subscription' };
    const first = await create({ url: URL_, events: DEFAULT_EVENTS }, headers);
    const again = await create({ url: URL_, events: DEFAULT_EVENTS }, headers);
    const { secret, ...record } = first.body;
    expect(secret).toBeDefined();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(again.body).toEqual(record);
    expect((await list()).total).toBe(1);
    expectProblem(await create({ url: URL_, events: ['order.created'] }, headers), 409, 'idempotency_conflict');
  });

  // its default name is the host
  const SECRET = 'k7.example';
  const WITH_ADDRESS = {
    url: `http://${SECRET}/`,
    events: ['order.created'],
    header: { name: 'X-Key', value: 'v' },
  };
  const NO_ADDRESS = { name: '', url: '', header: null };

  test.each([
    ['gone', {}],
    ['kept', { client_key: 'program' }],
  ])('stored results have no address or header, so none is left of a deleted channel (%s)', async (what, key) => {
    const body = { ...WITH_ADDRESS, ...key };
    const createOnce = () => create(body, { 'Idempotency-Key': `${what}: create` });
    const { id } = (await createOnce()).body;
    const renewOnce = () =>
      farm.client.post<Subscription>(`${PATH}/${id}/secret`, {}, { headers: { 'Idempotency-Key': `${what}: secret` } });
    const { secret: _secret, ...renewed } = (await renewOnce()).body;
    expect((await renewOnce()).body).toEqual(renewed);
    const change = { url: URL_, name: 'moved', header: null };
    expect((await farm.client.put(`${PATH}/${id}`, change)).status).toBe(200);
    expect((await createOnce()).body).toMatchObject(change);
    expect((await renewOnce()).body).toEqual({ ...renewed, ...change });

    await farm.client.delete(`${PATH}/${id}`);
    const replays = [await createOnce(), await renewOnce()];
    for (const { body, headers } of replays) {
      expect(body).toMatchObject({ id, ...NO_ADDRESS });
      expect(headers.get('idempotency-replayed')).toBe('true');
    }
    expect((await list()).total).toBe(0);
    const stored = [
      await farm.inspector.rows('SELECT * FROM idempotency_keys WHERE key LIKE ?', [`${what}: %`]),
      await farm.inspector.rows('SELECT * FROM subscriptions WHERE id = ?', [id]),
    ];
    expect(stored[0]).toHaveLength(2);
    for (const text of [SECRET, 'X-Key', '127.0.0.1:9', 'moved']) expect(JSON.stringify(stored)).not.toContain(text);
  });

  test('accepts every event and removes duplicates', async () => {
    const events = [...DEFAULT_EVENTS, ...OPT_IN_EVENTS];
    for (const event of events) expect((await create({ url: URL_, events: [event] })).body.events).toEqual([event]);
    await farm.clear();
    const all = (await create({ url: URL_, events: [...events, ...events] })).body.events;
    expect([...all].sort()).toEqual([...events].sort());
  });

  test.each<[string, unknown, string]>([
    ['no events', undefined, 'validation_error'],
    ['an empty events array', [], 'validation_error'],
    ['events as a string', 'order.created', 'validation_error'],
    ['events null', null, 'validation_error'],
    ['a number as a name', [5], 'validation_error'],
    ['an unknown event name', ['order.created', 'order.deleted'], 'unknown_event'],
    ['another case', ['Order.Created'], 'unknown_event'],
    ['a space', [' order.created'], 'unknown_event'],
    ['a wildcard', ['*'], 'unknown_event'],
    ['a name of Object.prototype', ['constructor'], 'unknown_event'],
    ['webhook.test as a choice', ['webhook.test'], 'unknown_event'],
  ])('%s: refuses POST and PUT with 422 and changes nothing', async (_what, events, code) => {
    const answer = await create({ url: URL_, events });
    const problem = expectProblem(answer, 422, code);
    expect(problem.errors?.[0]?.pointer).toMatch(/^\/events/);
    if (code === 'unknown_event') expect(problem.allowed).toEqual([...DEFAULT_EVENTS, ...OPT_IN_EVENTS]);
    expect((await list()).total).toBe(0);
    const { id } = (await create({ url: URL_, events: ['order.created'] })).body;
    const before = await list();
    if (events !== undefined) {
      const change = await farm.client.put(`${PATH}/${id}`, { events, name: 'must not be written' });
      expectProblem(change, 422, code);
    }
    expect(await list()).toEqual(before);
  });

  test.each<[string, unknown]>([
    ['format', 'telegraph'],
    ['enabled', 'yes'],
    ['name', 'x'.repeat(101)],
    ['url', 5],
  ])('%s: refuses %j with 422', async (field, value) => {
    const answer = await create({ url: URL_, events: DEFAULT_EVENTS, [field]: value });
    expect(expectProblem(answer, 422, 'validation_error').errors?.[0]?.pointer).toBe(`/${field}`);
    expect((await list()).total).toBe(0);
  });

  test('names a subscription after the host of its URL by default', async () => {
    expect((await create({ url: URL_, events: DEFAULT_EVENTS })).body.name).toBe('127.0.0.1:9');
    expect((await create({ url: URL_, events: DEFAULT_EVENTS, name: 'Дом' })).body.name).toBe('Дом');
  });

  test('refuses an eleventh subscription with 422 channel_limit_reached until one is deleted', async () => {
    const made: string[] = [];
    for (const n of range(10)) made.push((await create({ url: `${URL_}/${n}`, events: DEFAULT_EVENTS })).body.id);
    expectProblem(await create({ url: URL_, events: DEFAULT_EVENTS }), 422, 'channel_limit_reached');
    expectProblem(await create({ url: URL_, events: DEFAULT_EVENTS, enabled: false }), 422, 'channel_limit_reached');
    expect((await list()).items.map(({ id }) => id)).toEqual(made.reverse());
    const { token } = await farm.newAccount();
    const theirs = await farm.client.post(PATH, { url: URL_, events: DEFAULT_EVENTS }, { token });
    expect(theirs.status).toBe(201);
    await farm.client.delete(`${PATH}/${made[4]}`);
    expect((await create({ url: URL_, events: DEFAULT_EVENTS })).status).toBe(201);
    expectProblem(await create({ url: URL_, events: DEFAULT_EVENTS }), 422, 'channel_limit_reached');
  });
});

describe('client_key', () => {
  let body: { url: string; events: string[]; client_key: string };
  // what a test leaves behind can be continued, too
  beforeEach(() => {
    body = { url: URL_, events: ['order.created'], client_key: randomUUID() };
  });

  test('is in the record, and its second subscription is refused with the id of the first', async () => {
    const { secret: _secret, ...record } = (await create(body)).body;
    expect(record.client_key).toBe(body.client_key);
    expect((await farm.client.get(`${PATH}/${record.id}`)).body).toEqual(record);
    const problem = expectProblem(await create({ ...body, url: `${URL_}/2` }), 409, 'client_key_in_use');
    expect(problem.id).toBe(record.id);
    expect((await list()).items).toEqual([record]);
    expect((await create({ ...body, client_key: `${body.client_key}/2` })).status).toBe(201);
    expect('client_key' in (await create({ ...body, client_key: undefined })).body).toBe(false);
  });

  test.each([
    ['an empty text', ''],
    ['201 characters', 'x'.repeat(201)],
    ['a number', 5],
    ['null', null],
    ['a NUL', 'a\0b'],
  ])('%s: refused with 422', async (_what, client_key) => {
    const problem = expectProblem(await create({ ...body, client_key }), 422, 'validation_error');
    expect(problem.errors?.[0]?.pointer).toBe('/client_key');
    const { id } = (await create({ ...body, client_key: '\u{1f600}'.repeat(100) })).body;
    await farm.client.delete(`${PATH}/${id}`);
    expect((await create({ ...body, client_key: '\u{1f600}'.repeat(100) })).body.id).toBe(id);
  });

  test('is of one account only', async () => {
    const { token } = await farm.newAccount();
    const mine = (await create(body)).body;
    const theirs = await farm.client.post<Subscription>(PATH, body, { token });
    expect(theirs.status).toBe(201);
    await farm.client.delete(`${PATH}/${mine.id}`);
    await farm.client.delete(`${PATH}/${theirs.body.id}`, { token });
    expect((await create(body)).body.id).toBe(mine.id);
  });

  test('of a deleted subscription takes none of the ten places', async () => {
    const { id } = (await create(body)).body;
    await farm.client.delete(`${PATH}/${id}`);
    const made: string[] = [];
    for (const n of range(10)) made.push((await create({ url: `${URL_}/${n}`, events: ['order.created'] })).body.id);
    expectProblem(await create(body), 422, 'channel_limit_reached');
    expect((await list()).total).toBe(10);
    await farm.client.delete(`${PATH}/${made[0]}`);
    expect((await create(body)).body.id).toBe(id);
    expectProblem(await create({ ...body, client_key: 'another' }), 422, 'channel_limit_reached');
    expectProblem(await create(body), 409, 'client_key_in_use');
  });

  test('of the 20 subscriptions that were deleted last is kept', async () => {
    const ids: string[] = [];
    for (const n of range(21)) {
      const { id } = (await create({ ...body, client_key: `${n}` })).body;
      await farm.client.delete(`${PATH}/${id}`);
      ids.push(id);
    }
    expect((await create({ ...body, client_key: '2' })).body.id).toBe(ids[1]);
    expect((await create({ ...body, client_key: '1' })).body.id).not.toBe(ids[0]);
  });

  test('can continue a subscription in another format', async () => {
    const { id } = (await create(body)).body;
    await farm.client.delete(`${PATH}/${id}`);
    const chat = (await create({ ...body, format: 'slack', url: 'https://192.168.77.77/services/hush' })).body;
    expect([chat.id, chat.secret]).toEqual([id, undefined]);
    expectProblem(await farm.client.post(`${PATH}/${id}/secret`), 422, 'validation_error');
  });
});

describe('chat-service formats', () => {
  test.each(['slack', 'discord'])(
    '%s: has no signing secret, and the path of its secret URL is masked in lists, GET and PUT',
    async (format) => {
      const url = 'https://192.168.77.77/services/T0/B0/hush-hush?token=hush-hush';
      const { status, body } = await create({ url, events: DEFAULT_EVENTS, format });
      expect([status, body.secret]).toEqual([201, undefined]);
      const path = `${PATH}/${body.id}`;
      const put = await farm.client.put<Subscription>(path, { name: 'x' });
      const shown = [(await list()).items[0], (await farm.client.get<Subscription>(path)).body, put.body];
      for (const record of shown) {
        expect(record?.url).toBe('https://192.168.77.77/***');
        expect(JSON.stringify(record)).not.toContain('hush');
      }
      // the masked URL sent back as it was read isn't a new one
      const back = await farm.client.put<Subscription>(path, put.body);
      expect([back.status, back.body]).toEqual([200, { ...put.body, updated_at: back.body.updated_at }]);
      expectProblem(await farm.client.post(`${path}/secret`), 422, 'validation_error');
    },
  );
});

describe('GET, PUT, DELETE /webhook-subscriptions', () => {
  test('lists all subscriptions of the account in the envelope, newest first, without secrets', async () => {
    expect(await list()).toEqual({ items: [], total: 0, page: 1, per_page: 50 });
    for (const n of range(3)) await create({ url: `${URL_}/${n}`, events: ['order.created'] });
    const { items, ...rest } = await list();
    expect(rest).toEqual({ total: 3, page: 1, per_page: 50 });
    expect(items.map(({ url }) => url)).toEqual([3, 2, 1].map((n) => `${URL_}/${n}`));
    for (const item of items) expect((await farm.client.get(`${PATH}/${item.id}`)).body).toEqual(item);
    const page = await farm.client.get<Listed<Subscription>>(`${PATH}?per_page=2&page=2`);
    expect(page.body.items).toEqual(items.slice(2));
    for (const query of ['page=0', 'per_page=201', 'format=slack'])
      expectProblem(await farm.client.get(`${PATH}?${query}`), 422, 'validation_error');
  });

  test.each<[string, unknown]>([
    ['events', ['filament.low_stock', 'invoice.paid']],
    ['url', 'http://127.0.0.1:10/other'],
    ['name', 'Другое'],
    ['enabled', false],
  ])('changes %s by PUT and keeps the others', async (field, value) => {
    const { secret: _secret, ...record } = (await create({ url: URL_, events: DEFAULT_EVENTS })).body;
    const { status, body } = await farm.client.put<Subscription>(`${PATH}/${record.id}`, { [field]: value });
    expect(status).toBe(200);
    expect(body).toEqual({ ...record, [field]: value, updated_at: body.updated_at });
    expect((await list()).items).toEqual([body]);
  });

  test('answers DELETE with 204, then every route of the subscription with the 404 of an unknown ID', async () => {
    const { id } = (await create({ url: URL_, events: DEFAULT_EVENTS })).body;
    const gone = await farm.client.delete(`${PATH}/${id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await list()).total).toBe(0);
    for (const one of [id, UNKNOWN_ID, 'x']) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PUT', '', { name: 'x' }],
        ['DELETE', '', undefined],
        ['POST', '/test', undefined],
        ['POST', '/secret', undefined],
        ['GET', '/deliveries', undefined],
        ['GET', '/events', undefined],
        ['POST', `/deliveries/${UNKNOWN_ID}/resend`, undefined],
      ] as const)
        expectProblem(await farm.client.call(method, `${PATH}/${one}${path}`, { body }), 404, 'not_found');
    }
  });
});
