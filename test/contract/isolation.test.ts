import { expectProblem, type Listed, startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { openForm, sendForm, waitUntilAccepted } from '../kit/leads.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { readEverything } from '../kit/state-changing.ts';

/** With a token that can only read. */
const ATTEMPTS = times(100, 500);

const farm = forSuite(() => startFarm({ RATE_LIMIT_PER_MINUTE: '0' }));
/** The other account's token. */
let stranger: string;
/** Values for `{name}` in a path below the first segment: real records of the first account. */
const ids: Record<string, string> = {};
let subscription: Awaited<ReturnType<typeof farm.subscription>>;
let deliveryId: string;
let batchId: string;
let entryId: string;

/** A body that each operation with one takes from its own account. */
const BODIES: Record<string, unknown> = {
  'put /print-jobs/{id}': { workflow_status: 'done', order_notes: 'taken over' },
  'put /print-jobs/by-external-id/{source}/{external_id}': { order_notes: 'taken over' },
  'post /filaments/{id}/consume': { grams: 1 },
  'post /filaments/{id}/batches': { spool_count: 1 },
  'put /filaments/{id}': { name: 'taken over' },
  'post /filaments/{id}/stocktake': { remaining_grams: 1 },
  'post /filaments/{id}/ledger/{entry_id}/undo': {},
  'put /webhook-subscriptions/{id}': { name: 'taken over', enabled: false },
};

beforeAll(async () => {
  const [printer] = await farm.printers();
  subscription = await farm.subscription();
  const order = await farm.order({ printer_id: printer?.id, source: 'shop', external_id: '1' });
  const filament = await farm.filament({ spool_count: 1, low_stock_threshold_grams: 999 });
  await farm.client.post(`/filaments/${filament.id}/consume`, { grams: 5, order_id: order.id });
  deliveryId = (await farm.client.post<{ id: string }>(`${subscription.path}/test`)).body.id;
  await subscription.untilRecorded(2);
  batchId =
    (await farm.client.get<Listed<{ id: string }>>(`/filaments/${filament.id}/batches`)).body.items[0]?.id ?? '';
  entryId = (await farm.client.get<Listed<{ id: string }>>(`/filaments/${filament.id}/ledger`)).body.items[0]?.id ?? '';
  ids['print-jobs'] = order.id;
  ids.filaments = filament.id;
  ids.printers = printer?.id ?? '';
  ids['printer-groups'] = printer?.group_id ?? '';
  ids['webhook-subscriptions'] = subscription.id;
  // records that the API only reads
  const owner = await farm.console();
  await owner.put('/profile', { slug: 'test-farm', is_public: true, headline: 'Test farm' });
  const form = await openForm(farm.origin, 'test-farm');
  await waitUntilAccepted(form);
  await sendForm(farm.origin, form);
  ids.leads = (await farm.client.get<Listed<{ id: string }>>('/leads')).body.items[0]?.id ?? '';
  const lines = [{ description: 'Bracket', quantity: 1, unit_price: 100 }];
  ids.invoices = (await owner.post<{ id: string }>('/invoices', { customer_name: 'Vera', lines })).body.id;
  await owner.put('/invoice-seller', { name: 'Test farm', address: 'Berlin' });
  expect((await owner.post(`/invoices/${ids.invoices}/issue`, {})).status).toBe(200);
  stranger = (await farm.newAccount()).token;
});

/** Creates an order of their own, which needs a model. */
const CREATES = 'put /print-jobs/by-external-id/{source}/{external_id}';

const operations = () =>
  Object.entries(farm.client.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as { requestBody?: { required: boolean } },
    })),
  );

function fill(path: string): string {
  const id = ids[path.split('/')[1] as string];
  if (!id) throw new Error(`no record is known for ${path}: add one to this test`);
  return path
    .replace('{id}', id)
    .replace('{delivery_id}', deliveryId)
    .replace('{batch_id}', batchId)
    .replace('{entry_id}', entryId)
    .replace('{source}/{external_id}', 'shop/1');
}

