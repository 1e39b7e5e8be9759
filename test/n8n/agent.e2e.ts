import { type Call, startChatModel } from '../kit/n8n/chat-model.ts';
import type { WorkflowNode } from '../kit/n8n/n8n-client.ts';
import { createOrder, openTestSetup, type TestSetup } from '../kit/n8n/scene.ts';
import { byId, chain, farmboardNode, manualTrigger, node, TOOL_TYPE } from '../kit/n8n/workflows.ts';

// Every action as a tool of n8n's AI agent, with a scripted model and real tools and server.

const AGENT_TYPE = '@n8n/n8n-nodes-langchain.agent';
const MODEL_TYPE = '@n8n/n8n-nodes-langchain.lmChatOpenAi';

interface Step {
  resource: string;
  operation: string;
  /** Besides resource and operation; what the agent fills in is an expression with $fromAI. */
  parameters?: Record<string, unknown>;
  args?: () => Record<string, unknown>;
  /** What the tool's answer must contain. */
  answers: () => unknown;
}

const fromAgent = (key: string, type = 'string') => `={{ $fromAI('${key}', 'the ${key}', '${type}') }}`;
const picked = (key: string) => byId(fromAgent(key));

let scene: TestSetup;
let order: string;
let doomedOrder: string;
let printer: string;
let filament: string;
let subscription: string;
let doomedSubscription: string;
let answers: string[];
let offered: Array<{ name: string; description?: string }>;

const STEPS: Step[] = [
  {
    resource: 'order',
    operation: 'create',
    parameters: { modelName: fromAgent('modelName') },
    args: () => ({ modelName: 'Made by an agent' }),
    answers: () => 'Made by an agent',
  },
  {
    resource: 'order',
    operation: 'createOrUpdate',
    parameters: {
      source: 'agent',
      externalId: fromAgent('externalId'),
      fields: {
        mappingMode: 'defineBelow',
        value: { model_name: fromAgent('modelName') },
        matchingColumns: [],
        schema: [{ id: 'model_name', displayName: 'Model Name', type: 'string', required: false, display: true }],
      },
    },
    args: () => ({ externalId: '5001', modelName: 'From an agent' }),
    answers: () => '"outcome":"created"',
  },
  {
    resource: 'order',
    operation: 'setStatusInBulk',
    parameters: { orderId: picked('orderId'), workflowStatus: fromAgent('status') },
    args: () => ({ orderId: doomedOrder, status: 'cancelled' }),
    answers: () => '"workflow_status":"cancelled"',
  },
  { resource: 'farm', operation: 'getSummary', answers: () => '"orders_cancelled":' },
  {
    resource: 'order',
    operation: 'get',
    parameters: { orderId: picked('orderId') },
    // an agent that was given a label passes it on unchanged
    args: () => ({ orderId: `ORDER-${order}` }),
    answers: () => order,
  },
  { resource: 'order', operation: 'getAll', parameters: { returnAll: true }, answers: () => order },
  {
    resource: 'order',
    operation: 'update',
    parameters: { orderId: picked('orderId'), output: 'raw', updateFields: { orderNotes: fromAgent('notes') } },
    args: () => ({ orderId: order, notes: 'matt, please' }),
    answers: () => 'matt, please',
  },
  {
    resource: 'order',
    operation: 'setStatus',
    parameters: { orderId: picked('orderId'), workflowStatus: fromAgent('status') },
    args: () => ({ orderId: order, status: 'printing' }),
    answers: () => '"workflow_status":"printing"',
  },
  {
    resource: 'order',
    operation: 'getHistory',
    parameters: { orderId: picked('orderId'), returnAll: true },
    args: () => ({ orderId: order }),
    answers: () => 'printing',
  },
  {
    resource: 'order',
    operation: 'delete',
    parameters: { orderId: picked('orderId') },
    args: () => ({ orderId: doomedOrder }),
    answers: () => '"deleted":true',
  },
  {
    resource: 'printer',
    operation: 'get',
    parameters: { printerId: picked('printerId') },
    args: () => ({ printerId: printer }),
    answers: () => printer,
  },
  { resource: 'printer', operation: 'getAll', parameters: { returnAll: true }, answers: () => printer },
  {
    resource: 'filament',
    operation: 'get',
    parameters: { filamentId: picked('filamentId') },
    args: () => ({ filamentId: filament }),
    answers: () => filament,
  },
  { resource: 'filament', operation: 'getAll', parameters: { returnAll: true }, answers: () => filament },
  {
    resource: 'filament',
    operation: 'consume',
    parameters: { filamentId: picked('filamentId'), output: 'raw', grams: fromAgent('grams', 'number') },
    args: () => ({ filamentId: filament, grams: 12.5 }),
    answers: () => '"used_grams":12.5',
  },
  {
    resource: 'filament',
    operation: 'addBatch',
    parameters: { filamentId: picked('filamentId'), spoolCount: fromAgent('spools', 'number') },
    args: () => ({ filamentId: filament, spools: 3 }),
    answers: () => '"spool_count":3',
  },
  {
    resource: 'filament',
    operation: 'create',
    parameters: { name: fromAgent('name') },
    args: () => ({ name: 'PETG by an agent' }),
    answers: () => 'PETG by an agent',
  },
  {
    resource: 'filament',
    operation: 'getLedger',
    parameters: { filamentId: picked('filamentId') },
    args: () => ({ filamentId: filament }),
    answers: () => '"kind":"consumption"',
  },
  {
    resource: 'webhook',
    operation: 'create',
    parameters: { url: fromAgent('url'), events: ['order.created'] },
    args: () => ({ url: `${scene.front.origin}/nobody/agent` }),
    answers: () => '/nobody/agent',
  },
  {
    resource: 'webhook',
    operation: 'get',
    parameters: { subscriptionId: picked('webhookId') },
    args: () => ({ webhookId: subscription }),
    answers: () => subscription,
  },
  { resource: 'webhook', operation: 'getAll', parameters: { returnAll: true }, answers: () => subscription },
  {
    resource: 'webhook',
    operation: 'update',
    parameters: { subscriptionId: picked('webhookId'), updateFields: { name: fromAgent('name') } },
    args: () => ({ webhookId: subscription, name: 'Renamed by an agent' }),
    answers: () => 'Renamed by an agent',
  },
  {
    resource: 'webhook',
    operation: 'sendTest',
    parameters: { subscriptionId: picked('webhookId') },
    args: () => ({ webhookId: subscription }),
    answers: () => 'webhook.test',
  },
  {
    resource: 'webhook',
    operation: 'getDeliveries',
    parameters: { subscriptionId: picked('webhookId'), returnAll: true },
    args: () => ({ webhookId: subscription }),
    answers: () => 'webhook.test',
  },
  {
    resource: 'event',
    operation: 'getAll',
    parameters: { returnAll: true, filters: { event: 'order.created' } },
    answers: () => order,
  },
  {
    resource: 'webhook',
    operation: 'delete',
    parameters: { subscriptionId: picked('webhookId') },
    args: () => ({ webhookId: doomedSubscription }),
    answers: () => '"deleted":true',
  },
];

