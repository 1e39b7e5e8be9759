import { createOrder, openTestSetup, type TestSetup } from '../kit/n8n/scene.ts';
import { ACTION_TYPE, chain, farmboardNode, manualTrigger, node } from '../kit/n8n/workflows.ts';

// More items than the rate limit of the account allows: one execution that waits and ends by itself.

/** The default limit would take 2,000 orders and two minutes. A slow machine has to reach it within a minute. */
const [LIMIT, ORDERS] = process.env.FARMBOARD_TEST_LONG ? [1200, 2000] : [20, 35];

let scene: TestSetup;

beforeAll(async () => {
  scene = await openTestSetup();
});

afterAll(() => scene?.close());

test('sets the status of every order in one execution despite the rate limit', async () => {
  const { client } = scene.n8n;
  const ids: string[] = [];
  for (let n = 0; n < ORDERS; n += 1) ids.push(await createOrder(scene));
  await scene.stopService();
  await scene.startService({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });

  const jsCode = `return ${JSON.stringify(ids)}.map((id) => ({ json: { id } }));`;
  const nodes = [
    manualTrigger(),
    node('Orders', 'n8n-nodes-base.code', { jsCode }, { typeVersion: 2 }),
    farmboardNode('Set', ACTION_TYPE, scene.credential, {
      resource: 'order',
      operation: 'setStatus',
      orderId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
      workflowStatus: 'done',
    }),
  ];
  const { id } = await client.create({ name: 'Many', nodes, connections: chain(...nodes) });
  const run = await client.run(id, 'Start');

  expect(run.data.resultData.error?.message).toBeUndefined();
  expect(run.data.resultData.runData.Set?.at(-1)?.data?.main?.[0]).toHaveLength(ORDERS);
  const answered = (wanted: number) =>
    scene.gateway.seen.filter(({ method, status }) => method === 'PUT' && status === wanted);
  expect(answered(429).length).toBeGreaterThan(0);
  expect(answered(200)).toHaveLength(ORDERS);
});
