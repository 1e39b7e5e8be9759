import type { IDataObject } from 'n8n-workflow';
import { type Filament, type Listed, type Printer, UNKNOWN_ID } from '../../kit/farm.ts';
import { passOn } from '../../kit/n8n/fake-server.ts';
import { fromItem, jsonOf, locatorFromItem, namesIn, openResource, sourcesOf } from '../../kit/n8n/rig.ts';

const SIMPLE = [
  'id',
  'name',
  'brand',
  'type_name',
  'colors',
  'remaining_grams',
  'low_stock_threshold_grams',
  'is_low_stock',
  'spool_price',
  'spool_price_currency',
];

interface Entry {
  kind: string;
  grams: number;
  order_id: string | null;
  printer_id: string | null;
  note: string | null;
  overdraw: boolean;
}

const { fake, rig, give, refusal } = openResource('filament');
let printers: Printer[];

beforeAll(async () => {
  printers = await rig.farm.printers();
});

const read = async (id: unknown): Promise<Filament & IDataObject> =>
  (await rig.farm.client.get<Filament & IDataObject>(`/filaments/${id}`)).body;

const consumptionsOf = async (id: string): Promise<Entry[]> => {
  const { body } = await rig.farm.client.get<Listed<Entry>>(`/filaments/${id}/ledger?per_page=200`);
  return body.items.filter(({ kind }) => kind === 'consumption');
};

const simplified = (filament: IDataObject) => Object.fromEntries(SIMPLE.map((name) => [name, filament[name]]));

const three = (fields: Record<string, unknown> = { spool_count: 1 }) =>
  Promise.all(['A', 'B', 'C'].map((name) => rig.farm.filament({ name, ...fields })));

describe('get', () => {
  test('reads the filament of every item, simplified by default', async () => {
    const filaments = await three({
      brand: 'Acme',
      type_name: 'PETG',
      colors: ['#112233'],
      spool_count: 2,
      spool_price_rub: 990.5,
    });
    const output = await give(
      'get',
      { filamentId: locatorFromItem('id') },
      filaments.map(({ id }) => ({ id })),
    );
    expect(jsonOf(output)).toEqual(await Promise.all(filaments.map(async ({ id }) => simplified(await read(id)))));
    expect(Object.keys(output[0]?.json ?? {})).toEqual(SIMPLE);
    expect(SIMPLE.length).toBeLessThanOrEqual(10);
    expect(output[0]?.json).toMatchObject({ spool_price: 990.5, colors: ['#112233'], remaining_grams: 2000 });
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
  });

  test('returns the raw record on request', async () => {
    const { id } = await rig.farm.filament();
    const [output] = await give('get', { filamentId: id, output: 'raw' });
    expect(output?.json).toEqual(await read(id));
  });
});

