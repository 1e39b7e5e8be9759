import type { IDataObject } from 'n8n-workflow';
import { type Filament, type Listed, UNKNOWN_ID } from '../../kit/farm.ts';
import { passOn } from '../../kit/n8n/fake-server.ts';
import { fromItem, jsonOf, locatorFromItem, openResource, sourcesOf } from '../../kit/n8n/rig.ts';

// Filaments and their stock beyond what consume and addBatch do.

interface Entry {
  id: string;
  kind: string;
  grams: number;
  batch_id: string;
  note: string | null;
}

const node = { typeVersion: 1 };
const { fake, rig, give, refusal } = openResource('filament', node);

const read = async (id: unknown): Promise<Filament & IDataObject> =>
  (await rig.farm.client.get<Filament & IDataObject>(`/filaments/${id}`)).body;

const ledgerOf = async (id: string): Promise<Entry[]> =>
  (await rig.farm.client.get<Listed<Entry>>(`/filaments/${id}/ledger`)).body.items;

const RAW = { output: 'raw' };

describe('create', () => {
  test('writes every field', async () => {
    const additionalFields = {
      brand: 'Prusament',
      colors: ['#000000', '={{ "#FFFFFF" }}'],
      isGradient: true,
      lowStockThresholdGrams: '250.5',
      receivedAt: '2026-07-01T12:00:00Z',
      spoolCount: 2,
      spoolPrice: 19.9,
      spoolWeightGrams: 750,
      typeName: 'PETG',
    };
    const [output] = await give('create', { name: ' PETG duo ', additionalFields, ...RAW });
    expect(output?.json).toEqual(await read(output?.json.id));
    expect(output?.json).toMatchObject({
      name: 'PETG duo',
      brand: 'Prusament',
      colors: ['#000000', '#FFFFFF'],
      is_gradient: true,
      low_stock_threshold_grams: 250.5,
      spool_count: 2,
      spool_price: 19.9,
      spool_weight_grams: 750,
      type_name: 'PETG',
    });
    expect(fake.seen[0]?.body?.received_at).toBe('2026-07-01T12:00:00.000Z');
  });

  test('sends only given values, once for each item', async () => {
    const output = await give('create', { name: fromItem('name') }, [{ name: 'A' }, { name: 'B' }]);
    expect(fake.seen.map(({ body }) => body)).toEqual([{ name: 'A' }, { name: 'B' }]);
    expect(sourcesOf(output)).toEqual([0, 1]);
    expect(new Set(fake.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  test.each([
    [{ lowStockThresholdGrams: 'few' }, 'Low Stock Threshold (Grams): "few" is not a number'],
    [{ receivedAt: 'today' }, 'Received At: "today" is not a time'],
    [{ spoolCount: 1.5 }, 'Spool Count: 1.5 is not a whole number'],
    [{ spoolPrice: '' }, 'Spool Price: it is empty'],
    [{ spoolWeightGrams: 'a' }, 'Spool Weight (Grams): "a" is not a number'],
  ])('names the field of %j and sends nothing', async (additionalFields, message) => {
    expect((await refusal('create', { name: 'x', additionalFields })).message).toBe(message);
    expect(fake.seen).toEqual([]);
  });

  test('names the field that the service refuses', async () => {
    expect((await refusal('create', { name: 'x', additionalFields: { colors: 'red' } })).message).toMatch(/^Colors: /);
  });
});

describe('update', () => {
  test('changes only the given fields', async () => {
    const { id } = await rig.farm.filament({ brand: 'Acme', type_name: 'PLA' });
    const [output] = await give('update', {
      filamentId: id,
      updateFields: { name: 'Renamed', isGradient: true },
      ...RAW,
    });
    expect(fake.seen.map(({ body }) => body)).toEqual([{ name: 'Renamed', is_gradient: true }]);
    expect(output?.json).toMatchObject({ name: 'Renamed', is_gradient: true, brand: 'Acme', type_name: 'PLA' });
  });

  test('writes the version that was read, or nothing', async () => {
    const { id } = await rig.farm.filament();
    const [seen] = await give('get', { filamentId: id, options: { includeEtag: true } });
    const change = (name: string) => ({
      filamentId: id,
      updateFields: { name },
      options: { ifMatch: seen?.json.etag as string },
    });
    await give('update', change('First'));
    const error = await refusal('update', change('Second'));
    expect(error.message).toBe('The filament has changed since it was read');
    expect(await read(id)).toMatchObject({ name: 'First' });
  });

  test('needs a field to change', async () => {
    expect((await refusal('update', { filamentId: UNKNOWN_ID })).message).toBe('Update Fields: there are none');
    expect(fake.seen).toEqual([]);
  });
});

describe('stocktake', () => {
  test('records what the scale shows, for all batches or for one', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    await rig.farm.client.post(`/filaments/${id}/batches`, { spool_count: 1 });
    const [, batch] = jsonOf(await give('getBatches', { filamentId: id }));
    const output = await give(
      'stocktake',
      { filamentId: id, remainingGrams: fromItem('grams'), options: { batchId: fromItem('batch'), note: 'weighed' } },
      [{ grams: '900.25', batch: batch?.id as string }],
    );
    expect(output[0]?.json.remaining_grams).toBe(1900.25);
    expect((await ledgerOf(id))[0]).toMatchObject({
      kind: 'adjustment',
      grams: -99.75,
      batch_id: batch?.id,
      note: 'weighed',
    });
    const [all] = await give('stocktake', { filamentId: id, remainingGrams: '1800' });
    expect(all?.json.remaining_grams).toBe(1800);
  });

  test('is entered once, however often the node is tried', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    fake.answerWith(async (seen, nth) => {
      const answer = await passOn(rig.farm.service.origin, seen);
      return nth === 1 ? 'cut' : answer;
    });
    await give('stocktake', { filamentId: id, remainingGrams: 900 });
    expect(fake.seen).toHaveLength(2);
    expect((await ledgerOf(id)).map(({ kind }) => kind)).toEqual(['adjustment', 'receipt']);
  });

  test.each([
    [{ remainingGrams: fromItem('nothing') }, 'Remaining Grams: it is empty'],
    [{ remainingGrams: 'full' }, 'Remaining Grams: "full" is not a number'],
    [{ remainingGrams: 1, options: { batchId: 'x' } }, 'Batch ID: there is no ID in "x"'],
  ])('names the field of %j and sends nothing', async (parameters, message) => {
    expect((await refusal('stocktake', { filamentId: UNKNOWN_ID, ...parameters })).message).toBe(message);
    expect(fake.seen).toEqual([]);
  });
});

describe('undo', () => {
  test('reverses an entry of the ledger', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    await rig.farm.client.post(`/filaments/${id}/consume`, { grams: 12.5 });
    const [entry] = jsonOf(await give('getLedger', { filamentId: id }));
    const [output] = await give('undo', {
      filamentId: id,
      entryId: entry?.id as string,
      options: { note: 'wrong' },
      ...RAW,
    });
    expect(output?.json).toEqual(await read(id));
    expect(output?.json.remaining_grams).toBe(1000);
    expect((await ledgerOf(id))[0]).toMatchObject({ kind: 'undo', grams: 12.5, note: 'wrong' });
  });

  test('says that a stocktake counted what it changes', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    await rig.farm.client.post(`/filaments/${id}/consume`, { grams: 10 });
    const [entry] = await ledgerOf(id);
    await rig.farm.client.post(`/filaments/${id}/stocktake`, { remaining_grams: 950 });
    const [output] = await give('undo', { filamentId: id, entryId: entry?.id as string });
    expect(output?.json.older_than_stocktake).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test('is refused a second time', async () => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    await rig.farm.client.post(`/filaments/${id}/consume`, { grams: 10 });
    const [entry] = await ledgerOf(id);
    await give('undo', { filamentId: id, entryId: entry?.id as string });
    const error = await refusal('undo', { filamentId: id, entryId: entry?.id as string });
    expect(error.description).toMatch(/already been undone/);
    expect((await read(id)).remaining_grams).toBe(1000);
  });
});

describe('lists', () => {
  test('of batches and of the ledger are those of every item', async () => {
    const [one, other] = [await rig.farm.filament({ spool_count: 1 }), await rig.farm.filament({ spool_count: 2 })];
    const items = [one, other].map(({ id }) => ({ id }));
    const batches = await give('getBatches', { filamentId: locatorFromItem('id'), returnAll: true }, items);
    expect(jsonOf(batches).map(({ spool_count }) => spool_count)).toEqual([1, 2]);
    expect(sourcesOf(batches)).toEqual([0, 1]);
    const ledger = await give('getLedger', { filamentId: locatorFromItem('id'), limit: 1 }, items);
    expect(jsonOf(ledger).map(({ kind, grams }) => [kind, grams])).toEqual([
      ['receipt', 1000],
      ['receipt', 2000],
    ]);
  });
});

describe('the summary of the farm', () => {
  test('counts what the API counts', async () => {
    await rig.farm.order();
    const [output] = await rig.n8n.give({ resource: 'farm', operation: 'getSummary' }, { node });
    expect(output?.json).toEqual((await rig.farm.client.get('/summary')).body);
    expect(output?.json.orders_negotiation).toBeGreaterThan(0);
  });
});
