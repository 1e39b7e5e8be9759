import type { IDataObject } from 'n8n-workflow';
import { type FakeServer, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { createHarness, type Farm, TYPE } from '../../kit/n8n/harness.ts';
import { built, fieldsOf, fromItem, locatorFromItem, parametersOf } from '../../kit/n8n/rig.ts';

const { findRecordId, toLabel } = built<{
  findRecordId(value: unknown, kind: string): string | undefined;
  toLabel(id: string): string;
}>('nodes/Farmboard/shared/record-id');
const { path } = built<{ path(parts: TemplateStringsArray, ...ids: string[]): string }>(
  'nodes/Farmboard/shared/transport',
);

const ID = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';
const OTHER = '0198c2f4-0000-7000-8000-000000000001';

/** What a person or a scanner enters for a record of any kind. */
const ANY_KIND = [
  ['the ID', ID],
  ['the ID in capitals', ID.toUpperCase()],
  ['the ID between blanks', ` \t${ID}\n`],
  ['an address of the interface', `http://localhost:3000/api/v1/print-jobs/${ID}`],
  ['an address with a slash at its end', `https://farm.example.com/api/v1/printers/${ID}/`],
  ['an address with a query', `https://farm.example.com/orders/${ID}?tab=history`],
  ['an address as of a console', `https://farm.example.com/console/#/orders/${ID}`],
  ['an address with a fragment', `HTTPS://farm.example.com/console/orders/${ID.toUpperCase()}#notes`],
  ['an address of something below it', `http://localhost:3000/api/v1/print-jobs/${ID}/history`],
  ['an address of a record in it', `http://localhost:3000/api/v1/filaments/${ID}/batches/${OTHER}`],
] as const;

const LABELS = [
  ['the label', `ORDER-${ID}`],
  ['the label in capitals', `ORDER-${ID.toUpperCase()}`],
  ['the label in small letters', `order-${ID}`],
  ['the label with the end of line of a scanner', ` ORDER-${ID}\r\n`],
] as const;

const NONSENSE = [
  ['words', 'the red bracket'],
  ['a way out of the path', '../x'],
  ['a way out behind an ID', `${ID}/../../me`],
  ['a part of an ID', ID.slice(0, 30)],
  ['an ID with more behind it', `${ID}0`],
  ['two IDs', `${ID} ${OTHER}`],
  ['an address without an ID', 'https://farm.example.com/orders/17'],
  ['an ID in an address of no web page', `file:///orders/${ID}`],
  ['a label of something else', `SPOOL-${ID}`],
  ['nothing', ''],
  ['blanks', '   '],
] as const;

describe('findRecordId', () => {
  test.each(ANY_KIND)('finds %s, for every kind of record', (_what, value) => {
    for (const kind of ['order', 'printer', 'filament', 'webhook']) expect(findRecordId(value, kind)).toBe(ID);
  });

  test.each(LABELS)('finds %s of an order, and of an order alone', (_what, value) => {
    expect(findRecordId(value, 'order')).toBe(ID);
    expect(findRecordId(value, 'printer')).toBeUndefined();
  });

  test.each(['', 'q=vase&', 'closed=1&printer=x&'])(
    'finds the order of the console’s drawer behind "?%s"',
    (before) => {
      const address = `http://farm.lan:3000/console/?${before}order=${ID}`;
      expect(findRecordId(address, 'order')).toBe(ID);
      expect(findRecordId(`${address}&q=x`, 'order')).toBe(ID);
      expect(findRecordId(address, 'filament')).toBeUndefined();
    },
  );

  test.each(NONSENSE)('finds nothing in %s', (_what, value) => {
    expect(findRecordId(value, 'order')).toBeUndefined();
  });

  test.each([[undefined], [null], [17], [true], [{ id: ID }], [[ID]]])('finds nothing in %p', (value) => {
    expect(findRecordId(value, 'order')).toBeUndefined();
  });

  test('finds the ID in its own label', () => {
    expect(toLabel(ID)).toBe(`ORDER-${ID}`);
    expect(findRecordId(toLabel(ID), 'order')).toBe(ID);
  });
});

describe('path', () => {
  test.each([
    ['../x', '/print-jobs/..%2Fx/history'],
    ['a/b', '/print-jobs/a%2Fb/history'],
    ['a?b#c', '/print-jobs/a%3Fb%23c/history'],
    ['%2e%2e', '/print-jobs/%252e%252e/history'],
    ['ü ', '/print-jobs/%C3%BC%20/history'],
  ])('encodes %p', (id, expected) => {
    expect(path`/print-jobs/${id}/history`).toBe(expected);
  });

  // no encoding keeps these from changing the path
  test.each(['', '.', '..'])('refuses %p', (id) => {
    expect(() => path`/print-jobs/${id}/history`).toThrow();
  });

  test('accepts several IDs or none', () => {
    expect(path`/a/${'1'}/b/${'2'}`).toBe('/a/1/b/2');
    expect(path`/a`).toBe('/a');
  });
});

/** Every operation on one record: its field, the name of the record there, and the path it requests. */
const LOCATED: { operation: string; at: string; field: string; kind: string; more?: IDataObject; isShared?: true }[] = [
  { operation: 'order get', field: 'orderId', kind: 'Order', at: `GET /print-jobs/${ID}` },
  { operation: 'order getHistory', field: 'orderId', kind: 'Order', at: `GET /print-jobs/${ID}/history` },
  { operation: 'order delete', field: 'orderId', kind: 'Order', at: `DELETE /print-jobs/${ID}` },
  {
    operation: 'order setStatus',
    field: 'orderId',
    kind: 'Order',
    at: `PUT /print-jobs/${ID}`,
    more: { workflowStatus: 'printing' },
  },
  {
    operation: 'order update',
    field: 'orderId',
    kind: 'Order',
    at: `PUT /print-jobs/${ID}`,
    more: { updateFields: { orderNotes: 'x' } },
  },
  {
    operation: 'order setStatusInBulk',
    field: 'orderId',
    kind: 'Order',
    at: 'POST /print-jobs/status',
    more: { workflowStatus: 'done' },
    isShared: true,
  },
  { operation: 'printer get', field: 'printerId', kind: 'Printer', at: `GET /printers/${ID}` },
  { operation: 'filament get', field: 'filamentId', kind: 'Filament', at: `GET /filaments/${ID}` },
  {
    operation: 'filament consume',
    field: 'filamentId',
    kind: 'Filament',
    at: `POST /filaments/${ID}/consume`,
    more: { grams: 1 },
  },
  {
    operation: 'filament addBatch',
    field: 'filamentId',
    kind: 'Filament',
    at: `POST /filaments/${ID}/batches`,
    more: { spoolCount: 1 },
  },
  {
    operation: 'filament getBatches',
    field: 'filamentId',
    kind: 'Filament',
    at: `GET /filaments/${ID}/batches`,
  },
  { operation: 'filament getLabel', field: 'filamentId', kind: 'Filament', at: `GET /filaments/${ID}/label` },
  { operation: 'order getLabel', field: 'orderId', kind: 'Order', at: `GET /print-jobs/${ID}/label` },
  { operation: 'invoice getPdf', field: 'invoiceId', kind: 'Invoice', at: `GET /invoices/${ID}/pdf` },
  { operation: 'filament getLedger', field: 'filamentId', kind: 'Filament', at: `GET /filaments/${ID}/ledger` },
  {
    operation: 'filament stocktake',
    field: 'filamentId',
    kind: 'Filament',
    at: `POST /filaments/${ID}/stocktake`,
    more: { remainingGrams: 1 },
  },
  {
    operation: 'filament undo',
    field: 'filamentId',
    kind: 'Filament',
    at: `POST /filaments/${ID}/ledger/${OTHER}/undo`,
    more: { entryId: OTHER },
  },
  {
    operation: 'filament update',
    field: 'filamentId',
    kind: 'Filament',
    at: `PUT /filaments/${ID}`,
    more: { updateFields: { name: 'x' } },
  },
  {
    operation: 'webhook newSecret',
    field: 'subscriptionId',
    kind: 'Webhook',
    at: `POST /webhook-subscriptions/${ID}/secret`,
  },
  { operation: 'webhook get', field: 'subscriptionId', kind: 'Webhook', at: `GET /webhook-subscriptions/${ID}` },
  { operation: 'webhook delete', field: 'subscriptionId', kind: 'Webhook', at: `DELETE /webhook-subscriptions/${ID}` },
  {
    operation: 'webhook sendTest',
    field: 'subscriptionId',
    kind: 'Webhook',
    at: `POST /webhook-subscriptions/${ID}/test`,
  },
  {
    operation: 'webhook getDeliveries',
    field: 'subscriptionId',
    kind: 'Webhook',
    at: `GET /webhook-subscriptions/${ID}/deliveries`,
  },
  {
    operation: 'webhook update',
    field: 'subscriptionId',
    kind: 'Webhook',
    at: `PUT /webhook-subscriptions/${ID}`,
    more: { updateFields: { name: 'x' } },
  },
  {
    operation: 'webhook resend',
    field: 'subscriptionId',
    kind: 'Webhook',
    at: `POST /webhook-subscriptions/${ID}/deliveries/${OTHER}/resend`,
    more: { deliveryId: OTHER },
  },
  {
    operation: 'event getAll',
    field: 'subscriptionId',
    kind: 'Webhook',
    at: `GET /webhook-subscriptions/${ID}/events`,
    more: { source: 'webhook' },
  },
  { operation: 'lead get', field: 'leadId', kind: 'Lead', at: `GET /leads/${ID}` },
  { operation: 'invoice get', field: 'invoiceId', kind: 'Invoice', at: `GET /invoices/${ID}` },
];

/** Of a request for many orders. */
const resultsOf = (body: Record<string, unknown> | undefined) =>
  ((body?.ids ?? []) as string[]).map((id) => ({ id, status: 200 }));

describe('the locators of the node', () => {
  let fake: FakeServer;
  let n8n: Farm;

  beforeAll(async () => {
    fake = await startFakeServer();
    n8n = await createHarness({ baseUrl: fake.baseUrl, accessToken: 'pat_x' });
  });
  beforeEach(() => {
    fake.answerWith(({ method, path, headers, body }) =>
      /(label|pdf)$/.test(path)
        ? { headers: { 'content-type': headers.accept }, body: 'a file' }
        : method === 'DELETE'
          ? { status: 204 }
          : { body: { id: ID, items: [{ id: ID }], total: 1, secret: 'whsec_x', results: resultsOf(body) } },
    );
  });
  afterAll(async () => {
    await fake.stop();
  });

  const asked = () => fake.seen.map(({ method, path: where }) => `${method} ${where}`);

  test('covers all operations on one record', () => {
    const { properties } = n8n.typeOf(TYPE).description;
    const operations = properties
      .filter(({ name }) => name === 'operation')
      .flatMap(({ options = [], displayOptions }) =>
        (options as { value: string }[]).map(({ value }) => `${displayOptions?.show?.resource?.[0]} ${value}`),
      );
    const asking = operations.filter((operation) => {
      const [resource = '', name = ''] = operation.split(' ');
      return fieldsOf(properties, resource, name).some(({ type }) => type === 'resourceLocator');
    });
    expect(asking.sort()).toEqual(LOCATED.map(({ operation }) => operation).sort());
  });

  test.each(LOCATED)('$operation accepts every form in every mode', async (located) => {
    const { operation, field, at, more, kind, isShared } = located;
    const forms: string[] = [...ANY_KIND, ...(kind === 'Order' ? LABELS : [])].map(([, value]) => value);
    const modes = ['list', 'id', 'url', ...(kind === 'Order' ? ['label'] : [])];
    const items = forms.map((value) => ({ value }));
    for (const mode of modes) {
      await n8n.give(parametersOf(operation, { ...more, [field]: locatorFromItem('value', mode) }), { items });
    }
    await n8n.give(parametersOf(operation, { ...more, [field]: fromItem('value') }), { items });
    expect(asked()).toEqual(Array((isShared ? 1 : forms.length) * (modes.length + 1)).fill(at));
  });

  test.each(LOCATED)('$operation refuses text without an ID, naming field and item', async (located) => {
    const { operation, field, more, kind } = located;
    const values = [...NONSENSE.map(([, value]) => value as unknown), null, undefined, 17, { id: ID }];
    for (const value of values) {
      const error = await n8n.refusal(parametersOf(operation, { ...more, [field]: locatorFromItem('value') }), {
        items: [{ value }, { value: ID }] as IDataObject[],
      });
      expect(error.message).toMatch(new RegExp(`^${kind}: (it is empty|there is no ID in ".*") \\[item 0\\]$`, 's'));
      expect(error.description).toContain('Choose the ');
      expect(error.context.itemIndex).toBe(0);
    }
    expect(asked()).toEqual([]);
  });

  test('names the second of two items', async () => {
    const error = await n8n.refusal(
      { resource: 'order', operation: 'get', orderId: locatorFromItem('id') },
      { items: [{ id: ID }, { id: 'nonsense' }] },
    );
    expect(error.message).toBe('Order: there is no ID in "nonsense" [item 1]');
    expect(error.context.itemIndex).toBe(1);
  });

  test('shortens a long value in the message', async () => {
    const error = await n8n.refusal(
      { resource: 'order', operation: 'get', orderId: fromItem('id') },
      { items: [{ id: 'x'.repeat(5000) }] },
    );
    expect(error.message.length).toBeLessThan(150);
  });

  test('accepts every form of the order in Consume', async () => {
    const forms = [...ANY_KIND, ...LABELS].map(([, value]) => value);
    const parameters = { resource: 'filament', operation: 'consume', filamentId: ID, grams: 1 };
    await n8n.give(
      { ...parameters, orderId: locatorFromItem('value', 'label'), options: { printerId: OTHER } },
      { items: forms.map((value) => ({ value })) },
    );
    expect(fake.seen.map(({ body }) => body)).toEqual(forms.map(() => ({ grams: 1, order_id: ID, printer_id: OTHER })));
  });

  test.each(['orderId', 'printerId'])('reports an empty %s in Consume', async (name) => {
    const error = await n8n.refusal({
      resource: 'filament',
      operation: 'consume',
      filamentId: ID,
      grams: 1,
      ...(name === 'orderId'
        ? { orderId: locatorFromItem('nothing') }
        : { options: { [name]: locatorFromItem('nothing') } }),
    });
    expect(error.message).toBe(`${name === 'orderId' ? 'Order' : 'Printer'}: it is empty`);
    expect(asked()).toEqual([]);
  });

  test.each([
    ['update', 'updateFields'],
    ['setStatus', 'options'],
    ['create', 'additionalFields'],
  ])('order %s: reports a printer that an expression leaves undefined', async (operation, collection) => {
    const error = await n8n.refusal({
      resource: 'order',
      operation,
      orderId: ID,
      modelName: 'x',
      workflowStatus: 'printing',
      [collection]: { printerId: locatorFromItem('nothing') },
    });
    expect(error.message).toBe('Printer: it is empty');
    expect(asked()).toEqual([]);
  });

  test('refuses a printer filter without an ID', async () => {
    const error = await n8n.refusal({
      resource: 'order',
      operation: 'getAll',
      filters: { printerId: { __rl: true, mode: 'id', value: '={{ "../x" }}' } },
    });
    expect(error.message).toBe('Printer: there is no ID in "../x"');
    expect(asked()).toEqual([]);
  });

  test('refuses a group filter without an ID', async () => {
    const error = await n8n.refusal({
      resource: 'printer',
      operation: 'getAll',
      filters: { groupId: '={{ "hall 2" }}' },
    });
    expect(error.message).toBe('Farm Group: there is no ID in "hall 2"');
    expect(asked()).toEqual([]);
  });
});
