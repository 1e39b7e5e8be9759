import { everyThird, type Seen, spoiled } from '../kit/n8n/fake-server.ts';
import { type Execution, outputOf } from '../kit/n8n/n8n-client.ts';
import { openTestSetup, type TestSetup } from '../kit/n8n/scene.ts';
import { ACTION_TYPE, byId, chain, farmboardNode, manualTrigger, node, noOp } from '../kit/n8n/workflows.ts';

// Filament is deducted once, even if every third response is lost after the deduction.

const TIMES = 100;
const GRAMS = 1.5;
const RETRY = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };

let scene: TestSetup;

beforeAll(async () => {
  scene = await openTestSetup();
});

afterEach(() => scene.spoil());
afterAll(() => scene?.close());

const isConsumption = ({ method, path }: Seen) => method === 'POST' && path.endsWith('/consume');

async function createFilament(): Promise<string> {
  const body = { name: 'PLA white', spool_weight_grams: 1000, spool_count: 1 };
  return (await scene.api.post<{ id: string }>('/filaments', body)).body.id;
}

/** As many items as deductions. */
const numbers = (times: number) =>
  node(
    'Numbers',
    'n8n-nodes-base.code',
    {
      jsCode: `return Array.from({ length: ${times} }, (_, i) => ({ json: { i } }));`,
    },
    { typeVersion: 2 },
  );

const consume = (filamentId: string, more: Record<string, unknown> = RETRY) =>
  farmboardNode(
    'Consume',
    ACTION_TYPE,
    scene.credential,
    { resource: 'filament', operation: 'consume', filamentId: byId(filamentId), grams: GRAMS },
    more,
  );

async function runAll(
  name: string,
  nodes: ReturnType<typeof node>[],
  connections: ReturnType<typeof chain>,
): Promise<Execution> {
  const { client } = scene.n8n;
  const { id } = await client.create({ name, nodes, connections });
  return client.run(id, 'Start');
}

async function expectDeducted(filamentId: string, times: number): Promise<void> {
  const ledger = `/filaments/${filamentId}/ledger?per_page=200`;
  const { items } = (await scene.api.get<{ items: Array<{ kind: string; grams: number }> }>(ledger)).body;
  const deductions = items.filter(({ kind }) => kind === 'consumption');
  const { used_grams } = (await scene.api.get(`/filaments/${filamentId}`)).body;
  expect({ deductions: deductions.length, used_grams }).toEqual({ deductions: times, used_grams: times * GRAMS });
}

test('deducts each of 100 items once when every third response is lost or comes from a proxy', async () => {
  const filamentId = await createFilament();
  const flaky = everyThird(isConsumption, ['cut', spoiled(503), spoiled(502), spoiled(504)]);
  scene.spoil(flaky.spoil);
  const nodes = [manualTrigger(), numbers(TIMES), consume(filamentId)];

  const run = await runAll('All at once', nodes, chain(...nodes));

  expect(run.data.resultData.error?.message).toBeUndefined();
  expect(run.status).toBe('success');
  expect(run.data.resultData.runData.Consume?.at(-1)?.data?.main?.[0]).toHaveLength(TIMES);
  expect(flaky.times()).toBeGreaterThanOrEqual(TIMES / 3);
  await expectDeducted(filamentId, TIMES);
});

test('deducts each of 100 items of a loop once when a proxy answers 500 and n8n retries the node', async () => {
  const filamentId = await createFilament();
  const flaky = everyThird(isConsumption, [spoiled(500)]);
  scene.spoil(flaky.spoil);
  const start = manualTrigger();
  const items = numbers(TIMES);
  const loop = node('Loop', 'n8n-nodes-base.splitInBatches', { batchSize: 1, options: {} }, { typeVersion: 3 });
  const used = consume(filamentId);
  const done = noOp('Done');
  const connections = {
    ...chain(start, items, loop),
    Loop: {
      main: [[{ node: 'Done', type: 'main', index: 0 }], [{ node: 'Consume', type: 'main', index: 0 }]],
    },
    Consume: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
  };

  const run = await runAll('Loop', [start, items, loop, used, done], connections);

  expect(run.data.resultData.error?.message).toBeUndefined();
  expect(run.status).toBe('success');
  expect(run.data.resultData.runData.Consume).toHaveLength(TIMES);
  expect(flaky.times()).toBeGreaterThanOrEqual(TIMES / 3);
  await expectDeducted(filamentId, TIMES);
});