describe('getAll', () => {
  test('pairs every output item and applies each filter', async () => {
    const mark = 'all-probe';
    const low = await rig.farm.filament({ name: 'low', brand: mark, spool_count: 1, low_stock_threshold_grams: 5000 });
    const full = await rig.farm.filament({ name: 'full', brand: mark, spool_count: 1, low_stock_threshold_grams: 1 });
    const other = await rig.farm.filament({ name: 'full', brand: `${mark} other`, spool_count: 1 });
    const filters = { lowStock: fromItem('low'), q: fromItem('text') };
    expect(Object.keys(filters).sort()).toEqual(namesIn(rig.n8n, 'filament', 'getAll', 'filters'));
    expect(namesIn(rig.n8n, 'filament', 'getAll', 'options')).toEqual(['sort']);
    const output = await give('getAll', { returnAll: true, filters, options: { sort: 'created_at' } }, [
      { low: true, text: mark },
      { low: false, text: mark },
      { low: 'false', text: `${mark} OTHER` },
    ]);
    expect(jsonOf(output).map(({ id }) => id)).toEqual([low.id, full.id, other.id, other.id]);
    expect(sourcesOf(output)).toEqual([0, 1, 1, 2]);
    expect(jsonOf(output)[0]).toEqual(simplified(await read(low.id)));
    expect([...(fake.seen[0]?.query ?? [])]).toEqual([
      ['low_stock', 'true'],
      ['q', mark],
      ['sort', 'created_at'],
      ['page', '1'],
      ['per_page', '200'],
    ]);
  });

  test('returns raw records on request', async () => {
    const { id } = await rig.farm.filament({ name: 'raw-probe' });
    const output = await give('getAll', { returnAll: true, output: 'raw', filters: { q: 'raw-probe' } });
    expect(jsonOf(output)).toEqual([await read(id)]);
  });

  test('returns everything without a filter', async () => {
    await give('getAll', {});
    expect([...(fake.seen[0]?.query ?? [])]).toEqual([
      ['page', '1'],
      ['per_page', '50'],
    ]);
  });

  test.each([
    ['Low Stock', 'lowStock'],
    ['Search', 'q'],
  ])('reports a filter that an expression leaves undefined: %s', async (displayName, name) => {
    const error = await refusal('getAll', { filters: { [name]: fromItem('nothing') } });
    expect(error.message).toMatch(new RegExp(`^${displayName}: `));
    expect(fake.seen).toEqual([]);
  });
});

