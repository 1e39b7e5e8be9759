import { type Browser, createFirstOwner, openBrowser, PASSWORD } from '../kit/console-client.ts';
import type { Schemas } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { send, signNotification } from '../kit/payments.ts';
import { createEmptyDataFolder, farmboard, startService } from '../kit/service.ts';

const folder = forSuite(createEmptyDataFolder);
const service = forSuite(() => startService(folder.env));
let owner: Browser;

beforeAll(async () => {
  owner = await createFirstOwner(service);
});

interface Listing<T> {
  items: T[];
  total: number;
}

const PATHS = [
  '/print-jobs?include_closed=true',
  '/filaments',
  '/printers',
  '/printer-groups',
  '/leads',
  '/invoices',
  '/events',
];

const countsOf = async (browser: Browser) =>
  Object.fromEntries(
    await Promise.all(
      PATHS.map(async (path) => [path.replace(/\?.*/, ''), (await browser.get<Listing<unknown>>(path)).body.total]),
    ),
  );

const FULL = {
  '/print-jobs': 67,
  '/filaments': 12,
  '/printers': 8,
  '/printer-groups': 2,
  '/leads': 3,
  '/invoices': 3,
  '/events': 279,
};
const NOTHING = Object.fromEntries(Object.keys(FULL).map((path) => [path, 0]));

test('loads sample data once for concurrent requests', async () => {
  expect((await owner.get('/sample-data')).body).toEqual({ has_sample: false, is_empty: true });
  const answers = await Promise.all(Array.from({ length: 5 }, () => owner.post('/sample-data')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422]);
  expect(await countsOf(owner)).toEqual(FULL);
  expect((await owner.get('/sample-data')).body).toEqual({ has_sample: true, is_empty: false });
});

test('has a history and keeps all invariants', async () => {
  const { items } = (
    await owner.get<Listing<{ id: string; workflow_status: string; updated_at: string }>>(
      '/print-jobs?workflow_status=closed',
    )
  ).body;
  for (const order of items) {
    const { body } = await owner.get<Listing<{ kind: string; to_status: string; at: string }>>(
      `/print-jobs/${order.id}/history`,
    );
    const moves = body.items.filter(({ kind }) => kind !== 'consumption');
    expect(moves[0]).toMatchObject({ to_status: 'closed', at: order.updated_at });
    expect(moves.at(-1)).toMatchObject({ kind: 'created', to_status: 'confirmed' });
    const times = body.items.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
  }
  const filaments = (await owner.get<Listing<{ id: string; used_grams: number; is_low_stock: boolean }>>('/filaments'))
    .body.items;
  expect(filaments.filter(({ is_low_stock }) => is_low_stock)).toHaveLength(1);
  for (const { id, used_grams } of filaments) {
    const { body } = await owner.get<Listing<{ kind: string; grams: number; at: string }>>(
      `/filaments/${id}/ledger?per_page=200`,
    );
    const used = body.items.filter(({ kind }) => kind === 'consumption');
    expect(new Set(used.map(({ at }) => at.slice(0, 10))).size).toBeGreaterThan(5);
    expect(-used.reduce((sum, { grams }) => sum + grams, 0)).toBeCloseTo(used_grams, 6);
  }
  expect((await farmboard(['check'], folder.env)).code).toBe(0);
});

type Invoice = Schemas['InvoiceDetail'];

test('has a story on every page, whose invoices are off the counter and whose events have no deliveries', async () => {
  const { items: invoices } = (await owner.get<Listing<Invoice>>('/invoices')).body;
  expect(invoices.map(({ number, status }) => [number, status])).toEqual([
    [null, 'draft'],
    ['DEMO-0002', 'issued'],
    ['DEMO-0001', 'paid'],
  ]);
  const { items: requests } = (await owner.get<Listing<{ state: string; order_id: string | null }>>('/leads')).body;
  expect(requests.map(({ state, order_id }) => [state, order_id !== null])).toEqual([
    ['new', false],
    ['answered', false],
    ['answered', true],
  ]);
  for (const event of ['printer.print_failed', 'printer.print_finished', 'lead.created', 'invoice.paid']) {
    const { total } = (await owner.get<Listing<unknown>>(`/events?event=${event}`)).body;
    expect([event, total > 0]).toEqual([event, true]);
  }
  const { items: events } = (await owner.get<Listing<{ occurred_at: string }>>('/events?per_page=200')).body;
  const times = events.map(({ occurred_at }) => occurred_at);
  expect(times).toEqual(times.toSorted().toReversed());
});

test('keeps what counts: an invoice that was issued, the numbers, and what a provider reported', async () => {
  const [draft] = (await owner.get<Listing<Invoice>>('/invoices?status=draft')).body.items;
  await owner.put('/invoice-seller', { name: 'Real farm' });
  const issued = (await owner.post<Invoice>(`/invoices/${draft?.id}/issue`, {})).body;
  expect(issued.number).toMatch(/^\d{4}-0001$/);
  const { id, secret } = (await owner.post('/payment-providers', { kind: 'notification', name: 'Bank' })).body;
  const payment = { id: 'p1', type: 'payment', invoice: 'DEMO-0002', amount: 100, currency: 'RUB' };
  const raw = JSON.stringify({ ...payment, paid_at: new Date().toISOString() });
  const sent = await send(`${service.origin}/payments/notification/${id}`, raw, signNotification(String(secret), raw));
  expect(sent.status).toBe(200);
  expect((await farmboard(['check'], folder.env)).code).toBe(0);
});

test('is removed without the owner’s own data', async () => {
  const [printer] = (await owner.get<Listing<{ id: string }>>('/printers')).body.items;
  const own = (await owner.post<{ id: string }>('/print-jobs', { model_name: 'Mine', printer_id: printer?.id })).body;
  const [filament] = (await owner.get<Listing<{ id: string }>>('/filaments?q=PETG%20Black')).body.items;
  await owner.post(`/filaments/${filament?.id}/consume`, { grams: 5, order_id: own.id });
  expect((await owner.delete('/sample-data')).status).toBe(204);
  expect((await owner.delete('/sample-data')).status).toBe(204);
  // the invoice was issued with a number that counts, and the events of the order and the payment were sent
  expect(await countsOf(owner)).toEqual({ ...NOTHING, '/print-jobs': 1, '/invoices': 1, '/events': 2 });
  expect((await owner.get<Listing<object>>('/invoice-payments')).body.items).toMatchObject([
    { amount: 100, invoice_id: null, named_invoice: 'DEMO-0002', needs_review: true },
  ]);
  expect((await owner.get(`/print-jobs/${own.id}`)).body).toMatchObject({ printer_id: null, printer_name: null });
  expect((await owner.get<Listing<{ kind: string }>>(`/print-jobs/${own.id}/history`)).body.items[0]?.kind).toBe(
    'consumption',
  );
  expect((await owner.get('/sample-data')).body).toEqual({ has_sample: false, is_empty: false });
  expect((await owner.post('/sample-data')).status).toBe(422);
  expect((await farmboard(['check'], folder.env)).code).toBe(0);
});

test('leaves other accounts unchanged', async () => {
  await farmboard(
    ['account', 'create', '--email', 'second@farm.example', '--name', 'Second', '--password', PASSWORD],
    folder.env,
  );
  const second = await openBrowser(service);
  await second.signIn('second@farm.example');
  expect((await second.post('/sample-data')).status).toBe(200);
  await owner.delete('/sample-data');
  expect(await countsOf(second)).toEqual(FULL);
});
