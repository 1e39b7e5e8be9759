import type { IDataObject } from 'n8n-workflow';
import { type Listed, type Order, type Printer, STATUS_NAMES, UNKNOWN_ID } from '../../kit/farm.ts';
import { fromItem, jsonOf, locatorFromItem, namesIn, openResource, sourcesOf } from '../../kit/n8n/rig.ts';

const SIMPLE = [
  'id',
  'model_name',
  'workflow_status',
  'due_date',
  'quantity_pieces',
  'material_name',
  'color_hex',
  'material_grams',
  'printer_id',
  'printer_name',
  'print_hours',
  'customer_name',
  'price',
  'currency',
];

const { fake, rig, give, refusal } = openResource('order');
let printers: Printer[];

beforeAll(async () => {
  printers = await rig.farm.printers();
});

const read = async (id: unknown): Promise<Order & IDataObject> =>
  (await rig.farm.client.get<Order & IDataObject>(`/print-jobs/${id}`)).body;

const threeOrders = (fields: Record<string, unknown> = {}) =>
  Promise.all(['A', 'B', 'C'].map((model_name) => rig.farm.order({ model_name, ...fields })));

interface WritableField {
  given: unknown;
  name: string;
  /** if Farmboard stores another value */
  sent?: number;
  stored: unknown;
}

/** A different value for every writable field, as given to the node and as stored. */
const writable = (printerId: string): Record<string, WritableField> => ({
  colorHex: { given: '#1E90FF', name: 'color_hex', stored: '#1E90FF' },
  currency: { given: 'EUR', name: 'currency', stored: 'EUR' },
  customerContact: { given: 'nathan@example.com', name: 'customer_contact', stored: 'nathan@example.com' },
  customerName: { given: 'Nathan Smith', name: 'customer_name', stored: 'Nathan Smith' },
  externalId: { given: 5001, name: 'external_id', stored: '5001' },
  externalUpdatedAt: {
    given: '2026-11-01T10:00:00+01:00',
    name: 'external_updated_at',
    stored: '2026-11-01T09:00:00.000Z',
  },
  source: { given: 'shopify', name: 'source', stored: 'shopify' },
  dueDate: { given: '2027-03-04T00:00:00', name: 'due_date', stored: '2027-03-04' },
  materialGrams: { given: 1.0005, name: 'material_grams', sent: 1.0005, stored: 1.001 },
  materialName: { given: 'PETG', name: 'material_name', stored: 'PETG' },
  modelName: {
    given: 'Wall bracket, ü "quoted" 第二行',
    name: 'model_name',
    stored: 'Wall bracket, ü "quoted" 第二行',
  },
  orderNotes: { given: 'Mind the overhang.', name: 'order_notes', stored: 'Mind the overhang.' },
  price: { given: 1249.9999999999998, name: 'price', stored: 1250 },
  printHours: { given: '2.5009', name: 'print_hours', sent: 2.5009, stored: 2.501 },
  printerId: { given: { __rl: true, mode: 'list', value: printerId }, name: 'printer_id', stored: printerId },
  quantityPieces: { given: '7.000000000000001', name: 'quantity_pieces', stored: 7 },
  workflowStatus: { given: 'confirmed', name: 'workflow_status', stored: 'confirmed' },
});

const pick = <T>(record: Record<string, T>, names: string[]): Record<string, T> =>
  Object.fromEntries(names.map((name) => [name, record[name] as T]));

