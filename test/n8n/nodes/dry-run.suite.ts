import type { IDataObject } from 'n8n-workflow';
import { passOn, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { fromItem, startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

// The option Dry Run of the writes of orders and filaments.

const fake = forSuite(startFakeServer);
const rig = forSuite(() => startRig(fake.baseUrl));

beforeEach(() => fake.answerWith((seen) => passOn(rig.farm.service.origin, seen)));

const node = { typeVersion: 1 };
const fields = {
  mappingMode: 'defineBelow',
  value: { model_name: 'x' },
  matchingColumns: [],
  schema: [],
};

interface Ids {
  orderId: string;
  filamentId: string;
  entryId: string;
}

async function makeRecords(): Promise<Ids> {
  const { id: orderId } = await rig.farm.order();
  const { id: filamentId } = await rig.farm.filament({ spool_count: 1 });
  await rig.farm.client.post(`/filaments/${filamentId}/consume`, { grams: 10 });
  const { items } = (await rig.farm.client.get<{ items: { id: string }[] }>(`/filaments/${filamentId}/ledger`)).body;
  return { orderId, filamentId, entryId: String(items[0]?.id) };
}

const WRITES: Record<string, (ids: Ids) => IDataObject> = {
  'order create': () => ({ modelName: 'x' }),
  'order createOrUpdate': () => ({ source: 'dry', externalId: '1', fields }),
  'order delete': ({ orderId }) => ({ orderId }),
  'order setStatus': ({ orderId }) => ({ orderId, workflowStatus: 'done' }),
  'order update': ({ orderId }) => ({ orderId, updateFields: { orderNotes: 'x' } }),
  'filament addBatch': ({ filamentId }) => ({ filamentId, spoolCount: 1 }),
  'filament consume': ({ filamentId }) => ({ filamentId, grams: 1 }),
  'filament create': () => ({ name: 'x' }),
  'filament stocktake': ({ filamentId }) => ({ filamentId, remainingGrams: 5 }),
  'filament undo': ({ filamentId, entryId }) => ({ filamentId, entryId }),
  'filament update': ({ filamentId }) => ({ filamentId, updateFields: { name: 'y' } }),
};

/** Everything that the writes could change. */
const state = async (): Promise<unknown> =>
  Promise.all(
    ['/print-jobs?per_page=200', '/filaments?per_page=200', '/events?per_page=200'].map(
      async (path) => (await rig.farm.client.get(path)).body,
    ),
  );

test.each(Object.entries(WRITES))(
  '%s changes nothing and says what would have happened',
  async (name, parametersOf) => {
    const [resource, operation] = name.split(' ');
    const ids = await makeRecords();
    const before = await state();
    const options = { dryRun: true };
    const [output] = await rig.n8n.give({ resource, operation, ...parametersOf(ids), options } as IDataObject, {
      node,
    });
    expect(output?.json).toMatchObject({
      dry_run: true,
      status: expect.any(Number),
      would: { events: expect.any(Array) },
    });
    expect(output?.json.status).toBeLessThan(300);
    expect(await state()).toEqual(before);

    // the same without it is still written: nothing was used up or remembered
    await rig.n8n.give({ resource, operation, ...parametersOf(ids), options: { dryRun: false } } as IDataObject, {
      node,
    });
    expect(await state()).not.toEqual(before);
  },
);

test('outputs what would be refused, without failing', async () => {
  const { filamentId } = await makeRecords();
  const parameters = { resource: 'filament', operation: 'consume', filamentId, grams: 5000, options: { dryRun: true } };
  const [output] = await rig.n8n.give(parameters, { node });
  expect(output?.json).toMatchObject({ dry_run: true, status: 409, body: { code: 'insufficient_stock' } });
});

test.each([null, '', 'yes', undefined])(
  'writes nothing if an expression returns %p instead of yes or no',
  async (v) => {
    const parameters = { resource: 'order', operation: 'create', modelName: 'x', options: { dryRun: fromItem('v') } };
    const error = await rig.n8n.refusal(parameters, { items: [{ v }] as IDataObject[], node });
    expect(error.message).toMatch(/^Dry Run: /);
    expect(fake.seen).toEqual([]);
  },
);
