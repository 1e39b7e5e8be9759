import type { OpenApiDocument } from './checker.ts';
import { type Browser, OWNER, PASSWORD } from './console-client.ts';
import type { DatabaseInspector } from './database.ts';
import { openForm, PNG, sendForm, waitUntilAccepted } from './leads.ts';

/**
 * Creates a record of every kind that an operation can name.
 * @returns the collection's name in a path → the id of a record in it
 */
export async function makeOneOfEach(owner: Browser, receiverUrl: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const made = async (path: string, body: unknown) => {
    const answer = await owner.post<{ id: string; token?: string }>(path, body);
    expect([path, answer.status]).toEqual([path, 201]);
    ids.set(path.slice(1), answer.body.id);
    return answer.body;
  };
  const newestOf = async (path: string) => (await owner.get<{ items: { id: string }[] }>(path)).body.items[0]?.id ?? '';
  await made('/print-jobs', { model_name: 'Bracket', source: 'shop', external_id: '5001' });
  ids.set('by-external-id', 'shop/5001');
  await made('/printer-groups', { name: 'Hall 1' });
  await made('/printers', { name: 'A-01', model: 'MK4', group_id: ids.get('printer-groups') });
  await made('/filaments', { name: 'PETG', spool_count: 3 });
  const { token } = await made('/agents', { name: 'OctoPrint', printer_id: ids.get('printers') });
  const refused = await fetch(`${owner.origin}/agent/v1/reports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ event_id: '1', filename: 'a.gcode', outcome: 'unknown' }),
  });
  expect(refused.status).toBe(422);
  ids.set('refused-reports', await newestOf(`/printers/${ids.get('printers')}/refused-reports`));
  await made('/webhook-subscriptions', { url: receiverUrl, events: ['order.created'] });
  const subscription = `/webhook-subscriptions/${ids.get('webhook-subscriptions')}`;
  await owner.post(`${subscription}/test`, {});
  ids.set('deliveries', await newestOf(`${subscription}/deliveries`));
  ids.set('ledger', await newestOf(`/filaments/${ids.get('filaments')}/ledger`));
  await owner.put('/profile', { slug: 'test-farm', is_public: true, headline: 'Test farm' });
  const form = await openForm(owner.origin, 'test-farm');
  await waitUntilAccepted(form);
  expect((await sendForm(owner.origin, form)).status).toBe(303);
  ids.set('leads', await newestOf('/leads'));
  const photo = { raw: PNG, headers: { 'Content-Type': 'application/octet-stream' } };
  ids.set('photos', (await owner.ask<{ photos: string[] }>('POST', '/profile/photos', photo)).body.photos[0] ?? '');
  await owner.put('/invoice-seller', { name: 'Farm' });
  const lines = [{ description: 'Bracket', quantity: 1, unit_price: 100 }];
  await made('/invoices', { customer_name: 'Vera', lines });
  await owner.post(`/invoices/${ids.get('invoices')}/issue`, {});
  await owner.post(`/invoices/${ids.get('invoices')}/payments`, { kind: 'payment', amount: 200 });
  ids.set('invoice-payments', await newestOf('/invoice-payments'));
  await made('/payment-providers', { kind: 'notification' });
  await owner.post('/tokens', { name: 'n8n' });
  ids.set('tokens', await newestOf('/tokens'));
  ids.set('sessions', await newestOf('/sessions'));
  return ids;
}

/** Every operation that changes something, filled in with existing ids. */
export const listOperations = (document: OpenApiDocument, ids: Map<string, string>) =>
  Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })))
    .filter(({ method }) => method !== 'GET')
    .map(({ path, method }) => ({
      method,
      path: path.replace(/([\w-]+)(?:\/\{\w+\})+/g, (_, collection: string) => `${collection}/${ids.get(collection)}`),
    }));

/** A body that every operation can use. */
export const bodyForAny = (receiverUrl: string) => ({
  ...OWNER,
  code: 'set_x',
  current_password: PASSWORD,
  new_password: 'a password of the attacker',
  model_name: 'of another page',
  model: 'MK4',
  grams: 1,
  remaining_grams: 1,
  kind: 'payment',
  amount: 1,
  spool_count: 1,
  currency: 'EUR',
  deduct_grams: true,
  url: receiverUrl,
  events: ['order.created'],
});

/** Everything that an operation could have changed. */
export async function readEverything(inspector: DatabaseInspector): Promise<string> {
  const tables = ['accounts', 'sessions', 'tokens', 'orders', 'filaments', 'filament_batches', 'filament_ledger'];
  const others = [
    'profiles',
    'files',
    'leads',
    'subscriptions',
    'deliveries',
    'events',
    'printers',
    'printer_groups',
    'sample_records',
    'agents',
    'printer_rules',
  ];
  const invoices = ['invoices', 'invoice_lines', 'invoice_payments', 'invoice_sellers', 'payment_providers'];
  const rows: unknown[] = [];
  for (const table of [...tables, ...others, ...invoices, 'idempotency_keys']) {
    rows.push(await inspector.rows(`SELECT * FROM ${table} ORDER BY 1, 2`));
  }
  return JSON.stringify(rows);
}