test('deducts again when the same node runs in the next execution', async () => {
  const { client } = scene.n8n;
  const filamentId = await createFilament();
  const nodes = [manualTrigger(), consume(filamentId)];
  const { id } = await client.create({ name: 'Twice', nodes, connections: chain(...nodes) });
  for (const times of [1, 2]) {
    expect((await client.run(id, 'Start')).status).toBe('success');
    await expectDeducted(filamentId, times);
  }
});

describe('Retry in the list of executions', () => {
  const twoItems = (second: number) =>
    node(
      'Items',
      'n8n-nodes-base.code',
      { jsCode: `return [{ json: { grams: 4 } }, { json: { grams: ${second} } }];` },
      {
        typeVersion: 2,
      },
    );

  async function failing(name: string, second: number) {
    const filamentId = await createFilament();
    const used = consume(filamentId, {});
    used.parameters.grams = '={{ $json.grams }}';
    const nodes = [manualTrigger(), twoItems(second), used];
    const { client } = scene.n8n;
    const { id } = await client.create({ name, nodes, connections: chain(...nodes) });
    const failed = await client.run(id, 'Start');
    expect(failed.status).toBe('error');
    return { filamentId, failed, id };
  }

  const usedGrams = async (filamentId: string) => (await scene.api.get(`/filaments/${filamentId}`)).body.used_grams;

  test('deducts the first of two items once when run three times after the second failed', async () => {
    const { client } = scene.n8n;
    const { filamentId, failed } = await failing('Retried', -1);
    expect(await usedGrams(filamentId)).toBe(4);
    let last = failed;
    for (let n = 0; n < 3; n += 1) {
      last = await client.retry(last.id);
      expect(last.status).toBe('error');
      expect(last.data.resultData.error?.message).toContain('Grams: -1 is not more than 0');
      expect(await usedGrams(filamentId)).toBe(4);
    }
    // and from the first execution again
    await client.retry(failed.id);
    expect(await usedGrams(filamentId)).toBe(4);
  });

  test('continues with the remaining items', async () => {
    const { client } = scene.n8n;
    const { filamentId, failed } = await failing('Retried with more stock', 998);
    await scene.api.post(`/filaments/${filamentId}/batches`, { spool_count: 1 });
    const retried = await client.retry(failed.id);
    expect(retried.status).toBe('success');
    expect(outputOf(retried, 'Consume').map(({ remaining_grams }) => remaining_grams)).toEqual([996, 998]);
  });

  test('refuses an item that was edited since', async () => {
    const { client } = scene.n8n;
    const { filamentId, failed, id } = await failing('Edited', -1);
    const { nodes } = await client.get(id);
    const edited = nodes.map((one) =>
      one.name === 'Consume' ? { ...one, parameters: { ...one.parameters, grams: 5 } } : one,
    );
    await client.save(id, { nodes: edited });
    const retried = await client.retry(failed.id, true);
    expect(retried.data.resultData.error?.message).toContain('already written; start a new execution');
    expect(await usedGrams(filamentId)).toBe(4);
  });
});

test('reports insufficient stock with the missing amount and deducts nothing', async () => {
  const { client } = scene.n8n;
  const filamentId = await createFilament();
  const used = consume(filamentId, {});
  used.parameters.grams = 1000.5;
  const nodes = [manualTrigger(), used];
  const { id } = await client.create({ name: 'Too much', nodes, connections: chain(...nodes) });

  const run = await client.run(id, 'Start');

  expect(run.status).toBe('error');
  expect(run.data.resultData.error?.message).toMatch(/1000\.5.*1000/);
  await expectDeducted(filamentId, 0);
});