describe('create', () => {
  test('writes every field and returns the stored record', async () => {
    const all = writable((printers[0] as Printer).id);
    const names = namesIn(rig.n8n, 'order', 'create', 'additionalFields');
    expect(names).toEqual(
      Object.keys(all)
        .filter((name) => name !== 'modelName')
        .sort(),
    );
    const additionalFields = Object.fromEntries(names.map((name) => [name, all[name]?.given]));
    const [created] = await give('create', { modelName: 'Bracket', additionalFields: additionalFields as IDataObject });
    const expected = Object.fromEntries(names.map((name) => [all[name]?.name, all[name]?.stored]));
    expect(created?.json).toMatchObject({ ...expected, model_name: 'Bracket' });
    expect(created?.json).toEqual(await read(created?.json.id));
  });

  test('sends only given values', async () => {
    await give('create', { modelName: 'Bare' });
    expect(fake.seen.map(({ body }) => body)).toEqual([{ model_name: 'Bare' }]);
  });

  test('creates an order from the values of every item', async () => {
    const items = [
      { name: 'One', pieces: 1 },
      { name: 'Two', pieces: 2 },
      { name: 'Three', pieces: 3 },
    ];
    const created = await give(
      'create',
      { modelName: fromItem('name'), additionalFields: { quantityPieces: fromItem('pieces') } },
      items,
    );
    expect(jsonOf(created).map(({ model_name, quantity_pieces }) => [model_name, quantity_pieces])).toEqual([
      ['One', 1],
      ['Two', 2],
      ['Three', 3],
    ]);
    expect(sourcesOf(created)).toEqual([0, 1, 2]);
    expect(new Set(jsonOf(created).map(({ id }) => id)).size).toBe(3);
  });

  test.each([
    ['luxon', '={{ DateTime.fromISO("2027-05-06T23:30:00-08:00", { setZone: true }) }}'],
    ['a time with a zone', '2027-05-06T23:30:00-08:00'],
    ['the day', '2027-05-06'],
  ])('takes the due date as written: %s', async (_what, dueDate) => {
    const [created] = await give('create', { modelName: 'Due', additionalFields: { dueDate } });
    expect(created?.json.due_date).toBe('2027-05-06');
  });

  test.each([
    ['dueDate', 'next week', 'Due Date: "next week" is not a date'],
    ['materialGrams', 'much', 'Material Grams: "much" is not a number'],
    ['price', '12,50', 'Price: "12,50" is not a number'],
    ['printHours', '', 'Print Hours: it is empty'],
    ['quantityPieces', null, 'Quantity: it is empty'],
  ])('names the field for %s %p and sends nothing', async (name, value, message) => {
    const error = await refusal('create', { modelName: 'x', additionalFields: { [name]: fromItem('v') } }, [
      { v: value as string },
    ]);
    expect(error.message).toBe(message);
    expect(error.description).toMatch(/^Enter /);
    expect(fake.seen).toEqual([]);
  });
});

describe('get', () => {
  test('reads the order of every item, simplified by default', async () => {
    const orders = await threeOrders({ printer_id: (printers[0] as Printer).id });
    const output = await give(
      'get',
      { orderId: locatorFromItem('id') },
      orders.map(({ id }) => ({ id })),
    );
    expect(jsonOf(output)).toEqual(await Promise.all(orders.map(async ({ id }) => pick(await read(id), SIMPLE))));
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
    expect(Object.keys(output[0]?.json ?? {})).toEqual(SIMPLE);
  });

  test('reads by a scanned label', async () => {
    const { id } = await rig.farm.order();
    const [output] = await give('get', { orderId: { __rl: true, mode: 'label', value: `ORDER-${id}` } });
    expect(output?.json.id).toBe(id);
  });

  test('returns the raw record on request', async () => {
    const { id } = await rig.farm.order({ customer_name: 'Nathan Smith' });
    const [output] = await give('get', { orderId: id, output: 'raw' });
    expect(output?.json).toEqual(await read(id));
    expect(output?.json.customer_name).toBe('Nathan Smith');
  });

  test.each(['simplified', 'raw'])('adds the ETag of the version with Include ETag (%p)', async (output) => {
    const { id } = await rig.farm.order();
    const { headers } = await rig.farm.client.get(`/print-jobs/${id}`);
    const [withEtag] = await give('get', { orderId: id, output, options: { includeEtag: true } });
    expect(withEtag?.json.etag).toBe(headers.get('etag'));
    const [without] = await give('get', { orderId: id, output });
    expect(without?.json).not.toHaveProperty('etag');
  });
});