describe('consume', () => {
  test('deducts the grams of every item', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    const output = await give('consume', { filamentId: id, grams: fromItem('grams') }, [
      { grams: 1.5 },
      { grams: '2.25' },
      { grams: 0.0005 },
    ]);
    expect(jsonOf(output).map(({ remaining_grams }) => remaining_grams)).toEqual([998.5, 996.25, 996.249]);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
    expect(output[2]?.json).toEqual(await read(id));
    expect((await consumptionsOf(id)).map(({ grams }) => grams)).toEqual([-0.001, -2.25, -1.5]);
  });

  test('sends every option', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    const order = await rig.farm.order();
    const printer = printers[0] as Printer;
    const options = {
      allowOverdraw: true,
      batching: {},
      dryRun: false,
      idempotencyKey: 'every-option',
      note: 'second try, ü',
      printerId: { __rl: true, mode: 'list', value: printer.id },
    };
    expect(Object.keys(options).sort()).toEqual(namesIn(rig.n8n, 'filament', 'consume', 'options'));
    const orderId = { __rl: true, mode: 'label', value: `ORDER-${order.id}` };
    const [output] = await give('consume', { filamentId: id, grams: 1200, orderId, options });
    expect(output?.json).toMatchObject({ remaining_grams: -200, needs_review: true });
    const entries = await consumptionsOf(id);
    expect(entries.reduce((sum, { grams }) => sum + grams, 0)).toBe(-1200);
    for (const entry of entries) {
      expect(entry).toMatchObject({ note: 'second try, ü', order_id: order.id, printer_id: printer.id });
    }
    expect(fake.seen[0]?.headers['idempotency-key']).toBe('every-option');
    const history = await rig.farm.client.get<Listed<{ kind: string; grams: number }>>(
      `/print-jobs/${order.id}/history`,
    );
    expect(history.body.items.map(({ grams }) => grams)).toContain(1200);
  });

  describe('Order', () => {
    const consume = async (orders: unknown[], parameters: IDataObject) => {
      const { id } = await rig.farm.filament({ spool_count: 1 });
      fake.seen.length = 0;
      const items = orders.map((order) => ({ ...(order === undefined ? {} : { order }) }) as IDataObject);
      const given = { resource: 'filament', operation: 'consume', filamentId: id, grams: '1', ...parameters };
      await rig.n8n.give(given, { items });
      return fake.seen.map(({ body }) => body as IDataObject);
    };
    const ID = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';
    const refused = async (orderId: unknown, order: IDataObject) =>
      await rig.n8n.refusal(
        { resource: 'filament', operation: 'consume', filamentId: UNKNOWN_ID, grams: '1', orderId } as IDataObject,
        { items: [order] },
      );

    test.each([
      ['a value', fromItem('order')],
      ['an ID', locatorFromItem('order')],
      ['a label', locatorFromItem('order', 'label')],
    ])('may be left empty as %s', async (_what, orderId) => {
      const { id } = await rig.farm.order();
      const sent = await consume([id, '', null, `ORDER-${id}`.toUpperCase()], { orderId });
      expect(sent).toEqual([{ grams: 1, order_id: id }, { grams: 1 }, { grams: 1 }, { grams: 1, order_id: id }]);
    });

    test.each([
      ['a field that does not exist', fromItem('order'), {}, 'Order: it is empty'],
      ['one in a locator', locatorFromItem('order'), {}, 'Order: it is empty'],
      ['an object', fromItem('order'), { order: { id: ID } }, 'Order: it is empty'],
      ['another text', fromItem('order'), { order: 'Bracket' }, 'Order: there is no ID in "Bracket"'],
      ['a space', locatorFromItem('order'), { order: ' ' }, 'Order: there is no ID in " "'],
      ['a number', fromItem('order'), { order: 7 }, 'Order: there is no ID in "7"'],
    ])('is an error as %s', async (_what, orderId, item, message) => {
      expect((await refused(orderId, item)).message).toBe(message);
      expect(fake.seen).toEqual([]);
    });
  });

  test('sends only given values', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    fake.seen.length = 0;
    await give('consume', { filamentId: id, grams: 1, options: { allowOverdraw: false, note: '' } });
    expect(fake.seen.map(({ body }) => body)).toEqual([{ grams: 1 }]);
  });

  test('reports insufficient stock with both amounts and deducts nothing', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    const error = await refusal('consume', { filamentId: id, grams: 1000.5 });
    expect(error.message).toBe('Not enough filament: 1000.5 g requested, 1000 g available');
    expect(error.description).toContain('Allow Overdraw');
    expect(error.context.code).toBe('insufficient_stock');
    expect(await consumptionsOf(id)).toEqual([]);
  });

  test('says that the filament has no batch, where allowing an overdraw does not help', async () => {
    const { id } = await rig.farm.filament();
    for (const allowOverdraw of [false, true]) {
      const error = await refusal('consume', { filamentId: id, grams: 1, options: { allowOverdraw } });
      expect(error.description).toContain('so Allow Overdraw does not help: add one with Filament > Add Batch');
    }
  });

  test('outputs what a print report already deducted for the order, also after a retry of the node', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    const [printed, other] = [await rig.farm.order(), await rig.farm.order()];
    const printer = await rig.farm.printer();
    const agent = await rig.farm.agent({ printer_id: printer.id });
    const rules = { deduct_grams: true, loaded_filament_id: id };
    expect((await (await rig.farm.console()).put(`/printers/${printer.id}/rules`, rules)).status).toBe(200);
    expect((await agent.report({ grams: 45.5, order_id: printed.id })).body.deducted_grams).toBe(45.5);
    // the second item fails at first, and the first one is not sent again
    fake.answerWith((seen, nth) => (nth >= 2 && nth <= 5 ? 'cut' : passOn(rig.farm.service.origin, seen)));
    const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
    const parameters = { filamentId: id, grams: '1', orderId: fromItem('order'), output: 'raw' };
    const output = await rig.n8n.give(
      { resource: 'filament', operation: 'consume', ...parameters },
      { items: [{ order: printed.id }, { order: other.id }], node },
    );
    expect(jsonOf(output).map((json) => json.already_deducted_grams)).toEqual([45.5, undefined]);
    expect(output[1]?.json).toEqual(await read(id));
    expect(await consumptionsOf(id)).toHaveLength(3);
  });

  test.each([
    [0, 'Grams: 0 is not more than 0'],
    [-5, 'Grams: -5 is not more than 0'],
    ['', 'Grams: it is empty'],
    ['12,5', 'Grams: "12,5" is not a number'],
    [null, 'Grams: it is empty'],
    [true, 'Grams: true is not a number'],
    [{ a: 1 }, 'Grams: {"a":1} is not a number'],
    [undefined, 'Grams: it is empty'],
  ])('names the field for grams of %p and sends nothing', async (grams, message) => {
    const error = await refusal('consume', { filamentId: UNKNOWN_ID, grams: fromItem('grams') }, [
      { grams } as IDataObject,
    ]);
    expect(error.message).toBe(message);
    expect(error.description).toMatch(/^Enter /);
    expect(fake.seen).toEqual([]);
  });

  test('names the field for grams that would be rounded to 0', async () => {
    const error = await refusal('consume', { filamentId: UNKNOWN_ID, grams: 0.0004 });
    expect(error.message).toMatch(/^Grams: would be rounded to 0/);
  });
});

