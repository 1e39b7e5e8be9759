import { expectProblem, type Listed, startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { openForm, sendForm, waitUntilAccepted } from '../kit/leads.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(startFarm);
/** The other account's token. */
let stranger: string;
/** Values for `{name}` in a path below the first segment: real records of the first account. */
const ids: Record<string, string> = {};
let deliveryId: string;
let batchId: string;

/** A body that each operation with one takes from its own account. */
const BODIES: Record<string, unknown> = {
  'put /print-jobs/{id}': { workflow_status: 'done', order_notes: 'taken over' },
  'post /filaments/{id}/consume': { grams: 1 },
  'post /filaments/{id}/batches': { spool_count: 1 },
  'put /webhook-subscriptions/{id}': { name: 'taken over', enabled: false },
};

beforeAll(async () => {
  const [printer] = await farm.printers();
  const subscription = await farm.subscription();
  const order = await farm.order({ printer_id: printer?.id });
  const filament = await farm.filament({ spool_count: 1, low_stock_threshold_grams: 999 });
  await farm.client.post(`/filaments/${filament.id}/consume`, { grams: 5, order_id: order.id });
  deliveryId = (await farm.client.post<{ id: string }>(`${subscription.path}/test`)).body.id;
  await subscription.until((all) => all.length === 2);
  batchId =
    (await farm.client.get<Listed<{ id: string }>>(`/filaments/${filament.id}/batches`)).body.items[0]?.id ?? '';
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
  stranger = (await farm.newAccount()).token;
});

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
  return path.replace('{id}', id).replace('{delivery_id}', deliveryId).replace('{batch_id}', batchId);
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
    expectProblem(theirs, 404, 'not_found');
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
  // resends an attempt of another account through an own subscription
  const url = 'http://127.0.0.1:9/';
  const subscription = await farm.client.post<{ id: string }>(
    '/webhook-subscriptions',
    { url, events: ['order.created'] },
    options,
  );
  const path = `/webhook-subscriptions/${subscription.body.id}/deliveries/${deliveryId}/resend`;
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
});
