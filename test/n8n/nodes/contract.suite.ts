import type { IDataObject } from 'n8n-workflow';
import { DEFAULT_EVENTS, type Listed, type Printer } from '../../kit/farm.ts';
import { openForm, sendForm, waitUntilAccepted } from '../../kit/leads.ts';
import { passOn, type Seen, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { TYPE } from '../../kit/n8n/harness.ts';
import { built, fieldsOf, namesIn, OPERATIONS, startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';
import { issueInvoice, openSeller } from '../../kit/payments.ts';

const { WORKFLOW_STATUSES, EVENTS, EVENT_NAMES } = built<{
  WORKFLOW_STATUSES: { value: string }[];
  EVENTS: { value: string }[];
  EVENT_NAMES: string[];
}>('nodes/Farmboard/shared/vocabulary');

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
}
interface Documented {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, Schema> };
}

const fake = forSuite(startFakeServer);
const rig = forSuite(() => startRig(fake.baseUrl));
let document: Document;

beforeAll(() => {
  document = rig.farm.client.document as unknown as Document;
});
beforeEach(() => fake.answerWith((seen) => passOn(rig.farm.service.origin, seen)));

function resolve(schema: Schema | undefined): Schema {
  if (!schema?.$ref) return schema ?? {};
  return resolve(document.components.schemas[schema.$ref.split('/').at(-1) as string]);
}

function documentedOf(method: string, path: string): { template: string; documented: Documented } {
  const wanted = path.split('/');
  for (const [template, methods] of Object.entries(document.paths)) {
    const parts = template.split('/');
    const fits = parts.length === wanted.length && parts.every((part, i) => part.startsWith('{') || part === wanted[i]);
    const documented = methods[method.toLowerCase()];
    if (fits && documented) return { template, documented };
  }
  throw new Error(`${method} ${path} is not in the document`);
}

const namesOf = (documented: Documented, place: string): string[] =>
  (documented.parameters ?? []).filter((one) => one.in === place).map(({ name }) => name);

function propertyNames(schema: Schema | undefined): string[] {
  const { properties, anyOf = [] } = resolve(schema);
  return [...Object.keys(properties ?? {}), ...anyOf.flatMap(propertyNames)];
}

const bodyNamesOf = (documented: Documented): string[] =>
  propertyNames(documented.requestBody?.content['application/json']?.schema);

/** Headers that n8n or HTTP adds to every request, and those that any request may have. */
const COMMON_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
]);

/** @throws Error naming whatever is not in the document */
function check({ method, path, query, headers, body }: Seen): string {
  const { template, documented } = documentedOf(method, path);
  const where = `${method} ${template}`;
  const known = {
    query: namesOf(documented, 'query'),
    header: namesOf(documented, 'header').map((name) => name.toLowerCase()),
    body: bodyNamesOf(documented),
  };
  const sent = {
    query: [...new Set(query.keys())],
    // the service ignores keys on PUT and DELETE
    header: Object.keys(headers).filter(
      (name) => !COMMON_HEADERS.has(name) && !(name === 'idempotency-key' && method !== 'POST'),
    ),
    body: Object.keys(body ?? {}),
  };
  for (const place of ['query', 'header', 'body'] as const) {
    const unknown = sent[place].filter((name) => !known[place].includes(name));
    if (unknown.length > 0) throw new Error(`${where}: the document has no ${place} ${unknown.join(', ')}`);
  }
  if (method === 'POST' && !known.header.includes('idempotency-key'))
    throw new Error(`${where} heeds no Idempotency-Key`);
  return where;
}

