import type { IDataObject } from 'n8n-workflow';
import { pageOf, type Seen, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { createHarness, pauses } from '../../kit/n8n/harness.ts';
import { built, jsonOf } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

// The output, Batching, and the resources that are only read. The schema suite uses the real service.

const ID = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';

const fake = forSuite(startFakeServer);
const n8n = forSuite(() => createHarness({ baseUrl: fake.baseUrl, accessToken: 'pat_x' }));

const give = async (parameters: IDataObject, items: IDataObject[] = [{}]) =>
  jsonOf(await n8n.give(parameters, { items }));

const asked = () =>
  fake.seen.map(({ method, path, query }) => `${method} ${path}?${decodeURIComponent(String(query))}`);

describe('output', () => {
  const ORDER = { id: ID, model_name: 'Cup', price: 1250, customer_name: 'Ada', order_notes: 'x', created_at: 'now' };
  const update = { resource: 'order', operation: 'update', orderId: ID, updateFields: { orderNotes: 'x' } };
  const get = { resource: 'order', operation: 'get', orderId: ID };

  beforeEach(() => fake.answerWith(() => ({ body: ORDER })));

  test.each([
    ['a read', get],
    ['a write', update],
  ])('%s: simplified, raw or selected fields', async (_what, parameters) => {
    const [simplified] = await give(parameters);
    expect(simplified).toMatchObject({ id: ID, customer_name: 'Ada', price: 1250 });
    expect(simplified).not.toHaveProperty('order_notes');
    expect(await give({ ...parameters, output: 'raw' })).toEqual([ORDER]);
    const selected = { ...parameters, output: 'selected' };
    expect(await give({ ...selected, outputFields: ['id', 'order_notes'] })).toEqual([{ id: ID, order_notes: 'x' }]);
    // an expression may give a single text
    expect(await give({ ...selected, outputFields: '={{ "id, price" }}' })).toEqual([{ id: ID, price: 1250 }]);
  });

  test('reports unknown selected fields', async () => {
    const error = await n8n.refusal({ ...get, output: 'selected', outputFields: [] });
    expect(error.message).toContain('Fields: none is selected');
    for (const outputFields of [
      '={{ "id, model_name ,nope" }}',
      ['nope'],
      '={{ ["id", null] }}',
      '={{ ({ a: 1 }) }}',
    ]) {
      const typo = await n8n.refusal({ ...get, output: 'selected', outputFields });
      expect(typo.message).toMatch(/^Fields: ".+" is not a field/);
    }
    for (const outputFields of ['={{ ["id", " price "] }} ', ['id,price'], '["id","price"]'])
      expect(await give({ ...get, output: 'selected', outputFields })).toEqual([{ id: ID, price: 1250 }]);
  });
});

describe('leads and invoices', () => {
  const RECORDS = [{ id: ID, state: 'new', status: 'issued', lines: [] }];

  beforeEach(() => fake.answerWith((seen) => (seen.path.endsWith(ID) ? { body: RECORDS[0] } : pageOf(RECORDS, seen))));

  test.each([
    ['lead', 'leads', 'leadId', { state: 'answered', q: 'vase', orderId: ID }, `order_id=${ID}&q=vase&state=answered`],
    [
      'invoice',
      'invoices',
      'invoiceId',
      { status: 'review', q: 'Ada', orderId: ID },
      `order_id=${ID}&q=Ada&status=review`,
    ],
  ])('%s: Get, and Get Many with every filter', async (resource, segment, idName, filters, query) => {
    await give({ resource, operation: 'get', [idName]: { __rl: true, mode: 'id', value: ID } });
    const listed = await give({ resource, operation: 'getAll', limit: 5, filters, options: { sort: 'created_at' } });
    expect(asked()).toEqual([`GET /${segment}/${ID}?`, `GET /${segment}?${query}&sort=created_at&page=1&per_page=5`]);
    expect(listed).toHaveLength(1);
    expect(listed[0]).not.toHaveProperty('lines');
  });

  test('are listed with links to their console pages', async () => {
    fake.answerWith((seen) =>
      pageOf<object>(
        seen.path === '/leads'
          ? [{ id: ID, description: `${'A bracket '.repeat(10)}\nblack`, contact: 'Ada' }]
          : [
              { id: ID, number: '2026-1', customer_name: 'Vera', status: 'issued' },
              { id: ID, number: null, customer_name: 'Vera', status: 'draft' },
            ],
        seen,
      ),
    );
    const { listSearch } = n8n.typeOf('farmboard').methods ?? {};
    const search = (method: string) => listSearch?.[method]?.call(n8n.loadOptions(), 'x');
    expect((await search('searchLeads'))?.results).toEqual([
      { name: `${'A bracket '.repeat(6)}… · Ada`, value: ID, url: `${fake.origin}/console/requests/${ID}` },
    ]);
    expect((await search('searchInvoices'))?.results.map(({ name }) => name)).toEqual([
      '2026-1 · Vera · issued',
      'Draft · Vera',
    ]);
    expect(asked()[0]).toBe('GET /leads?q=x&page=1&per_page=50');
  });
});

describe('Event, Get Many', () => {
  const EVENT = { event: 'order.created', occurred_at: '2026-11-21T00:00:00.000Z', data: { id: ID } };
  const sent = (sequence: number) => ({
    sequence,
    delivery_id: `d${sequence}`,
    status: 'failed',
    error: 'timeout',
    event: EVENT,
  });
  const getAll = (parameters: IDataObject) => give({ resource: 'event', operation: 'getAll', limit: 9, ...parameters });
  const filters = { event: 'lead.created', occurredSince: '2026-11-21T00:00:00Z' };

  test('reads the event log with filters', async () => {
    fake.answerWith((seen) => pageOf([{ id: 'e1', ...EVENT }], seen));
    expect(await getAll({ filters: { ...filters, from: ID }, options: { sort: 'occurred_at' } })).toEqual([
      { id: 'e1', ...EVENT },
    ]);
    expect(asked()).toEqual([
      'GET /events?event=lead.created&occurred_since=2026-11-21T00:00:00.000Z' +
        `&from=${ID}&sort=occurred_at&page=1&per_page=9`,
    ]);
  });

  test('reads the numbered feed of a webhook, as the trigger outputs events', async () => {
    fake.answerWith((seen) => pageOf([sent(8), sent(9)], seen));
    const { event: _event, ...delivery } = sent(8);
    const given = await getAll({ source: 'webhook', subscriptionId: ID, afterSequence: 7 });
    expect(given).toHaveLength(2);
    expect(given[0]).toEqual({ ...EVENT, ...delivery, webhook_id: ID });
    expect(asked()).toEqual([`GET /webhook-subscriptions/${ID}/events?after=7&page=1&per_page=9`]);
  });

  test('reads missed events of this workflow’s subscriptions only', async () => {
    const instance = n8n.execution({}, { executionId: 'e' }).getInstanceId();
    const [own, other] = [`n8n:${instance}/w1/`, `n8n:${instance}/w2/`];
    const keys = [`${own}a`, null, other, undefined, `${own}b`];
    const subscriptions = keys.map((client_key, n) => ({ id: ID.replace(/.$/, String(n)), client_key }));
    fake.answerWith((seen: Seen) =>
      seen.path === '/webhook-subscriptions' ? pageOf(subscriptions, seen) : pageOf([sent(1)], seen),
    );
    const given = await getAll({ source: 'missed', filters });
    expect(given.map(({ webhook_id }) => webhook_id)).toEqual([subscriptions[0]?.id, subscriptions[4]?.id]);
    expect(await getAll({ source: 'missed', limit: 1 })).toHaveLength(1);
    expect(asked().slice(1, 3)).toEqual(
      [0, 4].map(
        (n) =>
          `GET /webhook-subscriptions/${subscriptions[n]?.id}/events?event=lead.created&occurred_since=2026-11-21T00:00:00.000Z&missed=true&page=1&per_page=9`,
      ),
    );
  });
});

describe('Batching', () => {
  const items = Array.from({ length: 5 }, () => ({}));
  const consume = (batch: IDataObject) => ({
    resource: 'filament',
    operation: 'consume',
    filamentId: ID,
    grams: '1',
    options: { batching: { batch } },
  });

  beforeEach(() => fake.answerWith(() => ({ body: { id: ID } })));

  test.each([
    [{ batchSize: 2, batchInterval: 700 }, [700, 700]],
    [{ batchSize: 1, batchInterval: 10 }, [10, 10, 10, 10]],
    [{ batchSize: 0, batchInterval: 10 }, [10, 10, 10, 10]],
    [{ batchSize: 5, batchInterval: 700 }, []],
    [{ batchSize: 2 }, [1000, 1000]],
    [{ batchSize: -1, batchInterval: 700 }, []],
    [{ batchSize: 2, batchInterval: 0 }, []],
  ])('%p pauses %p', async (batch, expected) => {
    expect(await give(consume(batch), items)).toHaveLength(5);
    expect(pauses).toEqual(expected);
  });
});

describe('values', () => {
  test('accepts statuses by name', async () => {
    fake.answerWith((seen) => (seen.method === 'PUT' ? { body: { id: ID } } : pageOf([], seen)));
    for (const workflowStatus of ['Print Error', 'print error', ' PRINT_ERROR ', 'print-error']) {
      await give({ resource: 'order', operation: 'setStatus', orderId: ID, workflowStatus });
    }
    await give({ resource: 'order', operation: 'update', orderId: ID, updateFields: { workflowStatus: 'Done' } });
    expect(fake.seen.map(({ body }) => body?.workflow_status)).toEqual([...Array(4).fill('print_error'), 'done']);
    const filters = { workflowStatus: ['Printing', 'done'] };
    await give({ resource: 'order', operation: 'getAll', filters });
    expect(fake.seen.at(-1)?.query.getAll('workflow_status')).toEqual(['printing', 'done']);
  });

  test.each([
    [
      { operation: 'getAll', filters: { workflowStatus: ['packed'] } },
      /^Workflow Statuses: "packed" is not a/,
      /packing/,
    ],
    [{ operation: 'create', modelName: '={{ undefined }}' }, /^Model Name: it is empty/, /expression/],
    [{ operation: 'create', modelName: 'x', additionalFields: { price: 12.5 } }, /^Price: 12.5 is not a whole/, /1250/],
    [
      { operation: 'create', modelName: 'x', additionalFields: { quantityPieces: 1.5 } },
      /^Quantity: 1.5 is not/,
      /whole/,
    ],
  ] as [IDataObject, RegExp, RegExp][])('explains %p before sending', async (parameters, what, way) => {
    fake.answerWith((seen) => pageOf([], seen));
    const error = await n8n.refusal({ resource: 'order', ...parameters });
    expect(error.message).toMatch(what);
    expect(error.description).toMatch(way);
    expect(fake.seen).toEqual([]);
  });

  test('uses the vocabulary’s status names', () => {
    const { toStatus, STATUS_NAMES } = built<{
      toStatus(value: unknown): string;
      STATUS_NAMES: Map<string, string>;
    }>('nodes/Farmboard/shared/vocabulary');
    for (const [value, name] of STATUS_NAMES) expect(toStatus(name)).toBe(value);
    expect(toStatus('packed')).toBe('packed');
  });
});
