import type { IDataObject } from 'n8n-workflow';
import type { Listed, Order } from '../../kit/farm.ts';
import { passOn, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { outputsOf, TYPE } from '../../kit/n8n/harness.ts';
import { fromItem, jsonOf, sourcesOf, startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

// Order → Create or Update: orders of shops.

const fake = forSuite(startFakeServer);
const rig = forSuite(() => startRig(fake.baseUrl));

beforeEach(() => fake.answerWith((seen) => passOn(rig.farm.service.origin, seen)));

const OPERATION = { resource: 'order', operation: 'createOrUpdate' };
const NODE = { typeVersion: 1 };

const give = (parameters: IDataObject, items: IDataObject[] = [{}]) =>
  rig.n8n.give({ ...OPERATION, ...parameters }, { items, node: NODE });

const refusal = (parameters: IDataObject, items: IDataObject[] = [{}]) =>
  rig.n8n.refusal({ ...OPERATION, ...parameters }, { items, node: NODE });

const read = async (id: unknown): Promise<Order & IDataObject> =>
  (await rig.farm.client.get<Order & IDataObject>(`/print-jobs/${id}`)).body;

/** As a workflow may give them; what differs from what is stored needs no rounding by the workflow. */
const EVERY_FIELD = {
  color_hex: '#1E90FF',
  currency: 'EUR',
  customer_contact: 'nathan@example.com',
  customer_name: 'Nathan Smith',
  due_date: '2027-03-04',
  material_grams: 1.0005,
  material_name: 'PETG',
  model_name: 'Wall bracket, ü "quoted" 第二行',
  order_notes: 'Mind the overhang.',
  price: 1249.9999999999998,
  print_hours: '2.5',
  quantity_pieces: '7',
};

describe('createOrUpdate', () => {
  const mapping = (value: IDataObject | null, mappingMode = 'defineBelow') => ({
    mappingMode,
    value,
    matchingColumns: [],
    // as the editor stores it
    schema: Object.keys(value ?? {}).map((id) => ({
      id,
      displayName: id,
      type: 'string',
      required: false,
      display: true,
    })),
  });
  const shop = { source: 'shopify', externalId: fromItem('id'), externalUpdatedAt: fromItem('at') };
  const fields = mapping({ model_name: fromItem('name'), quantity_pieces: fromItem('pieces') });

  const found = async (externalId: string): Promise<Order[]> => {
    const { body } = await rig.farm.client.get<Listed<Order>>(`/print-jobs?external_id=${externalId}`);
    return body.items;
  };

  test.each([
    ['oldest first', [1, 2, 3], ['created', 'updated', 'updated']],
    ['newest first', [3, 2, 1], ['created', 'stale', 'stale']],
    ['repeated', [2, 3, 2, 3], ['created', 'updated', 'stale', 'updated']],
  ])('writes one order, which has the newest state: %s', async (_how, states, outcomes) => {
    const id = `in-order-${states.join('')}`;
    const items = states.map((state) => ({
      id,
      at: `2026-11-0${state}T09:00:00Z`,
      name: `State ${state}`,
      pieces: state,
    }));
    const output = await give({ ...shop, fields }, items);
    expect(jsonOf(output).map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(sourcesOf(output)).toEqual(states.map((_state, i) => i));
    expect(await found(id)).toMatchObject([{ model_name: 'State 3', quantity_pieces: 3, source: 'shopify' }]);
  });

  test('writes every mapped field, never a status', async () => {
    const [printer] = await rig.farm.printers();
    const given = { ...EVERY_FIELD, printer_id: printer?.id as string };
    const create = { source: 'shop', externalId: 'every-field', fields: mapping(given) };
    const [created] = await give(create);
    const stored = { ...given, material_grams: 1.001, price: 1250, print_hours: 2.5, quantity_pieces: 7 };
    expect(await read(created?.json.id)).toMatchObject({ ...stored, workflow_status: 'negotiation' });
    expect(created?.json.outcome).toBe('created');

    await rig.farm.client.put(`/print-jobs/${created?.json.id}`, { workflow_status: 'printing' });
    const [updated] = await give({
      ...create,
      fields: mapping({ order_notes: 'hurry', workflow_status: 'done' }),
    });
    expect(updated?.json.outcome).toBe('updated');
    expect(await read(created?.json.id)).toMatchObject({
      ...stored,
      order_notes: 'hurry',
      workflow_status: 'printing',
    });
    expect(fake.seen.at(-1)?.body).toEqual({ order_notes: 'hurry' });
  });

  test('does not send fields without a value, and clears those set to an empty text', async () => {
    const value = { model_name: 'Vase', customer_name: 'Vera', price: null, order_notes: null };
    await give({ source: 'shop', externalId: 'empty', fields: mapping(value) });
    expect(fake.seen.at(-1)?.body).toEqual({ model_name: 'Vase', customer_name: 'Vera' });
    const [output] = await give({
      source: 'shop',
      externalId: 'empty',
      fields: mapping({ customer_name: '' }),
    });
    expect(output?.json).toMatchObject({ model_name: 'Vase', customer_name: null });
  });

  test('maps the fields of the input by their names', async () => {
    const items = [{ model_name: 'Mapped', quantity_pieces: 3, workflow_status: 'done', id: 'ignored' }];
    const parameters = { source: 'shop', externalId: 'automatic', fields: mapping(null, 'autoMapInputData') };
    const [output] = await give(parameters, items);
    expect(fake.seen.at(-1)?.body).toEqual({ model_name: 'Mapped', quantity_pieces: 3 });
    expect(output?.json).toMatchObject({ model_name: 'Mapped', quantity_pieces: 3, workflow_status: 'negotiation' });
  });

  test('offers the editor every field that a shop may write', async () => {
    const { getOrderFields } = rig.n8n.typeOf(TYPE).methods?.resourceMapping ?? {};
    const offered = await getOrderFields?.call(rig.n8n.loadOptions() as never);
    expect(offered?.fields.map(({ id }) => id).sort()).toEqual([...Object.keys(EVERY_FIELD), 'printer_id'].sort());
  });

  test.each([5001, ' 5001 '])('takes the ID %j', async (externalId) => {
    await give({ ...shop, fields }, [{ id: externalId, at: '', name: 'n', pieces: 1 }]);
    expect(fake.seen[0]?.path).toBe('/print-jobs/by-external-id/shopify/5001');
  });

  test.each([
    [{ id: 820982911946154500 }, 'External ID: 820982911946154500 is not exact'],
    [{ id: '' }, 'External ID: it is empty'],
    [{ id: null }, 'External ID: it is empty'],
    [{ at: 'yesterday' }, 'External Updated At: "yesterday" is not a time'],
    [{ pieces: 'many' }, 'Quantity: "many" is not a number'],
  ])('names the field of %j and sends nothing', async (wrong, message) => {
    const item = { id: '1', at: '2026-11-01T09:00:00Z', name: 'n', pieces: 1, ...wrong };
    const error = await refusal({ ...shop, fields }, [item as IDataObject]);
    expect(error.message).toBe(message);
    expect(fake.seen).toEqual([]);
  });

  test('says that a new order needs a model name', async () => {
    const error = await refusal({ source: 'shop', externalId: 'new', fields: mapping({ price: 1 }) });
    expect(error.message).toMatch(/^Model Name: /);
  });

  test('encodes source and ID', async () => {
    const parameters = { source: 'my shop', externalId: '10/7 ü', fields: mapping({ model_name: 'x' }) };
    const [output] = await give({ ...parameters, output: 'raw' });
    expect(await found(encodeURIComponent('10/7 ü'))).toMatchObject([{ id: output?.json.id, source: 'my shop' }]);
  });

  test('is not written again by a retry, and the outcome stays', async () => {
    const parameters = { resource: 'order', operation: 'createOrUpdate', ...shop, fields };
    const at = '2026-11-01T09:00:00Z';
    const items = [
      { id: 'retried', at, name: 'One', pieces: 1 },
      { id: 'retried', at: '2026-10-01T09:00:00Z', name: 'Old', pieces: 9 },
      { id: 'refused', at, name: '', pieces: 1 },
    ];
    const failed = await rig.n8n.run(parameters, { items, node: NODE });
    expect(failed.data.resultData.error?.message).toMatch(/^Model Name: /);
    fake.seen.length = 0;
    const named = mapping({ model_name: "={{ $json.name || 'Named' }}", quantity_pieces: fromItem('pieces') });
    const again = await rig.n8n.retry(failed, { ...parameters, fields: named }, { items, node: NODE });
    expect(jsonOf(outputsOf(again)[0]).map(({ outcome }) => outcome)).toEqual(['created', 'stale', 'created']);
    expect(fake.seen.map(({ path }) => path)).toEqual(['/print-jobs/by-external-id/shopify/refused']);
  });
});