/** Every operation with all of its fields. */
async function everything(): Promise<[string, IDataObject][]> {
  const [printer] = await rig.farm.printers();
  const { id: printerId, group_id: groupId } = printer as Printer;
  const { id: orderId } = await rig.farm.order();
  const { id: doomed } = await rig.farm.order();
  const { id: filamentId } = await rig.farm.filament({ spool_count: 3 });
  const subscription = async (name: string) => {
    const body = { url: 'http://127.0.0.1:9/hook', events: DEFAULT_EVENTS, name };
    return (await rig.farm.client.post<{ id: string }>('/webhook-subscriptions', body)).body.id;
  };
  const subscriptionId = await subscription('one');
  const test = `/webhook-subscriptions/${subscriptionId}/test`;
  const deliveryId = (await rig.farm.client.post<{ id: string }>(test)).body.id;
  const owner = await rig.farm.console();
  await owner.put('/profile', { slug: 'contract-farm', is_public: true, headline: 'Contract farm' });
  const form = await openForm(rig.farm.service.origin, 'contract-farm');
  await waitUntilAccepted(form);
  await sendForm(rig.farm.service.origin, form);
  const leadId = (await rig.farm.client.get<Listed<{ id: string }>>('/leads')).body.items[0]?.id;
  const [event] = (await rig.farm.client.get<Listed<{ id: string }>>('/events')).body.items;
  const lines = [{ description: 'Bracket', quantity: 1, unit_price: 100 }];
  const invoiceId = (await owner.post<{ id: string }>('/invoices', { customer_name: 'Vera', lines })).body.id;
  const { id: used } = await rig.farm.filament({ spool_count: 1 });
  await rig.farm.client.post(`/filaments/${used}/consume`, { grams: 1 });
  const [entry] = (await rig.farm.client.get<Listed<{ id: string }>>(`/filaments/${used}/ledger`)).body.items;
  const { id: spare } = await rig.farm.filament({ spool_count: 1 });
  const [spareBatch] = (await rig.farm.client.get<Listed<{ id: string }>>(`/filaments/${spare}/batches`)).body.items;
  const filamentFields = {
    brand: 'b',
    colors: '#000000,#FFFFFF',
    isGradient: true,
    lowStockThresholdGrams: 1,
    spoolWeightGrams: 900,
    typeName: 'PLA',
  };
  const mapped = {
    model_name: 'x',
    quantity_pieces: 1,
    material_name: 'PLA',
    color_hex: '#112233',
    material_grams: 1,
    print_hours: 1,
    due_date: '2027-01-02',
    order_notes: 'c',
    printer_id: printerId,
    customer_name: 'b',
    customer_contact: 'a',
    price: 1,
    currency: 'EUR',
  };
  const seller = await openSeller(rig.farm.service, rig.farm.email);
  const { id: issuedId } = await issueInvoice(seller, { customer_name: 'Vera', lines });
  const etagOf = async (id: string) => (await rig.farm.client.get(`/print-jobs/${id}`)).headers.get('etag');
  const locator = (value: string) => ({ __rl: true, mode: 'list', value });
  const orderFields = {
    colorHex: '#112233',
    currency: 'EUR',
    customerContact: 'a',
    customerName: 'b',
    dueDate: '2027-01-02',
    materialGrams: 1,
    materialName: 'PLA',
    orderNotes: 'c',
    price: 1,
    printHours: 1,
    printerId: locator(printerId),
    quantityPieces: 1,
    workflowStatus: 'confirmed',
  };
  const list = { returnAll: true, options: { sort: 'created_at' } };
  return [
    ['order get', { orderId, output: 'raw', options: { includeEtag: true } }],
    [
      'order getAll',
      {
        ...list,
        output: 'raw',
        filters: {
          createdBefore: '2028-01-01T00:00:00Z',
          createdSince: '2026-01-01T00:00:00Z',
          customerName: 'x',
          dueAfter: '2026-01-01',
          dueBefore: '2028-01-01',
          externalId: 'x',
          id: [orderId],
          includeClosed: true,
          materialName: 'x',
          printerId: locator(printerId),
          q: 'x',
          source: 'x',
          updatedSince: '2026-01-01T00:00:00Z',
          workflowStatus: ['printing', 'done'],
        },
      },
    ],
    ['order getLabel', { orderId, format: 'png', binaryPropertyName: 'data' }],
    ['order getHistory', { orderId, returnAll: true }],
    [
      'order create',
      {
        modelName: 'x',
        additionalFields: {
          ...orderFields,
          externalId: '17',
          externalUpdatedAt: '2026-01-01T00:00:00Z',
          source: 'elsewhere',
        },
        options: { idempotencyKey: 'k1' },
      },
    ],
    [
      'order createOrUpdate',
      {
        source: 'shop',
        externalId: '17',
        externalUpdatedAt: '2026-01-01T00:00:00Z',
        fields: { mappingMode: 'defineBelow', value: mapped, matchingColumns: [], schema: [] },
      },
    ],
    [
      'order update',
      { orderId, updateFields: { ...orderFields, modelName: 'y' }, options: { ifMatch: await etagOf(orderId) } },
    ],
    ['order setStatusInBulk', { orderId, workflowStatus: 'printing', options: { printerId: locator(printerId) } }],
    [
      'order setStatus',
      {
        orderId,
        workflowStatus: 'printing',
        options: { orderNotes: 'd', printerId: locator(printerId), ifMatch: '*' },
      },
    ],
    ['order delete', { orderId: doomed, options: { ifMatch: await etagOf(doomed) } }],
    ['printer get', { printerId, output: 'raw' }],
    ['printer getAll', { ...list, output: 'raw', filters: { groupId } }],
    ['filament get', { filamentId, output: 'raw', options: { includeEtag: true } }],
    ['filament getLabel', { filamentId, format: 'svg', binaryPropertyName: 'data' }],
    ['filament getBatches', { filamentId, returnAll: true }],
    ['filament getLedger', { filamentId, returnAll: true }],
    [
      'filament create',
      {
        name: 'x',
        additionalFields: { ...filamentFields, receivedAt: '2026-01-01T00:00:00Z', spoolCount: 1, spoolPrice: 1 },
        options: { idempotencyKey: 'k5' },
      },
    ],
    [
      'filament update',
      { filamentId: spare, updateFields: { ...filamentFields, name: 'y' }, options: { ifMatch: '*' } },
    ],
    ['filament undo', { filamentId: used, entryId: entry?.id, options: { note: 'n' } }],
    [
      'filament stocktake',
      {
        filamentId: spare,
        remainingGrams: 1,
        options: { batchId: spareBatch?.id, idempotencyKey: 'k6', note: 'n' },
      },
    ],
    ['farm getSummary', {}],
    ['lead get', { leadId }],
    ['lead getAll', { ...list, filters: { orderId, q: 'x', state: 'new' } }],
    ['invoice get', { invoiceId }],
    ['invoice getPdf', { invoiceId: issuedId, binaryPropertyName: 'data' }],
    ['invoice getAll', { ...list, filters: { orderId, q: 'x', status: 'paid' } }],
    [
      'event getAll',
      {
        returnAll: true,
        filters: { event: 'order.created', from: event?.id, occurredSince: '2026-01-01T00:00:00Z' },
        options: { sort: 'occurred_at' },
      },
    ],
    ['filament getAll', { ...list, output: 'raw', filters: { lowStock: false, q: 'x' } }],
    [
      'filament consume',
      {
        filamentId,
        grams: 1,
        options: {
          allowOverdraw: true,
          idempotencyKey: 'k2',
          note: 'n',
          orderId: locator(orderId),
          printerId: locator(printerId),
        },
      },
    ],
    [
      'filament addBatch',
      {
        filamentId,
        spoolCount: 1,
        additionalFields: { receivedAt: '2026-01-01T00:00:00Z', spoolPrice: 1 },
        options: { idempotencyKey: 'k3' },
      },
    ],
    ['webhook get', { subscriptionId }],
    ['webhook getAll', { returnAll: true }],
    [
      'webhook create',
      {
        url: 'http://127.0.0.1:9/hook',
        events: EVENT_NAMES,
        additionalFields: { enabled: true, format: 'slack', name: 'n' },
        options: { idempotencyKey: 'k4' },
      },
    ],
    [
      'webhook update',
      {
        subscriptionId,
        updateFields: { enabled: true, events: EVENT_NAMES, name: 'n', url: 'http://127.0.0.1:9/other' },
      },
    ],
    ['webhook newSecret', { subscriptionId, options: { overlapHours: 24 } }],
    ['webhook resend', { subscriptionId, deliveryId }],
    ['webhook sendTest', { subscriptionId }],
    ['webhook getDeliveries', { subscriptionId }],
    ['webhook delete', { subscriptionId: await subscription('two') }],
  ];
}

