import { OWNER, openBrowser, PASSWORD, type SessionBody, startTwoFarms, type TwoFarms } from '../kit/console-client.ts';
import { expectSoon } from '../kit/eventually.ts';
import { type Schemas, UNKNOWN_ID } from '../kit/farm.ts';
import { listen } from '../kit/live-stream.ts';
import { forSuite } from '../kit/opened.ts';
import { farmboard } from '../kit/service.ts';

type Filament = Schemas['Filament'];
type Entry = Schemas['FilamentLedgerEntry'];

const farms = forSuite(startTwoFarms);
let { service, owner, stranger, client } = {} as TwoFarms;

beforeAll(() => {
  ({ service, owner, stranger, client } = farms);
});

const add = async (fields: Record<string, unknown> = {}, browser = owner) =>
  (await browser.post<Filament>('/filaments', { name: 'PETG', spool_count: 1, ...fields })).body;
const consume = (id: string, grams: number) => client.post<Filament>(`/filaments/${id}/consume`, { grams });
const read = async (id: string) => (await client.get<Filament>(`/filaments/${id}`)).body;
const ledger = async (id: string) => (await client.get<{ items: Entry[] }>(`/filaments/${id}/ledger`)).body.items;
const undo = (id: string, entryId: string | undefined, headers = {}, browser = owner) =>
  browser.ask<Filament & { detail?: string }>('POST', `/filaments/${id}/ledger/${entryId}/undo`, { body: {}, headers });
const pointersOf = ({ body }: { body: unknown }) =>
  (body as { errors?: { pointer: string }[] }).errors?.map(({ pointer }) => pointer);

test('lets the owner undo once, take stock, edit and delete', async () => {
  const { id } = await add({ low_stock_threshold_grams: 500 });
  await consume(id, 600.125);
  const [entry] = await ledger(id);
  const undone = await undo(id, entry?.id);
  expect([undone.status, undone.body.remaining_grams, undone.body.is_low_stock]).toEqual([200, 1000, false]);
  const again = await undo(id, entry?.id);
  expect([again.status, again.body.detail]).toEqual([422, 'This entry has already been undone.']);
  expect((await ledger(id)).map(({ kind, grams, undone_by_id }) => [kind, grams, undone_by_id === null])).toEqual([
    ['undo', 600.125, true],
    ['consumption', -600.125, false],
    ['receipt', 1000, true],
  ]);

  const weighed = await owner.post<Filament>(`/filaments/${id}/stocktake`, { remaining_grams: 342, note: 'scale' });
  expect(weighed.body).toMatchObject({ remaining_grams: 342, is_low_stock: true });
  expect(await read(id)).toEqual(weighed.body);
  const changed = await owner.put<Filament>(`/filaments/${id}`, { ...weighed.body, name: 'PETG black' });
  expect([changed.status, changed.body.name, changed.body.remaining_grams]).toEqual([200, 'PETG black', 342]);
  expect((await owner.delete(`/filaments/${id}`)).status).toBe(204);
  expect((await client.get(`/filaments/${id}`)).status).toBe(404);
});

test('says before and after an undo that a stocktake counted later', async () => {
  const { id } = await add();
  await consume(id, 950);
  await owner.post(`/filaments/${id}/stocktake`, { remaining_grams: 5 });
  const [counted, entry] = await ledger(id);
  expect(counted).toMatchObject({ kind: 'adjustment', grams: -45, counted_grams: 5, later_stocktake: null });
  expect(entry?.later_stocktake).toMatchObject({ counted_grams: 5, batch_id: null });
  const headers = { 'Idempotency-Key': 'older' };
  const first = await undo(id, entry?.id, headers);
  const at = entry?.later_stocktake?.at;
  expect([first.body.remaining_grams, first.headers.get('x-svc-older-than-stocktake')]).toEqual([955, at]);
  const again = await undo(id, entry?.id, headers);
  expect([again.body, again.headers.get('x-svc-older-than-stocktake')]).toEqual([first.body, at]);
  expect((await undo(id, counted?.id)).headers.has('x-svc-older-than-stocktake')).toBe(false);
});