const nameOf = ({ resource, operation }: Step): string => `${resource}_${operation}`;

beforeAll(async () => {
  scene = await openTestSetup();
  await scene.farmboard('demo', '--email', scene.email);
  order = await createOrder(scene);
  doomedOrder = await createOrder(scene);
  printer = (await scene.api.get<{ items: Array<{ id: string }> }>('/printers')).body.items[0]!.id;
  const made = await scene.api.post<{ id: string }>('/filaments', { name: 'PLA', spool_count: 1 });
  filament = made.body.id;
  const createSubscription = async (path: string) => {
    const body = { url: `${scene.front.origin}/nobody/${path}`, events: ['order.created'] };
    return (await scene.api.post<{ id: string }>('/webhook-subscriptions', body)).body.id;
  };
  subscription = await createSubscription('kept');
  doomedSubscription = await createSubscription('doomed');

  const model = await startChatModel(
    STEPS.map((step) => (): Call => ({ tool: nameOf(step), args: step.args?.() ?? {} })),
  );
  try {
    const { client } = scene.n8n;
    const data = { apiKey: 'unused', url: model.url };
    const { id: modelCredential } = await client.createCredential('Model', 'openAiApi', data);
    const start = manualTrigger();
    const agent = node(
      'Agent',
      AGENT_TYPE,
      { promptType: 'define', text: 'Do all of it.', options: { maxIterations: STEPS.length + 5 } },
      { typeVersion: await newestVersion(AGENT_TYPE) },
    );
    const chat = node(
      'Model',
      MODEL_TYPE,
      { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
      // the last version that uses chat completions by default
      { typeVersion: 1.2, credentials: { openAiApi: { id: modelCredential, name: 'Model' } } },
    );
    const tools = STEPS.map((step) =>
      farmboardNode(nameOf(step), TOOL_TYPE, scene.credential, {
        resource: step.resource,
        operation: step.operation,
        ...step.parameters,
      }),
    );
    const connections = chain(start, agent);
    const attach = ({ name }: WorkflowNode, type: string) => {
      connections[name] = { [type]: [[{ node: 'Agent', type, index: 0 }]] };
    };
    attach(chat, 'ai_languageModel');
    for (const tool of tools) attach(tool, 'ai_tool');
    const { id } = await client.create({ name: 'Agent', nodes: [start, agent, chat, ...tools], connections });

    const run = await client.run(id, 'Start');
    expect(run.data.resultData.error?.message).toBeUndefined();
    answers = model.toolAnswers();
    offered = model.requests[0]!.tools!.map((tool) => tool.function);
  } finally {
    await model.stop();
  }
});

afterAll(() => scene?.close());

async function newestVersion(type: string): Promise<number> {
  const found = (await scene.n8n.client.nodeTypes()).filter(({ name }) => name === type);
  return Math.max(...found.flatMap(({ version }) => version as number | number[]));
}

test('offers every action with a description', () => {
  expect(offered.map(({ name }) => name).sort()).toEqual(STEPS.map(nameOf).sort());
  for (const { description } of offered) expect(description).toMatch(/\w{3,}/);
  expect(new Set(offered.map(({ description }) => description)).size).toBe(STEPS.length);
});

test.each(STEPS.map((step, i) => [nameOf(step), step, i] as const))('answers %s', (_name, step, i) => {
  expect(answers[i]?.replace(/\\"/g, '"')).toContain(step.answers());
});

test('does what the tools reported', async () => {
  const { api } = scene;
  expect((await api.get(`/print-jobs/${order}`)).body).toMatchObject({
    workflow_status: 'printing',
    order_notes: 'matt, please',
  });
  expect((await api.get(`/print-jobs/${doomedOrder}`)).status).toBe(404);
  expect((await api.get(`/filaments/${filament}`)).body).toMatchObject({ used_grams: 12.5, spool_count: 4 });
  const names = (await scene.subscriptions()).map(({ name }) => name);
  expect(names).toContain('Renamed by an agent');
  expect((await scene.subscriptions()).map(({ id }) => id)).not.toContain(doomedSubscription);
});