describe('getAll', () => {
  const parametersOf = (filters: IDataObject, options: IDataObject = {}): IDataObject => ({
    returnAll: true,
    filters,
    options,
  });

  test('pairs every output item to its input', async () => {
    const marks = ['three-a', 'three-b', 'three-c'];
    for (const [index, mark] of marks.entries()) {
      for (let n = 0; n <= index; n++) await rig.farm.order({ model_name: `${mark} ${n}` });
    }
    const output = await give(
      'getAll',
      parametersOf({ q: fromItem('mark') }),
      marks.map((mark) => ({ mark })),
    );
    expect(sourcesOf(output)).toEqual([0, 1, 1, 2, 2, 2]);
    expect(jsonOf(output).map(({ model_name }) => model_name)).toEqual([
      'three-a 0',
      'three-b 1',
      'three-b 0',
      'three-c 2',
      'three-c 1',
      'three-c 0',
    ]);
    for (const json of jsonOf(output)) expect(Object.keys(json)).toEqual(SIMPLE);
  });

  test('returns raw records on request', async () => {
    const { id } = await rig.farm.order({ model_name: 'raw-list', customer_contact: '+49 30 1' });
    const output = await give('getAll', { ...parametersOf({ q: 'raw-list' }), output: 'raw' });
    expect(jsonOf(output)).toEqual([await read(id)]);
  });

  test('sends and applies every filter', async () => {
    const printerId = (printers[1] as Printer).id;
    const fields = { customer_name: 'filter-probe', printer_id: printerId, material_name: 'PETG' };
    let last = 0;
    const order = (more: Record<string, unknown>) =>
      rig.farm.order({ ...fields, source: 'shop', external_id: String(++last), ...more });
    const wanted = await order({ due_date: '2031-05-05', workflow_status: 'packing' });
    await order({ due_date: '2031-05-04', workflow_status: 'packing' });
    await order({ due_date: '2031-05-06', workflow_status: 'packing' });
    await order({ due_date: '2031-05-05', workflow_status: 'confirmed' });
    await order({ due_date: '2031-05-05', workflow_status: 'packing', customer_name: 'other' });
    await order({ due_date: '2031-05-05', workflow_status: 'packing', printer_id: null });
    const closed = await order({ due_date: '2031-05-05', workflow_status: 'closed' });
    fake.seen.length = 0;

    const filters = {
      createdBefore: '2039-01-01T00:00:00Z',
      createdSince: '2026-01-01T00:00:00Z',
      customerName: 'filter-probe',
      dueAfter: '2031-05-04T00:00:00',
      dueBefore: '2031-05-06T00:00:00',
      includeClosed: true,
      materialName: 'PETG',
      printerId: { __rl: true, mode: 'id', value: printerId },
      q: 'filter-probe',
      source: 'shop',
      updatedSince: '2026-01-01T00:00:00Z',
      workflowStatus: ['packing', 'closed'],
    };
    expect([...Object.keys(filters), 'externalId', 'id'].sort()).toEqual(
      namesIn(rig.n8n, 'order', 'getAll', 'filters'),
    );
    const output = await give('getAll', parametersOf(filters, { sort: 'created_at' }));
    expect(jsonOf(output).map(({ id }) => id)).toEqual([wanted.id, closed.id]);
    expect([...(fake.seen[0]?.query ?? [])].sort()).toEqual(
      [
        ['created_before', '2039-01-01T00:00:00.000Z'],
        ['created_since', '2026-01-01T00:00:00.000Z'],
        ['customer_name', 'filter-probe'],
        ['due_after', '2031-05-04'],
        ['due_before', '2031-05-06'],
        ['include_closed', 'true'],
        ['material_name', 'PETG'],
        ['page', '1'],
        ['per_page', '200'],
        ['printer_id', printerId],
        ['q', 'filter-probe'],
        ['sort', 'created_at'],
        ['source', 'shop'],
        ['updated_since', '2026-01-01T00:00:00.000Z'],
        ['workflow_status', 'packing'],
        ['workflow_status', 'closed'],
      ].sort(),
    );
  });

  test('finds orders by their IDs, here and in a shop', async () => {
    const [one, other] = await threeOrders({ workflow_status: 'closed' });
    const byIds = await give('getAll', parametersOf({ id: fromItem('ids') }), [
      { ids: [one?.id, `ORDER-${other?.id}`] },
      { ids: `${one?.id}, ${other?.id}` },
    ] as IDataObject[]);
    expect(sourcesOf(byIds)).toEqual([0, 0, 1, 1]);
    expect(new Set(jsonOf(byIds).map(({ id }) => id))).toEqual(new Set([one?.id, other?.id]));
    await rig.farm.order({ source: 'shop', external_id: '77', model_name: 'From the shop' });
    const byExternalId = await give('getAll', parametersOf({ source: 'shop', externalId: fromItem('id') }), [
      { id: 77 },
    ]);
    expect(jsonOf(byExternalId).map(({ model_name }) => model_name)).toEqual(['From the shop']);
  });

  test.each([
    ['nonsense', 'IDs: there is no ID in "nonsense"'],
    [null, 'IDs: it is empty'],
  ])('refuses the IDs %j', async (ids, message) => {
    const error = await refusal('getAll', parametersOf({ id: fromItem('ids') }), [{ ids }] as IDataObject[]);
    expect(error.message).toBe(message);
    expect(fake.seen).toEqual([]);
  });

  test('reads Updated Since without a zone in the workflow’s time zone', async () => {
    const filters = { updatedSince: '2026-07-01T12:00:00' };
    await rig.n8n.give({ resource: 'order', operation: 'getAll', filters }, { timezone: 'Asia/Kolkata' });
    await rig.n8n.give({ resource: 'order', operation: 'getAll', filters }, { timezone: 'Europe/Berlin' });
    expect(fake.seen.map(({ query }) => query.get('updated_since'))).toEqual([
      '2026-07-01T06:30:00.000Z',
      '2026-07-01T10:00:00.000Z',
    ]);
  });

  test('accepts a luxon date as Updated Since', async () => {
    await give('getAll', { filters: { updatedSince: '={{ DateTime.fromISO("2026-07-01T12:00:00+02:00") }}' } });
    expect(fake.seen[0]?.query.get('updated_since')).toBe('2026-07-01T10:00:00.000Z');
  });

  test('ignores filters left at their defaults', async () => {
    await give('getAll', {
      filters: {
        createdBefore: '',
        createdSince: '',
        customerName: '',
        dueAfter: '',
        dueBefore: '',
        externalId: '',
        id: '',
        includeClosed: false,
        materialName: '',
        source: '',
        printerId: { __rl: true, mode: 'list', value: '' },
        q: '',
        updatedSince: '',
        workflowStatus: [],
      },
    });
    expect([...(fake.seen[0]?.query ?? [])]).toEqual([
      ['page', '1'],
      ['per_page', '50'],
    ]);
  });

  test('accepts a single status from an expression', async () => {
    const { id } = await rig.farm.order({ model_name: 'one-status', workflow_status: 'delivery' });
    await rig.farm.order({ model_name: 'one-status', workflow_status: 'done' });
    const output = await give('getAll', parametersOf({ q: 'one-status', workflowStatus: fromItem('status') }), [
      { status: 'delivery' },
    ]);
    expect(jsonOf(output).map((order) => order.id)).toEqual([id]);
  });

  test.each([
    ['Due After', 'dueAfter'],
    ['Due Before', 'dueBefore'],
    ['Printer', 'printerId'],
    ['Search', 'q'],
    ['Updated Since', 'updatedSince'],
    ['Workflow Statuses', 'workflowStatus'],
  ])('reports a filter that an expression leaves undefined: %s', async (displayName, name) => {
    const value = name === 'printerId' ? locatorFromItem('nothing') : fromItem('nothing');
    expect((await refusal('getAll', { filters: { [name]: value } })).message).toMatch(new RegExp(`^${displayName}: `));
    expect(fake.seen).toEqual([]);
  });

  test.each([
    ['dueAfter', 'soon', 'Due After: "soon" is not a date'],
    ['dueBefore', '32.01.2027', 'Due Before: "32.01.2027" is not a date'],
    ['updatedSince', 'lately', 'Updated Since: "lately" is not a time'],
  ])('names the field for %s %p and sends nothing', async (name, value, message) => {
    expect((await refusal('getAll', { filters: { [name]: `={{ "${value}" }}` } })).message).toBe(message);
    expect(fake.seen).toEqual([]);
  });
});