describe('addBatch', () => {
  test('adds the spools of every item', async () => {
    const filaments = await three({});
    const output = await give(
      'addBatch',
      { filamentId: locatorFromItem('id'), spoolCount: fromItem('spools') },
      filaments.map(({ id }, index) => ({ id, spools: [1, '2', 3.0000000000000004][index] })),
    );
    expect(jsonOf(output).map(({ spool_count }) => spool_count)).toEqual([1, 2, 3]);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
    for (const [index, { id }] of filaments.entries()) {
      expect(await read(id)).toMatchObject({ spool_count: index + 1, remaining_grams: (index + 1) * 1000 });
    }
  });

  test('sends every field', async () => {
    const { id } = await rig.farm.filament();
    const additionalFields = { receivedAt: '2026-07-01T12:00:00', spoolPrice: '1290.55' };
    expect(Object.keys(additionalFields)).toEqual(namesIn(rig.n8n, 'filament', 'addBatch', 'additionalFields'));
    expect(namesIn(rig.n8n, 'filament', 'addBatch', 'options')).toEqual(['batching', 'dryRun', 'idempotencyKey']);
    const [output] = await rig.n8n.give(
      { resource: 'filament', operation: 'addBatch', output: 'raw', filamentId: id, spoolCount: 3, additionalFields },
      { timezone: 'Europe/Berlin' },
    );
    expect(output?.json).toMatchObject({
      spool_count: 3,
      received_at: '2026-07-01T10:00:00.000Z',
      spool_price: 1290.55,
    });
    expect(output?.json).toEqual(
      (await rig.farm.client.get<Listed<IDataObject>>(`/filaments/${id}/batches`)).body.items[0],
    );
  });

  test('accepts a price of 0', async () => {
    const { id } = await rig.farm.filament();
    const [output] = await give('addBatch', { filamentId: id, spoolCount: 1, additionalFields: { spoolPrice: 0 } });
    expect(output?.json.spool_price).toBe(0);
  });

  test('sends only given values', async () => {
    const { id } = await rig.farm.filament();
    fake.seen.length = 0;
    await give('addBatch', { filamentId: id, spoolCount: 1, additionalFields: { receivedAt: '' } });
    expect(fake.seen.map(({ body }) => body)).toEqual([{ spool_count: 1 }]);
  });

  test.each([
    [{ spoolCount: '={{ "many" }}' }, 'Spool Count: "many" is not a number'],
    [{ spoolCount: 1.5 }, 'Spool Count: 1.5 is not a whole number'],
    [{ additionalFields: { receivedAt: '={{ "lately" }}' } }, 'Received At: "lately" is not a time'],
    [{ additionalFields: { spoolPrice: '={{ "dear" }}' } }, 'Spool Price: "dear" is not a number'],
    [{ additionalFields: { receivedAt: fromItem('nothing') } }, 'Received At: '],
  ])('names the field for %p and sends nothing', async (parameters, message) => {
    const error = await refusal('addBatch', { filamentId: UNKNOWN_ID, ...parameters } as IDataObject);
    expect(error.message.startsWith(message)).toBe(true);
    expect(fake.seen).toEqual([]);
  });
});
