import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type {
  IDataObject,
  IExecuteData,
  INode,
  INodeExecutionData,
  INodeType,
  INodeTypes,
  IRun,
  IWorkflowExecuteAdditionalData,
  WorkflowActivateMode,
  WorkflowExecuteMode,
} from 'n8n-workflow';

// keeps n8n-core from writing its settings into the home folder; set before it is loaded
const USER_FOLDER = mkdtempSync(join(tmpdir(), 'farmboard-n8n-'));
process.env.N8N_USER_FOLDER = USER_FOLDER;
process.env.N8N_ENCRYPTION_KEY = 'for-tests-only';

const mockPauses: number[] = [];
jest.mock('n8n-workflow', () => ({
  ...jest.requireActual<object>('n8n-workflow'),
  // tests don't wait for the pauses between the node's own tries
  sleep: async (ms: number) => {
    mockPauses.push(ms);
  },
}));

/** The pauses the node would have made since the test began, in milliseconds. */
export const pauses = mockPauses;

const { ExecuteContext, HookContext, LoadOptionsContext, PackageDirectoryLoader, WebhookContext, WorkflowExecute } =
  require('n8n-core') as typeof import('n8n-core');
const { Workflow, createRunExecutionData } = require('n8n-workflow') as typeof import('n8n-workflow');

const PACKAGE = resolve(__dirname, '../../..');
export const TYPE = 'n8n-nodes-farmboard.farmboard';
export const TRIGGER_TYPE = 'n8n-nodes-farmboard.farmboardTrigger';

export interface Credentials {
  baseUrl: string;
  accessToken: string;
}

export type Farm = Awaited<ReturnType<typeof createHarness>>;

beforeEach(() => {
  pauses.length = 0;
});

afterAll(() => {
  rmSync(USER_FOLDER, { recursive: true, force: true });
  // ends the background work of n8n-core, which would keep the test process alive
  const { Container } = require('@n8n/di') as { Container: { get(type: unknown): { onShutdown(): void } } };
  const { SSHClientsManager } = require('n8n-core/dist/execution-engine/ssh-clients-manager');
  Container.get(SSHClientsManager).onShutdown();
});

const loader = new PackageDirectoryLoader(PACKAGE);

beforeAll(() => loader.loadAll());

/** Outputs the items it was given, like a node before ours. */
const source = (items: IDataObject[]): INodeType => ({
  description: {
    displayName: 'Source',
    name: 'source',
    group: ['input'],
    version: 1,
    description: '',
    defaults: { name: 'Source' },
    inputs: [],
    outputs: ['main'],
    properties: [],
  },
  async execute() {
    return [items.map((json, item) => ({ json, pairedItem: { item } }))];
  },
});

const typeOf = (name: string) => loader.getNode(name.split('.').pop() as string).type as INodeType;
function typesWith(items: IDataObject[]): INodeTypes {
  const get = (name: string) => (name === 'test.source' ? source(items) : typeOf(name));
  return { getByName: get, getByNameAndVersion: get, getKnownTypes: () => ({}) } as unknown as INodeTypes;
}

const credentialsHelperOf = (credentials: Credentials) => ({
  getParentTypes: () => [],
  isCredentialUsableByNode: () => true,
  getCredentials: async (_node: unknown, type: string) => ({ id: '1', name: 'Farmboard', type, data: '' }),
  getDecrypted: async () => ({ ...credentials }),
  preAuthentication: async () => undefined,
  runPreAuthentication: async () => undefined,
  authenticate: async (data: Credentials, _type: string, request: { headers?: IDataObject }) => ({
    ...request,
    headers: { ...request.headers, Authorization: `Bearer ${data.accessToken.trim()}` },
  }),
  getCredentialsProperties: () => loader.getCredential('farmboardApi').type.properties,
  updateCredentials: async () => {},
});

const additionalDataOf = (credentials: Credentials, more: Partial<IWorkflowExecuteAdditionalData>) =>
  ({
    credentialsHelper: credentialsHelperOf(credentials),
    executionId: randomUUID(),
    currentNodeExecutionIndex: 0,
    restApiUrl: '',
    instanceBaseUrl: 'http://127.0.0.1:5678/',
    formWaitingBaseUrl: 'http://127.0.0.1:5678/form-waiting',
    webhookBaseUrl: 'http://127.0.0.1:5678/webhook',
    webhookTestBaseUrl: 'http://127.0.0.1:5678/webhook-test',
    webhookWaitingBaseUrl: 'http://127.0.0.1:5678/webhook-waiting',
    variables: {},
    userId: 'u',
    setExecutionStatus() {},
    sendDataToUI() {},
    hooks: { runHook: async () => {}, addHandler() {} },
    ...more,
  }) as unknown as IWorkflowExecuteAdditionalData;