test('undoes and takes stock once for a repeated key', async () => {
  const { id } = await add();
  await consume(id, 10);
  const [entry] = await ledger(id);
  const headers = { 'Idempotency-Key': 'undo once' };
  const [first, second] = [await undo(id, entry?.id, headers), await undo(id, entry?.id, headers)];
  expect([second.status, second.body, second.headers.get('idempotency-replayed')]).toEqual([200, first.body, 'true']);
  const count = async (remaining_grams: number) =>
    owner.ask('POST', `/filaments/${id}/stocktake`, {
      body: { remaining_grams },
      headers: { 'Idempotency-Key': 'count once' },
    });
  await count(900);
  await consume(id, 100);
  expect((await count(900)).headers.get('idempotency-replayed')).toBe('true');
  expect(await read(id)).toMatchObject({ remaining_grams: 800 });
  expect((await count(700)).status).toBe(409);
});

test.each([
  ['PUT', '', { name: ' ' }, '/name'],
  ['PUT', '', { name: null }, '/name'],
  ['PUT', '', { colors: ['red'] }, '/colors/0'],
  ['PUT', '', { low_stock_threshold_grams: -1 }, '/low_stock_threshold_grams'],
  ['PUT', '', { spool_weight_grams: 0 }, '/spool_weight_grams'],
  ['POST', '/stocktake', {}, '/remaining_grams'],
  ['POST', '/stocktake', { remaining_grams: -1 }, '/remaining_grams'],
  ['POST', '/stocktake', { remaining_grams: 0.0001 }, '/remaining_grams'],
  ['POST', '/stocktake', { remaining_grams: 1100.001 }, '/remaining_grams'],
  ['POST', '/stocktake', { remaining_grams: 1, batch_id: UNKNOWN_ID }, '/batch_id'],
  ['POST', '/stocktake', { remaining_grams: 1, note: 'x'.repeat(501) }, '/note'],
])('refuses %s %s %j at %s and changes nothing', async (method, path, body, pointer) => {
  const made = await add();
  const refused = await owner.ask(method, `/filaments/${made.id}${path}`, { body });
  expect([refused.status, pointersOf(refused)]).toEqual([422, [pointer]]);
  expect(await read(made.id)).toEqual(made);
  expect(await ledger(made.id)).toHaveLength(1);
});

test('hides stock of other accounts', async () => {
  const theirs = await add({}, stranger);
  const entries = await stranger.get<{ items: Entry[] }>(`/filaments/${theirs.id}/ledger`);
  const entry = entries.body.items[0]?.id;
  for (const id of [theirs.id, UNKNOWN_ID]) {
    expect((await owner.put(`/filaments/${id}`, { name: 'mine now' })).status).toBe(404);
    expect((await owner.delete(`/filaments/${id}`)).status).toBe(404);
    expect((await owner.post(`/filaments/${id}/stocktake`, { remaining_grams: 1 })).status).toBe(404);
    expect((await undo(id, entry)).status).toBe(404);
  }
  const mine = await add();
  expect((await undo(mine.id, entry)).status).toBe(404);
  const usage = await owner.get<{ items: unknown[] }>(`/filaments/usage?filament_id=${theirs.id}`);
  expect([usage.status, usage.body.items]).toEqual([200, []]);
  expect((await stranger.get(`/filaments/${theirs.id}`)).body).toEqual(theirs);

  // in that place a word is read as an unknown ID
  expect((await client.get('/filaments/usage')).status).toBe(404);
});

test('returns usage of the last days without undone entries', async () => {
  const { id } = await add({ name: 'Of today', colors: ['#102030'] });
  await consume(id, 12.5);
  await consume(id, 400);
  await undo(id, (await ledger(id))[0]?.id);
  for (const days of [30, 90, 365]) {
    const { body } = await owner.get<{ from: string; to: string; items: object[] }>(
      `/filaments/usage?days=${days}&filament_id=${id}`,
    );
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe((days - 1) * 24 * 60 * 60 * 1000);
    expect(body.items).toMatchObject([{ filament_id: id, name: 'Of today', grams: 12.5, colors: ['#102030'] }]);
  }
  expect((await owner.get('/filaments/usage?days=31')).status).toBe(422);
});