/** Everything that the first account can see. */
async function snapshot(): Promise<string[]> {
  const texts: string[] = [];
  for (const { path, method } of operations())
    if (method === 'get') texts.push((await farm.client.get(path.includes('{') ? fill(path) : path)).text);
  return texts;
}

test('answers 404 for records of another account on every route, changing nothing', async () => {
  const before = await snapshot();
  const withId = operations().filter(({ path }) => path.includes('{'));
  expect(withId.length).toBeGreaterThanOrEqual(20);
  for (const { path, method, operation } of withId) {
    const body = BODIES[`${method} ${path}`];
    // a body that is refused anyway would prove nothing
    expect([`${method} ${path}`, body !== undefined]).toEqual([
      `${method} ${path}`,
      operation.requestBody?.required === true,
    ]);
    const options = { token: stranger, body, headers: { 'X-Request-Id': 'the-same' } };
    const theirs = await farm.client.call(method.toUpperCase(), fill(path), options);
    const unknown = await farm.client.call(method.toUpperCase(), path.replace(/\{\w+\}/g, UNKNOWN_ID), options);
    if (`${method} ${path}` === CREATES) expectProblem(theirs, 422, 'validation_error');
    else expectProblem(theirs, 404, 'not_found');
    expect(theirs.text).toBe(unknown.text);
    const namesOf = (headers: Headers) => [...headers.keys()].sort();
    expect(namesOf(theirs.headers)).toEqual(namesOf(unknown.headers));
  }
  expect(await snapshot()).toEqual(before);
});

test('returns empty lists and numbers for another account', async () => {
  const paths = operations().filter(({ path, method }) => method === 'get' && !path.includes('{'));
  expect(paths.length).toBeGreaterThanOrEqual(8);
  for (const { path } of paths) {
    const query = path === '/print-jobs' ? '?include_closed=true' : '';
    const { status, body } = await farm.client.get(path + query, { token: stranger });
    expect(status).toBe(200);
    if (path === '/me') expect(body.email).not.toBe(farm.email);
    else if (path === '/summary') expect(new Set(Object.values(body))).toEqual(new Set([0]));
    else expect(body).toEqual({ items: [], total: 0, page: 1, per_page: 50 });
  }
});

test('refuses records of another account in a body', async () => {
  const options = { token: stranger };
  const own = (await farm.createOrder({}, options)).body;
  const spool = { name: 'own', spool_count: 1 };
  const filament = (await farm.client.post<{ id: string }>('/filaments', spool, options)).body;
  for (const [method, path, body, pointer] of [
    ['POST', '/print-jobs', { model_name: 'x', printer_id: ids.printers }, '/printer_id'],
    ['PUT', `/print-jobs/${own.id}`, { printer_id: ids.printers }, '/printer_id'],
    ['POST', `/filaments/${filament.id}/consume`, { grams: 1, order_id: ids['print-jobs'] }, '/order_id'],
    ['POST', `/filaments/${filament.id}/consume`, { grams: 1, printer_id: ids.printers }, '/printer_id'],
  ] as const) {
    const answer = await farm.client.call(method, path, { ...options, body });
    expect(expectProblem(answer, 422, 'validation_error').errors?.[0]?.pointer).toBe(pointer);
  }
  const several = { ids: [ids['print-jobs'], own.id], workflow_status: 'done' };
  const { body } = await farm.client.post<{ results: { status: number }[] }>('/print-jobs/status', several, options);
  expect(body.results.map(({ status }) => status)).toEqual([404, 200]);
  // resends an attempt of another account through an own subscription
  const url = 'http://127.0.0.1:9/';
  const theirs = await farm.client.post<{ id: string }>(
    '/webhook-subscriptions',
    { url, events: ['order.created'] },
    options,
  );
  const path = `/webhook-subscriptions/${theirs.body.id}/deliveries/${deliveryId}/resend`;
  expectProblem(await farm.client.post(path, undefined, options), 404, 'not_found');
});