describe('update', () => {
  test('writes each field alone and keeps the others', async () => {
    const all = writable((printers[0] as Printer).id);
    const names = namesIn(rig.n8n, 'order', 'update', 'updateFields');
    const only = ['externalId', 'externalUpdatedAt', 'source'];
    expect([...names, ...only].sort()).toEqual(Object.keys(all).sort());
    for (const name of names) {
      const { given, name: apiName, sent, stored } = all[name] as WritableField;
      const before = await rig.farm.order();
      fake.seen.length = 0;
      const [output] = await give('update', { orderId: before.id, updateFields: { [name]: given } as IDataObject });
      expect(fake.seen.map(({ body }) => body)).toEqual([{ [apiName]: sent ?? stored }]);
      const after = await read(before.id);
      expect(output?.json).toEqual(after);
      const changed = { [apiName]: stored, updated_at: after.updated_at, printer_name: after.printer_name };
      expect(after).toEqual({ ...before, ...changed });
    }
  });

  test('updates the order of every item with its own values', async () => {
    const orders = await threeOrders();
    const output = await give(
      'update',
      { orderId: locatorFromItem('id'), updateFields: { orderNotes: fromItem('notes'), workflowStatus: 'assigned' } },
      orders.map(({ id }, index) => ({ id, notes: `note ${index}` })),
    );
    expect(jsonOf(output).map(({ id, order_notes }) => [id, order_notes])).toEqual(
      orders.map(({ id }, index) => [id, `note ${index}`]),
    );
    expect(jsonOf(output).map(({ workflow_status }) => workflow_status)).toEqual(['assigned', 'assigned', 'assigned']);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
  });

  test('clears a field where the description says so', async () => {
    const { id } = await rig.farm.order({
      currency: 'EUR',
      customer_contact: 'a',
      customer_name: 'b',
      order_notes: 'c',
      printer_id: (printers[0] as Printer).id,
    });
    const [output] = await give('update', {
      orderId: id,
      updateFields: {
        currency: '',
        customerContact: '',
        customerName: '',
        orderNotes: '',
        printerId: { __rl: true, mode: 'list', value: '' },
      },
    });
    expect(output?.json).toMatchObject({
      currency: null,
      customer_contact: null,
      customer_name: null,
      order_notes: '',
      printer_id: null,
      printer_name: null,
    });
  });

  test('accepts zero', async () => {
    const { id } = await rig.farm.order({ quantity_pieces: 5, price: 100, material_grams: 3 });
    const [output] = await give('update', {
      orderId: id,
      updateFields: { quantityPieces: 0, price: 0, materialGrams: 0 },
    });
    expect(output?.json).toMatchObject({ quantity_pieces: 0, price: 0, material_grams: 0 });
  });

  test('reports an update without fields', async () => {
    const error = await refusal('update', { orderId: UNKNOWN_ID });
    expect(error.message).toBe('Update Fields: there are none');
    expect(error.description).toBe('Add at least one field to change.');
    expect(fake.seen).toEqual([]);
  });

  test.each(['orderNotes', 'materialName', 'customerName', 'workflowStatus', 'modelName', 'colorHex'])(
    'reports a field that an expression leaves undefined: %s',
    async (name) => {
      const { id } = await rig.farm.order();
      fake.seen.length = 0;
      const error = await refusal('update', { orderId: id, updateFields: { [name]: fromItem('nothing') } });
      const words = name.replace('Hex', '').replace(/[A-Z]/g, (letter) => ` ${letter}`);
      expect(error.message.toLowerCase()).toMatch(new RegExp(`^${words.toLowerCase()}: `));
      expect(fake.seen).toEqual([]);
    },
  );
});