test('sends documented requests that the service accepts, in every operation', async () => {
  const operations = await everything();
  const { properties } = rig.n8n.typeOf(TYPE).description;
  expect(operations.map(([name]) => name).sort()).toEqual(Object.keys(OPERATIONS));

  for (const [name, parameters] of operations) {
    const [resource = '', operation = ''] = name.split(' ');
    // the table above must have every field, or new fields of a collection would go untested
    for (const { name: field, type } of fieldsOf(properties, resource, operation)) {
      if (type !== 'collection' || field === 'options') continue;
      expect([name, Object.keys(parameters[field] as object).sort()]).toEqual([
        name,
        namesIn(rig.n8n, resource, operation, field),
      ]);
    }
    fake.seen.length = 0;
    await rig.n8n.give({ resource, operation, ...parameters });
    expect(fake.seen.map(check)).toEqual([OPERATIONS[name]?.request]);
  }
});

test('detects undocumented members', () => {
  const seen = (more: Partial<Seen>): Seen => ({
    method: 'GET',
    path: '/printers',
    query: new URLSearchParams(),
    headers: {},
    body: undefined,
    target: '',
    raw: Buffer.alloc(0),
    ...more,
  });
  expect(check(seen({}))).toBe('GET /printers');
  expect(() => check(seen({ path: '/printer' }))).toThrow('not in the document');
  expect(() => check(seen({ method: 'POST' }))).toThrow('not in the document');
  expect(() => check(seen({ query: new URLSearchParams({ grup_id: 'x' }) }))).toThrow('no query grup_id');
  expect(() => check(seen({ headers: { 'x-own': '1' } }))).toThrow('no header x-own');
  expect(() => check(seen({ method: 'POST', path: '/print-jobs', body: { model: 'x' } }))).toThrow('no body model');
});