type AdditionalData = (more?: Partial<IWorkflowExecuteAdditionalData>) => IWorkflowExecuteAdditionalData;

const makeNode = (type: string, more: Partial<INode> = {}): INode => ({
  id: randomUUID(),
  name: type === TYPE ? 'Farmboard' : 'Farmboard Trigger',
  type,
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
  credentials: { farmboardApi: { id: '1', name: 'Farmboard' } },
  ...more,
});

interface RunOptions {
  items?: IDataObject[];
  node?: Partial<INode>;
  executionId?: string;
  /** The workflow's time zone; by default that of the process. */
  timezone?: string;
}

function makeRun(parameters: IDataObject, { items = [{}], node, timezone }: RunOptions) {
  const farmboard = makeNode(TYPE, { parameters: parameters as never, ...node });
  const start = makeNode('test.source', { name: 'Source', credentials: {} });
  const workflow = new Workflow({
    id: 'w1',
    name: 'Tests',
    active: false,
    nodeTypes: typesWith(items),
    settings: { executionOrder: 'v1', ...(timezone === undefined ? {} : { timezone }) },
    nodes: [start, farmboard],
    connections: { Source: { main: [[{ node: 'Farmboard', type: 'main', index: 0 }]] } },
  });
  return { workflow, start, farmboard };
}

interface ExecutionOptions {
  executionId: string;
  runIndex?: number;
  nodeId?: string;
  workflowId?: string;
  /** n8n's data of the execution, the same in all calls of one. */
  data?: ReturnType<typeof createRunExecutionData>;
}

/** The node called like an AI agent's tool: `runIndex` increases with each call and each try. */
function createExecution(
  parameters: IDataObject,
  {
    executionId,
    runIndex = 0,
    nodeId = 'tool-node',
    workflowId = 'w1',
    data = createRunExecutionData(),
  }: ExecutionOptions,
  additionalData: AdditionalData,
) {
  const node = makeNode(TYPE, {
    id: nodeId,
    name: nodeId,
    parameters: parameters as never,
  });
  const workflow = new Workflow({
    id: workflowId,
    active: false,
    nodeTypes: typesWith([]),
    nodes: [node],
    connections: {},
  });
  const items: INodeExecutionData[] = [{ json: {} }];
  const execution: IExecuteData = { node, data: { main: [items] }, source: null };
  return new ExecuteContext(
    workflow,
    node,
    additionalData({ executionId }),
    'manual',
    data,
    runIndex,
    items,
    { main: [items] },
    execution,
    [],
  );
}

export interface TriggerOptions {
  workflowName?: string;
  webhookId?: string;
  webhookBaseUrl?: string;
  workflowId?: string;
  node?: Partial<INode>;
}

/** A trigger in its own workflow, with n8n's life cycle. */
function createTrigger(parameters: IDataObject, more: TriggerOptions, additionalData: AdditionalData) {
  const node = makeNode(TRIGGER_TYPE, {
    parameters: parameters as never,
    webhookId: more.webhookId ?? randomUUID(),
    ...more.node,
  });
  const type = typeOf(TRIGGER_TYPE);
  const makeWorkflow = (staticData: IDataObject) =>
    new Workflow({
      id: more.workflowId ?? 'w-trigger',
      name: more.workflowName ?? 'Orders to chat',
      active: true,
      nodeTypes: typesWith([]),
      nodes: [node],
      connections: {},
      staticData,
    });
  let workflow = makeWorkflow({});
  const { webhookBaseUrl } = more;
  const data = additionalData(webhookBaseUrl ? { webhookBaseUrl, webhookTestBaseUrl: webhookBaseUrl } : {});
  const hook = (mode: WorkflowExecuteMode = 'trigger', activation: WorkflowActivateMode = 'activate') =>
    new HookContext(workflow, node, data, mode, mode === 'manual' ? 'manual' : activation, {
      isTest: mode === 'manual',
    } as never);
  const methods = type.webhookMethods?.default;
  if (!methods) throw new Error('the trigger has no webhook methods');

  return {
    node,
    data,
    methods,
    url: (mode?: WorkflowExecuteMode) => hook(mode).getNodeWebhookUrl('default'),
    memory: () => workflow.getStaticData('node', node) as { subscriptionId?: string; secret?: string },
    setMemory(memory: IDataObject) {
      workflow = makeWorkflow({ [`node:${node.name}`]: memory });
    },
    checkExists: (mode?: WorkflowExecuteMode) => methods.checkExists.call(hook(mode)),
    create: (mode?: WorkflowExecuteMode) => methods.create.call(hook(mode)),
    delete: (mode?: WorkflowExecuteMode) => methods.delete.call(hook(mode)),

    /** Publishes like n8n: checks first, then creates. */
    async publish(mode?: WorkflowExecuteMode, activation?: WorkflowActivateMode) {
      if (!(await methods.checkExists.call(hook(mode, activation)))) await methods.create.call(hook(mode, activation));
    },

    /** One request to the trigger; `status` is what the node wrote to the response itself. */
    async receive(rawBody: Buffer | undefined, headers: Record<string, string>, mode: WorkflowExecuteMode = 'webhook') {
      let status: number | undefined;
      let ended = false;
      const response = {
        status(code: number) {
          status = code;
          return response;
        },
        end(...written: unknown[]) {
          if (written.length > 0) throw new Error('the refusal has a body');
          ended = true;
        },
      };
      const request = { rawBody, body: {}, headers, query: {}, params: {} };
      const webhookDescription = type.description.webhooks?.[0] as never;
      const context = new WebhookContext(
        workflow,
        node,
        { ...data, httpRequest: request, httpResponse: response } as never,
        mode,
        { webhookDescription, node: node.name } as never,
        [],
        null,
      );
      const result = await type.webhook?.call(context);
      return { result, status, ended, items: result?.workflowData?.[0]?.map(({ json }) => json) };
    },
  };
}