describe('setStatus', () => {
  test('moves the order of every item to its own status', async () => {
    const orders = await threeOrders();
    const statuses = ['assigned', 'printing', 'done'];
    const items = orders.map(({ id }, index) => ({ label: `ORDER-${id}`, status: statuses[index] as string }));
    const output = await give(
      'setStatus',
      { orderId: locatorFromItem('label', 'label'), workflowStatus: fromItem('status') },
      items,
    );
    expect(jsonOf(output).map(({ id, workflow_status }) => [id, workflow_status])).toEqual(
      orders.map(({ id }, index) => [id, statuses[index]]),
    );
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
  });

  test('writes every option', async () => {
    const { id } = await rig.farm.order();
    const ifMatch = (await rig.farm.client.get(`/print-jobs/${id}`)).headers.get('etag');
    const printerId = (printers[2] as Printer).id;
    const options = {
      batching: {},
      dryRun: false,
      ifMatch,
      orderNotes: 'On the left one.',
      printerId: { __rl: true, mode: 'list', value: printerId },
    };
    expect(Object.keys(options).sort()).toEqual(namesIn(rig.n8n, 'order', 'setStatus', 'options'));
    fake.seen.length = 0;
    const [output] = await give('setStatus', { orderId: id, workflowStatus: 'assigned', options });
    expect(output?.json).toMatchObject({
      workflow_status: 'assigned',
      order_notes: 'On the left one.',
      printer_id: printerId,
      printer_name: printers[2]?.name,
    });
    expect(fake.seen[0]?.body).toEqual({
      workflow_status: 'assigned',
      order_notes: 'On the left one.',
      printer_id: printerId,
    });
    expect(fake.seen[0]?.headers['if-match']).toBe(ifMatch);
  });

  test('reports a status that an expression leaves undefined', async () => {
    const { id } = await rig.farm.order({ workflow_status: 'confirmed' });
    fake.seen.length = 0;
    const error = await refusal('setStatus', { orderId: id, workflowStatus: fromItem('nothing') });
    expect(error.message).toContain('Workflow Status');
    expect(fake.seen).toEqual([]);
  });
});