test('sends no event to subscriptions of another account', async () => {
  const receiver = await farm.receiver();
  const { token } = await farm.newAccount();
  const options = { token };
  await farm.client.post('/webhook-subscriptions', { url: receiver.url, events: ['order.created'] }, options);
  await farm.order();
  const marker = (await farm.createOrder({}, options)).body;
  await receiver.until((all) => all.length >= 1);
  expect(receiver.received.map(({ body, headers }) => [body.data.id, headers['x-svc-sequence']])).toEqual([
    [marker.id, '1'],
  ]);
  // the next test compares everything the first account sees
  await subscription.untilRecorded(3);
});

describe('A token that can only read', () => {
  const NEW_RECORDS: Record<string, unknown> = {
    'post /print-jobs': { model_name: 'Bracket' },
    'post /filaments': { name: 'PLA', spool_count: 1 },
    'post /print-jobs/status': { ids: [UNKNOWN_ID], workflow_status: 'done' },
    'post /webhook-subscriptions': { url: 'http://127.0.0.1:9/', events: ['order.created'] },
  };
  const changes = () =>
    operations()
      .filter(({ method }) => method !== 'get')
      // deletes last, because the others need the records
      .sort((one, other) => Number(one.method === 'delete') - Number(other.method === 'delete'))
      .map(({ method, path }) => ({
        method: method.toUpperCase(),
        path: path.includes('{') ? fill(path) : path,
        body: { ...BODIES, ...NEW_RECORDS }[`${method} ${path}`],
      }));
  let token: string;

  beforeAll(async () => {
    const owner = await farm.console();
    token = (await owner.post<{ token: string }>('/tokens', { name: 'display', read_only: true })).body.token;
    const { items } = (await owner.get<Listed<{ name: string; read_only: boolean }>>('/tokens')).body;
    expect(new Map(items.map(({ name, read_only }) => [name, read_only]))).toEqual(
      new Map([
        ['test', false],
        ['display', true],
      ]),
    );
  });

  test('reads everything, which changes nothing', async () => {
    // but the times of last use; a PDF is kept once it has been made
    const read = async () => (await readEverything(farm.inspector)).replace(/"last_used_at":\w+/g, '');
    const before = await read();
    for (const { path, method } of operations()) {
      if (method !== 'get') continue;
      const answer = await farm.client.get(path.includes('{') ? fill(path) : path, { token });
      expect([path, answer.status]).toEqual([path, 200]);
    }
    expect(await read()).toBe(before);
  });

  test('changes nothing, and the same requests with full access are accepted', async () => {
    const before = await snapshot();
    const all = changes();
    expect(all.length).toBeGreaterThanOrEqual(15);
    const headers = { 'Idempotency-Key': 'first used by the display' };
    for (let n = 0; n < Math.max(ATTEMPTS, all.length); n++) {
      const { method, path, body } = all[n % all.length] as (typeof all)[number];
      // what can't be read isn't read
      const sent = n < all.length ? { body } : { raw: n % 2 ? '{' : 'x'.repeat(200_000) };
      // a dry run is refused, too
      const asked = n % 3 ? path : `${path}?dry_run=true`;
      expectProblem(await farm.client.call(method, asked, { ...sent, token, headers }), 403, 'read_only_token');
    }
    expectProblem(await farm.client.call('PATCH', '/no-such-route', { token }), 403, 'read_only_token');
    expect(await snapshot()).toEqual(before);

    for (const [n, { method, path, body }] of all.entries()) {
      const keyed = { 'Idempotency-Key': `first used by the display${n === 0 ? '' : n}` };
      const { status, headers: answered } = await farm.client.call(method, path, { body, headers: keyed });
      expect([method, path, status < 300]).toEqual([method, path, true]);
      expect(answered.get('idempotency-replayed')).toBeNull();
    }
  });
});
