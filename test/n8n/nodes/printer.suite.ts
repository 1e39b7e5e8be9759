import type { IDataObject } from 'n8n-workflow';
import { type Printer, UNKNOWN_ID } from '../../kit/farm.ts';
import { fromItem, jsonOf, locatorFromItem, namesIn, openResource, sourcesOf } from '../../kit/n8n/rig.ts';

const SIMPLE = ['id', 'name', 'internal_name', 'model', 'technology', 'group_id', 'group_name', 'is_favorite'];

const { fake, rig, give } = openResource('printer');
let printers: (Printer & IDataObject)[];

beforeAll(async () => {
  printers = (await rig.farm.printers()) as (Printer & IDataObject)[];
});

const simplified = (printer: IDataObject) => Object.fromEntries(SIMPLE.map((name) => [name, printer[name]]));

const groupIds = () => [...new Set(printers.map(({ group_id }) => group_id))].filter(Boolean);

describe('get', () => {
  test('reads the printer of every item, simplified by default', async () => {
    const three = printers.slice(0, 3);
    const output = await give(
      'get',
      { printerId: locatorFromItem('id') },
      three.map(({ id }) => ({ id })),
    );
    expect(jsonOf(output)).toEqual(three.map(simplified));
    expect(Object.keys(output[0]?.json ?? {})).toEqual(SIMPLE);
    expect(SIMPLE.length).toBeLessThanOrEqual(10);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
  });

  test('returns the raw record on request', async () => {
    const [first] = printers;
    const [output] = await give('get', { printerId: first?.id, output: 'raw' });
    expect(output?.json).toEqual(first);
  });

  test('reports a missing record', async () => {
    const error = await rig.n8n.refusal({ resource: 'printer', operation: 'get', printerId: UNKNOWN_ID });
    expect(error.message).toBe(`There is no printer with the ID ${UNKNOWN_ID}`);
    expect(error.description).toContain('Choose the printer from the list');
  });
});

describe('getAll', () => {
  test('pairs every output item to its input', async () => {
    const groups = groupIds();
    expect(groups.length).toBeGreaterThan(0);
    const items = [groups[0], groups[0], groups.at(-1)].map((group) => ({ group }));
    const output = await give(
      'getAll',
      { returnAll: true, filters: { groupId: fromItem('group') } },
      items as IDataObject[],
    );
    const expected = items.map(({ group }) => printers.filter(({ group_id }) => group_id === group));
    expect(jsonOf(output)).toEqual(expected.flat().map(simplified));
    expect(sourcesOf(output)).toEqual(expected.flatMap((found, item) => found.map(() => item)));
    expect(output.length).toBeGreaterThan(3);
  });

  test('returns raw records on request', async () => {
    expect(jsonOf(await give('getAll', { returnAll: true, output: 'raw' }))).toEqual(printers);
  });

  test('sends every filter and option', async () => {
    expect(namesIn(rig.n8n, 'printer', 'getAll', 'filters')).toEqual(['groupId']);
    expect(namesIn(rig.n8n, 'printer', 'getAll', 'options')).toEqual(['sort']);
    const [groupId] = groupIds();
    await give('getAll', { limit: 7, filters: { groupId }, options: { sort: 'created_at' } });
    expect([...(fake.seen[0]?.query ?? [])]).toEqual([
      ['group_id', groupId],
      ['sort', 'created_at'],
      ['page', '1'],
      ['per_page', '7'],
    ]);
  });

  test('ignores an empty group', async () => {
    const output = await give('getAll', { returnAll: true, filters: { groupId: '' } });
    expect(output).toHaveLength(printers.length);
  });

  test('reports a group that an expression leaves undefined', async () => {
    const error = await rig.n8n.refusal({
      resource: 'printer',
      operation: 'getAll',
      filters: { groupId: fromItem('nothing') },
    });
    expect(error.message).toMatch(/^Farm Group/);
    expect(fake.seen).toEqual([]);
  });
});