describe('a typo in a status', () => {
  const WAYS: [string, (status: string) => IDataObject][] = [
    ['setStatus', (workflowStatus) => ({ workflowStatus })],
    ['update', (workflowStatus) => ({ updateFields: { workflowStatus } })],
  ];
  const TYPOS = ['prnting', 'printing!', 'pr inting', 'null'];

  test.each(WAYS)('%s: is reported with the list, and the order is kept', async (operation, toParameters) => {
    const order = await rig.farm.order({ workflow_status: 'confirmed', order_notes: 'kept' });
    for (const typo of TYPOS) {
      const error = await refusal(operation, { orderId: order.id, ...toParameters(fromItem('status')) }, [
        { status: typo },
      ]);
      expect(error.message).toBe(`"${typo}" is not a workflow status`);
      for (const status of STATUS_NAMES) expect(error.description).toContain(status);
      expect(error.description).toContain('The order was not changed.');
      expect(error.context.code).toBe('unknown_workflow_status');
    }
    expect(await read(order.id)).toEqual(order);
    const history = await rig.farm.client.get<Listed<{ kind: string }>>(`/print-jobs/${order.id}/history`);
    expect(history.body.items.map(({ kind }) => kind)).not.toContain('status_reset');
  });

  test('is refused, as every PUT of an order asks for strict handling', async () => {
    const { id } = await rig.farm.order();
    fake.seen.length = 0;
    await give('setStatus', { orderId: id, workflowStatus: 'assigned' });
    await give('setStatus', { orderId: id, workflowStatus: 'printing', options: { orderNotes: 'x' } });
    for (const name of namesIn(rig.n8n, 'order', 'update', 'updateFields')) {
      const { given } = writable((printers[0] as Printer).id)[name] as { given: unknown };
      await give('update', { orderId: id, updateFields: { [name]: given } as IDataObject });
    }
    const puts = fake.seen.filter(({ method }) => method === 'PUT');
    expect(puts.length).toBeGreaterThan(10);
    for (const { headers } of puts) expect(headers.prefer).toBe('handling=strict');
  });
});