describe('vocabulary of the service', () => {
  const propertyOf = (schema: string, name: string): Schema => {
    const found = resolve(document.components.schemas[schema]).properties?.[name];
    if (!found) throw new Error(`${schema} has no ${name}`);
    return found;
  };
  const sorted = (values: string[] | undefined) => [...(values ?? [])].sort();
  const queryEnum = (path: string, name: string) =>
    document.paths[path]?.get?.parameters?.find((one) => one.name === name)?.schema.enum;

  /** The values of a choice, wherever the node offers it: at the top or in a collection. */
  function offered(resource: string, operation: string, field: string): string[] {
    const fields = fieldsOf(rig.n8n.typeOf(TYPE).description.properties, resource, operation);
    const all = fields.flatMap((one) => (one.type === 'collection' ? (one.options as typeof fields) : [one]));
    const found = all.find(({ name }) => name === field);
    return ((found?.options ?? []) as { value: string }[]).map(({ value }) => value).sort();
  }

  test('lists exactly the statuses', () => {
    const statuses = sorted(propertyOf('Order', 'workflow_status').enum);
    expect(statuses).toHaveLength(10);
    expect(sorted(WORKFLOW_STATUSES.map(({ value }) => value))).toEqual(statuses);
    for (const operation of ['create', 'update', 'setStatus', 'getAll']) {
      expect(offered('order', operation, 'workflowStatus')).toEqual(statuses);
    }
  });

  test('lists exactly the events of subscriptions', () => {
    const events = sorted(propertyOf('WebhookSubscription', 'events').items?.enum);
    expect(sorted(EVENTS.map(({ value }) => value))).toEqual(events);
    expect(sorted(EVENT_NAMES)).toEqual(events);
    for (const operation of ['create', 'update']) expect(offered('webhook', operation, 'events')).toEqual(events);
  });

  test('lists exactly the subscription formats', () => {
    expect(offered('webhook', 'create', 'format')).toEqual(sorted(propertyOf('WebhookSubscription', 'format').enum));
  });

  test.each([
    ['order', '/print-jobs'],
    ['printer', '/printers'],
    ['filament', '/filaments'],
    ['lead', '/leads'],
    ['invoice', '/invoices'],
    ['event', '/events'],
  ])('lists exactly the sort orders of %ss', (resource, path) => {
    const sorts = sorted(queryEnum(path, 'sort'));
    expect(sorts.length).toBeGreaterThan(1);
    expect(offered(resource, 'getAll', 'sort')).toEqual(sorts);
  });

  test('offers exactly the filters of each list', () => {
    const paging = ['page', 'per_page', 'cursor', 'sort'];
    const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    for (const [resource, path] of [
      ['order', '/print-jobs'],
      ['printer', '/printers'],
      ['filament', '/filaments'],
      ['lead', '/leads'],
      ['invoice', '/invoices'],
      ['event', '/events'],
    ] as const) {
      const documented = document.paths[path]?.get as Documented;
      const filters = namesOf(documented, 'query').filter((name) => !paging.includes(name));
      expect(namesIn(rig.n8n, resource, 'getAll', 'filters').map(toSnake).sort()).toEqual(filters.sort());
    }
  });

  test('offers every writable order field', () => {
    const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const writable = bodyNamesOf(document.paths['/print-jobs/{id}']?.put as Documented).sort();
    expect(namesIn(rig.n8n, 'order', 'update', 'updateFields').map(toSnake).sort()).toEqual(writable);
    const creatable = [...namesIn(rig.n8n, 'order', 'create', 'additionalFields').map(toSnake), 'model_name'].sort();
    expect(creatable).toEqual(bodyNamesOf(document.paths['/print-jobs']?.post as Documented).sort());
  });

  test.each([
    ['order', 'ORDER', 'Order'],
    ['printer', 'PRINTER_RECORD', 'Printer'],
    ['filament', 'FILAMENT', 'Filament'],
    ['lead', 'LEAD', 'Lead'],
    ['invoice', 'INVOICE', 'InvoiceDetail'],
    ['invoice', 'LISTED_INVOICE', 'Invoice'],
  ])('simplifies %s, %s to fewer fields, each one of the record', (resource, name, schema) => {
    const records = built<Record<string, { all: string[]; simplified: string[] }>>(
      `nodes/Farmboard/resources/${resource}/fields`,
    );
    const { all = [], simplified = [] } = records[name] ?? {};
    expect(simplified[0]).toBe('id');
    expect(simplified.length).toBeLessThan(all.length);
    for (const field of [...all, ...simplified]) expect(propertyOf(schema, field)).toBeDefined();
  });

  test('reads the list of groups for dropdowns', () => {
    expect(document.paths['/printer-groups']?.get).toBeDefined();
    expect(propertyOf('PrinterGroup', 'name')).toBeDefined();
  });

  test('limits keys to the service’s maximum length', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    fake.seen.length = 0;
    await rig.n8n.give({ resource: 'filament', operation: 'consume', filamentId: id, grams: 1 });
    expect(String(fake.seen[0]?.headers['idempotency-key']).length).toBeLessThanOrEqual(128);
  });
});