/**
 * The built package, run by n8n-core: the engine's own parameter and expression handling, request helpers, retries and
 * error outputs. Only the credential store and the expressions of the credential are replaced.
 */
export async function createHarness(credentials: Credentials) {
  const additionalData: AdditionalData = (more = {}) => additionalDataOf(credentials, more);

  /** Runs the action node behind a source of items; resolves with the whole run. */
  async function run(parameters: IDataObject, options: RunOptions = {}) {
    const { workflow, start } = makeRun(parameters, options);
    const data = additionalData(options.executionId === undefined ? {} : { executionId: options.executionId });
    return await new WorkflowExecute(data, 'manual').run({ workflow, startNode: start });
  }

  /** Like Retry in the list of executions: another execution that continues where the failed one ended. */
  async function retry(failed: IRun, parameters: IDataObject, options: RunOptions = {}) {
    // n8n reads the failed execution from its database
    const data = JSON.parse(JSON.stringify(failed.data)) as typeof failed.data;
    const [waiting] = data.executionData?.nodeExecutionStack ?? [];
    if (!waiting) throw new Error('the run did not fail');
    delete data.resultData.error;
    data.resultData.runData.Farmboard?.pop();
    const { workflow, farmboard } = makeRun(parameters, { ...options, node: { ...options.node, id: waiting.node.id } });
    waiting.node = farmboard;
    return await new WorkflowExecute(additionalData(), 'retry', data).processRunExecutionData(workflow);
  }

  return {
    typeOf,
    credentialType: loader.getCredential('farmboardApi').type,
    credentials,
    run,
    retry,

    /** The node's output item by item. @throws the error of the node */
    async give(parameters: IDataObject, options: RunOptions = {}): Promise<INodeExecutionData[]> {
      const outputs = outputsOf(await run(parameters, options));
      return outputs[0] as INodeExecutionData[];
    },

    /** The error of a run that must fail. */
    async refusal(parameters: IDataObject, options: RunOptions = {}) {
      const { error } = (await run(parameters, options)).data.resultData;
      if (!error) throw new Error('the run did not fail');
      return error as Error & {
        description?: string;
        httpCode?: string;
        context: { itemIndex?: number; code?: string; outcomeUnknown?: boolean };
      };
    },

    /** What the editor shows below the name of a node. */
    subtitleOf(type: string, parameters: IDataObject): unknown {
      const node = makeNode(type, { parameters: parameters as never, typeVersion: 1 });
      const { subtitle } = typeOf(type).description;
      const workflow = new Workflow({ active: false, nodeTypes: typesWith([]), nodes: [node], connections: {} });
      return workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {});
    },

    /** A context for one of the node's methods (`listSearch`, `loadOptions`). */
    loadOptions(type = TYPE) {
      const node = makeNode(type);
      const workflow = new Workflow({
        id: 'w1',
        active: false,
        nodeTypes: typesWith([]),
        nodes: [node],
        connections: {},
      });
      return new LoadOptionsContext(workflow, node, additionalData(), '');
    },

    execution: (parameters: IDataObject, options: ExecutionOptions) =>
      createExecution(parameters, options, additionalData),

    trigger: (parameters: IDataObject, more: TriggerOptions = {}) => createTrigger(parameters, more, additionalData),
  };
}

/** What the node output on each of its outputs. */
export function outputsOf(run: IRun): (INodeExecutionData[] | null)[] {
  const { error, runData } = run.data.resultData;
  if (error) throw error;
  return runData.Farmboard?.at(-1)?.data?.main ?? [];
}