test('notifies open pages of every change', async () => {
  const { id } = await add();
  await consume(id, 10);
  const [entry] = await ledger(id);
  const page = await listen(owner, service.origin);
  const changes = [
    () => owner.put(`/filaments/${id}`, { name: 'other' }),
    () => undo(id, entry?.id),
    () => owner.post(`/filaments/${id}/stocktake`, { remaining_grams: 5 }),
    () => owner.delete(`/filaments/${id}`),
  ];
  for (const change of changes) {
    await change();
    await expectSoon(
      () => page.heard.map((heard) => `${heard.kind} ${heard.id}`),
      expect.arrayContaining([`filament ${id}`]),
    );
    page.heard.length = 0;
  }
  page.close();
});

describe('the currency of the account', () => {
  interface Priced {
    id: string;
    spool_price: number | null;
    spool_price_currency: string;
    spool_price_rub: number | null;
  }
  const signUp = async (name: string, currency?: string) => {
    const browser = await openBrowser(service);
    const made = await browser.post<SessionBody>('/sign-up', { ...OWNER, email: `${name}@farm.example`, currency });
    expect([made.status, made.body.person?.currency]).toEqual([200, currency ?? 'RUB']);
    return browser;
  };
  const pricesOf = ({ spool_price, spool_price_currency, spool_price_rub }: Priced) => [
    spool_price,
    spool_price_currency,
    spool_price_rub,
  ];

  test('is returned with every price of an account in euros', async () => {
    const browser = await signUp('euros', 'EUR');
    const made = await browser.post<Priced>('/filaments', { name: 'PLA', spool_count: 1, spool_price: 18.5 });
    expect(pricesOf(made.body)).toEqual([18.5, 'EUR', null]);
    const path = `/filaments/${made.body.id}`;
    const batches = await browser.get<{ items: Priced[] }>(`${path}/batches`);
    expect(batches.body.items.map(pricesOf)).toEqual([[18.5, 'EUR', null]]);
    const order = (await browser.post<{ id: string }>('/print-jobs', { model_name: 'Gear' })).body;
    await browser.post(`${path}/consume`, { grams: 100, order_id: order.id });
    const cost = { cost: 1.85, cost_currency: 'EUR', cost_rub: null };
    const lines = await browser.get<{ items: object[] }>(`${path}/ledger`);
    expect(lines.body.items[0]).toMatchObject(cost);
    const history = await browser.get<{ items: object[] }>(`/print-jobs/${order.id}/history`);
    expect(history.body.items[0]).toMatchObject(cost);
    expect(history.body.items[1]).toMatchObject({ cost: null, cost_currency: null, cost_rub: null });

    const refused = await browser.post<{ errors: { pointer: string; detail: string }[] }>(`${path}/batches`, {
      spool_count: 1,
      spool_price_rub: 1490,
    });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [{ pointer: '/spool_price_rub', detail: expect.stringContaining('in EUR, not in roubles') }],
    ]);
    // a record may be sent back as it was read
    const back = await browser.post<Priced>(`${path}/batches`, {
      spool_count: 1,
      spool_price: 19,
      spool_price_currency: 'EUR',
      spool_price_rub: null,
    });
    expect([back.status, ...pricesOf(back.body)]).toEqual([201, 19, 'EUR', null]);
  });

  test('accepts and returns ruble prices by either name', async () => {
    const made = await owner.post<Priced>('/filaments', { name: 'PLA', spool_count: 1, spool_price_rub: 1490.5 });
    expect(pricesOf(made.body)).toEqual([1490.5, 'RUB', 1490.5]);
    const path = `/filaments/${made.body.id}/batches`;
    const batch = await owner.post<Priced>(path, { spool_count: 1, spool_price: 1500.25 });
    expect(pricesOf(batch.body)).toEqual([1500.25, 'RUB', 1500.25]);
    for (const wrong of [
      { spool_price: 1, spool_price_rub: 2 },
      { spool_price: 1.001 },
      { spool_price: 1, spool_price_currency: 'EUR' },
    ])
      expect((await owner.post(path, { spool_count: 1, ...wrong })).status).toBe(422);
  });

  test.each([
    ['JPY', 2_500, 2_500.5],
    ['KWD', 5.125, 5.1255],
  ])('%s: accepts as many decimals as the currency has', async (currency, price, tooFine) => {
    const browser = await signUp(`decimals-${currency.toLowerCase()}`, currency);
    const add = (spool_price: number) =>
      browser.post<Priced>('/filaments', { name: 'PLA', spool_count: 1, spool_price });
    expect((await add(tooFine)).status).toBe(422);
    expect(pricesOf((await add(price)).body)).toEqual([price, currency, null]);
  });

  test('can be changed until a price is stored', async () => {
    const browser = await signUp('undecided');
    expect((await browser.get('/account')).body).toEqual({ currency: 'RUB', is_currency_fixed: false });
    for (const currency of ['XXQ', 'eur', '']) expect((await browser.put('/account', { currency })).status).toBe(422);
    expect((await browser.put('/account', { currency: 'PLN' })).body).toEqual({
      currency: 'PLN',
      is_currency_fixed: false,
    });
    expect((await browser.get('/invoice-seller')).body).toMatchObject({ default_currency: 'PLN' });
    await browser.post('/filaments', { name: 'PLA', spool_count: 1 });
    expect((await browser.put('/account', { currency: 'EUR' })).status).toBe(200);
    await browser.post('/filaments', { name: 'PLA', spool_count: 1, spool_price: 20 });
    const refused = await browser.put('/account', { currency: 'PLN' });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Prices are stored in EUR')]);
    expect((await browser.get('/account')).body).toEqual({ currency: 'EUR', is_currency_fixed: true });
  });

  test('serializes a first price and a currency change', async () => {
    const browser = await signUp('at-once');
    const [made, changed] = await Promise.all([
      browser.post<Priced>('/filaments', { name: 'PLA', spool_count: 1, spool_price: 20 }),
      browser.put('/account', { currency: 'EUR' }),
    ]);
    const { currency } = (await browser.get<{ currency: string }>('/account')).body;
    expect([made.status, changed.status]).toEqual([201, currency === 'EUR' ? 200 : 422]);
    expect((await browser.get<Priced>(`/filaments/${made.body.id}`)).body.spool_price_currency).toBe(currency);
  });

  test('is a command-line option', async () => {
    const create = (email: string, ...more: string[]) =>
      farmboard(
        ['account', 'create', '--email', email, '--name', 'F', '--password', PASSWORD, ...more],
        farms.folder.env,
      );
    expect(await create('a@cli.example', '--currency', 'GBP')).toMatchObject({ code: 0 });
    expect(await create('b@cli.example', '--currency', 'pounds')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not a currency code of ISO 4217'),
    });
    const browser = await openBrowser(service);
    expect((await browser.signIn('a@cli.example', PASSWORD)).body.person?.currency).toBe('GBP');
  });
});

test('creates the sample farm in the requested language and the account’s currency', async () => {
  const browser = await openBrowser(service);
  await browser.post('/sign-up', { ...OWNER, email: 'sample@farm.example', currency: 'EUR' });
  const everything = async () => {
    const paths = ['/print-jobs?include_closed=true&per_page=200', '/filaments', '/printers', '/printer-groups'];
    return (await Promise.all(paths.map(async (path) => (await browser.get(path)).text))).join('\n');
  };
  await browser.post('/sample-data?language=en');
  const english = await everything();
  expect(english).not.toMatch(/[а-яё]/i);
  expect(english).not.toContain('RUB');
  expect(english).toContain('"currency":"EUR"');
  await browser.delete('/sample-data');
  await browser.post('/sample-data?language=ru');
  expect(await everything()).toMatch(/PETG чёрный/);
});