describe('getHistory', () => {
  test('returns the history of every item’s order, newest first', async () => {
    const orders = await threeOrders();
    for (const [index, { id }] of orders.entries()) {
      for (const status of ['confirmed', 'assigned', 'printing'].slice(0, index + 1))
        await rig.farm.setStatus(id, status);
    }
    const items = orders.map(({ id }) => ({ id }));
    const output = await give('getHistory', { orderId: locatorFromItem('id'), returnAll: true }, items);
    const expected: unknown[] = [];
    for (const { id } of orders) {
      expected.push((await rig.farm.client.get<Listed<IDataObject>>(`/print-jobs/${id}/history`)).body.items);
    }
    expect(jsonOf(output)).toEqual(expected.flat());
    const counts = [0, 1, 2].map((item) => sourcesOf(output).filter((source) => source === item).length);
    expect(counts).toEqual((expected as unknown[][]).map((entries) => entries.length));
    expect((counts[2] as number) - (counts[0] as number)).toBe(2);
  });

  test('returns the newest with Limit', async () => {
    const { id } = await rig.farm.order();
    for (const status of ['confirmed', 'assigned', 'printing']) await rig.farm.setStatus(id, status);
    const output = await give('getHistory', { orderId: id, limit: 2 });
    expect(jsonOf(output).map(({ to_status }) => to_status)).toEqual(['printing', 'assigned']);
  });
});

describe('delete', () => {
  test('deletes the order of every item', async () => {
    const orders = await threeOrders();
    const output = await give(
      'delete',
      { orderId: locatorFromItem('id') },
      orders.map(({ id }) => ({ id })),
    );
    expect(jsonOf(output)).toEqual([{ deleted: true }, { deleted: true }, { deleted: true }]);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
    for (const { id } of orders) expect((await rig.farm.client.get(`/print-jobs/${id}`)).status).toBe(404);
  });
});

describe('If Match', () => {
  test.each([
    ['setStatus', { workflowStatus: 'printing' }],
    ['update', { updateFields: { orderNotes: 'late' } }],
    ['delete', {}],
  ])('%s: reports an outdated version and writes nothing', async (operation, parameters) => {
    const { id } = await rig.farm.order();
    const [got] = await give('get', { orderId: id, options: { includeEtag: true } });
    await rig.farm.setStatus(id, 'confirmed');
    const before = await read(id);
    const error = await refusal(operation, { orderId: id, ...parameters, options: { ifMatch: fromItem('etag') } }, [
      { etag: got?.json.etag as string },
    ]);
    expect(error.message).toBe('The order has changed since it was read');
    expect(error.description).toContain('Nothing was written');
    expect(error.context.code).toBe('precondition_failed');
    expect(await read(id)).toEqual(before);
  });

  test.each([
    ['setStatus', { workflowStatus: 'printing' }],
    ['update', { updateFields: { orderNotes: 'in time' } }],
    ['delete', {}],
  ])('%s: accepts the stored version', async (operation, parameters) => {
    const { id } = await rig.farm.order();
    const [got] = await give('get', { orderId: id, options: { includeEtag: true } });
    fake.seen.length = 0;
    await give(operation, { orderId: id, ...parameters, options: { ifMatch: got?.json.etag } });
    expect(fake.seen[0]?.headers['if-match']).toBe(got?.json.etag);
  });

  test('sends no If-Match by default', async () => {
    const { id } = await rig.farm.order();
    fake.seen.length = 0;
    await give('update', { orderId: id, updateFields: { orderNotes: 'x' }, options: { ifMatch: '' } });
    await give('delete', { orderId: id });
    for (const { headers } of fake.seen) expect(headers).not.toHaveProperty('if-match');
  });
});

test('reports an unknown operation', async () => {
  const error = await refusal('explode', {});
  expect(error.message).toBe('There is no operation "explode" for "order"');
  expect(error.description).toContain('Choose');
});
