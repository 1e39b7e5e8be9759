import { eventually, PATIENCE_MS } from '../eventually.ts';

/** Node resets a kept connection that waited longer than 5 s, as while n8n loads its AI nodes on a slow machine. */
export const ON_NEW_CONNECTION = { connection: 'close' };

/** Many items, at the pace of a rate limit or on a slow machine. */
const RUN_WITHIN_MS = 10 * PATIENCE_MS;

interface Failure extends Error {
  status: number;
  /** What n8n shows to a person. */
  text: string;
}

export interface WorkflowNode {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: Record<string, unknown>;
  credentials?: Record<string, { id: string; name: string }>;
  webhookId?: string;
  retryOnFail?: boolean;
  maxTries?: number;
  waitBetweenTries?: number;
  onError?: string;
}

/** Node → output kind → output index → targets. */
export type Connections = Record<string, Record<string, Array<Array<{ node: string; type: string; index: number }>>>>;

export interface Workflow {
  id: string;
  name: string;
  versionId: string;
  active: boolean;
  nodes: WorkflowNode[];
  connections: Connections;
  settings?: Record<string, unknown>;
  /** Node → the items it is pinned to output when run by hand. */
  pinData?: Record<string, Array<{ json: Record<string, unknown> }>>;
}

export type NewWorkflow = Pick<Workflow, 'name' | 'nodes' | 'connections' | 'settings' | 'pinData'>;

interface Run {
  id: string;
  status: string;
  mode: string;
  stoppedAt: string | null;
}

interface NodeRun {
  error?: { message: string; description?: string | null };
  data?: Record<string, Array<Array<{ json: Record<string, unknown>; error?: unknown }> | null>>;
}

export interface Execution extends Run {
  data: {
    resultData: {
      error?: { message: string; description?: string | null; node?: { name: string } };
      runData: Record<string, NodeRun[]>;
    };
  };
}

/** The state of a publication in the newer engine. */
interface Publication {
  status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
  triggers: Array<{ nodeId: string; status: string; errorMessage: string | null }>;
}

export const OWNER = { email: 'owner@test.example', password: 'Test-passw0rd', firstName: 'Test', lastName: 'Owner' };
const BROWSER_ID = 'farmboard-tests';

export type N8nClient = ReturnType<typeof createN8nClient>;

type Call = ReturnType<typeof createCall>;

/** Requests in one session of n8n's editor. */
function createCall(origin: string) {
  let cookie = '';

  async function send(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const response = await fetch(origin + path, {
      method,
      headers: {
        'content-type': 'application/json',
        'browser-id': BROWSER_ID,
        'push-ref': 'tests',
        cookie,
        ...ON_NEW_CONNECTION,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const auth = response.headers.getSetCookie().find((one) => one.startsWith('n8n-auth='));
    if (auth) cookie = auth.split(';')[0] as string;
    return { status: response.status, text: await response.text() };
  }

  return async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await send(method, path, body);
    const parsed = parse(text) as { data?: T; message?: string } | undefined;
    if (status >= 400) {
      const said = parsed?.message ?? text.slice(0, 500);
      throw Object.assign(new Error(`${method} ${path} → ${status}: ${said}`), { status, text: said }) as Failure;
    }
    return (parsed && parsed.data !== undefined ? parsed.data : parsed) as T;
  };
}

const readWorkflow = (call: Call, id: string): Promise<Workflow> => call('GET', `/rest/workflows/${id}`);

function publishing(call: Call, publicationService: boolean) {
  const publicationOf = (id: string): Promise<Publication> => call('GET', `/rest/workflows/${id}/publication-status`);

  /** Waits until n8n has finished publishing or unpublishing. */
  const settled = (id: string, withinMs = PATIENCE_MS): Promise<Publication> =>
    eventually(
      () => publicationOf(id),
      ({ status }) => status !== 'in_progress',
      withinMs,
    );

  /** @returns n8n's error; undefined when the workflow is published */
  async function tryPublish(id: string): Promise<string | undefined> {
    const { versionId } = await readWorkflow(call, id);
    if (!publicationService) {
      try {
        await call('POST', `/rest/workflows/${id}/activate`, { versionId });
        return undefined;
      } catch (error) {
        return (error as Failure).text;
      }
    }
    await call('POST', `/rest/workflows/${id}/activate`, { versionId });
    const { status, triggers } = await settled(id);
    if (status === 'published') return undefined;
    return triggers.map(({ errorMessage }) => errorMessage).join('; ') || status;
  }

  return {
    /** Starts publishing without waiting for the result. */
    async startPublishing(id: string): Promise<void> {
      const { versionId } = await readWorkflow(call, id);
      await call('POST', `/rest/workflows/${id}/activate`, { versionId });
    },
    tryPublish,
    /** Publishes the saved version and waits until it is active. @throws Error with n8n's error */
    async publish(id: string): Promise<void> {
      const fault = await tryPublish(id);
      if (fault !== undefined) throw new Error(`the workflow cannot be published: ${fault}`);
    },
    settled,
    /** @returns when n8n has finished, successfully or not */
    async unpublish(id: string): Promise<void> {
      await call('POST', `/rest/workflows/${id}/deactivate`, {});
      if (publicationService) await settled(id, 90_000);
    },
    async remove(id: string): Promise<void> {
      await call('POST', `/rest/workflows/${id}/archive`, {});
      if (publicationService) await settled(id, 90_000).catch(() => undefined);
      await call('DELETE', `/rest/workflows/${id}`);
    },
    async workflows(): Promise<Array<Pick<Workflow, 'id' | 'name' | 'active'>>> {
      return call('GET', '/rest/workflows?take=100');
    },
  };
}

function executions(call: Call) {
  const list = (workflowId: string): Promise<{ results: Run[] }> =>
    call('GET', `/rest/executions?limit=100&filter=${encodeURIComponent(JSON.stringify({ workflowId }))}`);

  /** Newest first. */
  const runsOf = async (workflowId: string): Promise<Run[]> =>
    (await list(workflowId)).results.sort((a, b) => Number(b.id) - Number(a.id));

  async function execution(id: string): Promise<Execution> {
    const found = await call<Execution & { data: unknown }>('GET', `/rest/executions/${id}`);
    return typeof found.data === 'string' ? { ...found, data: unflatten(found.data) as Execution['data'] } : found;
  }

  return {
    /** "Execute workflow", to its end. */
    async run(id: string, trigger: string): Promise<Execution> {
      const workflowData = await readWorkflow(call, id);
      const body = { workflowData, startNodes: [], triggerToStartFrom: { name: trigger } };
      const { executionId } = await call<{ executionId: string }>('POST', `/rest/workflows/${id}/run`, body);
      await eventually(
        () => runsOf(id),
        (runs) => runs.some((one) => one.id === executionId && one.stoppedAt),
        RUN_WITHIN_MS,
      );
      return execution(executionId);
    },

    /** Retry in the list of executions. @returns the execution once it has ended */
    async retry(executionId: string, loadWorkflow = false): Promise<Execution> {
      const body = { loadWorkflow };
      const { id } = await call<{ id: string }>('POST', `/rest/executions/${executionId}/retry`, body);
      return execution(id);
    },

    runsOf,
    execution,
    /** Waits until the workflow has this many finished runs. @returns them, newest first */
    finishedRuns: (workflowId: string, count: number): Promise<Run[]> =>
      eventually(
        () => runsOf(workflowId),
        (runs) => runs.length >= count && runs.every((run) => run.stoppedAt),
      ),
  };
}

/** The parts of n8n's internal editor API that the tests need. */
export function createN8nClient(origin: string, publicationService: boolean) {
  const call = createCall(origin);
  const get = (id: string): Promise<Workflow> => readWorkflow(call, id);

  return {
    call,

    /** Creates the owner at the first start, signs in later. */
    async signIn(): Promise<void> {
      const settings = await call<{ userManagement: { showSetupOnFirstLoad: boolean } }>('GET', '/rest/settings');
      if (settings.userManagement.showSetupOnFirstLoad) await call('POST', '/rest/owner/setup', OWNER);
      else await call('POST', '/rest/login', { emailOrLdapLoginId: OWNER.email, password: OWNER.password });
    },

    nodeTypes: (): Promise<Array<{ name: string; [key: string]: unknown }>> => call('GET', '/types/nodes.json'),

    createCredential: (name: string, type: string, data: Record<string, unknown>): Promise<{ id: string }> =>
      call('POST', '/rest/credentials', { name, type, data }),
    updateCredential: (id: string, name: string, type: string, data: Record<string, unknown>): Promise<unknown> =>
      call('PATCH', `/rest/credentials/${id}`, { name, type, data }),
    /** Like the editor: saves the credential first and then tests it. */
    async testCredential(type: string, data: Record<string, unknown>): Promise<{ status: string; message: string }> {
      const { id } = await call<{ id: string }>('POST', '/rest/credentials', { name: 'Tested', type, data });
      try {
        return await call('POST', '/rest/credentials/test', { credentials: { id, name: 'Tested', type, data } });
      } finally {
        await call('DELETE', `/rest/credentials/${id}`);
      }
    },

    /** The entries of a dropdown. */
    listSearch: (body: Record<string, unknown>): Promise<{ results: Array<{ name: string; value: string }> }> =>
      call('POST', '/rest/dynamic-node-parameters/resource-locator-results', body),

    create: (workflow: NewWorkflow): Promise<Workflow> =>
      call('POST', '/rest/workflows', { ...workflow, settings: { executionOrder: 'v1', ...workflow.settings } }),
    get,
    /** Saves; the published version stays until it is published again. */
    async save(id: string, change: Partial<Pick<Workflow, 'name' | 'nodes' | 'connections'>>): Promise<Workflow> {
      const { versionId } = await get(id);
      return call('PATCH', `/rest/workflows/${id}`, { ...change, versionId });
    },

    ...publishing(call, publicationService),

    /** "Listen for test event". @returns whether n8n now listens */
    async listen(workflow: Workflow, trigger: string): Promise<boolean> {
      const body = { workflowData: workflow, startNodes: [], triggerToStartFrom: { name: trigger } };
      const answer = await call<{ waitingForWebhook?: boolean }>('POST', `/rest/workflows/${workflow.id}/run`, body);
      return answer.waitingForWebhook === true;
    },
    stopListening: (id: string): Promise<unknown> => call('DELETE', `/rest/test-webhook/${id}`),

    ...executions(call),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** n8n stores runs "flatted": a list in which every string inside a record or list is an index into the list. */
function unflatten(text: string): unknown {
  const flat = JSON.parse(text) as unknown[];
  const made = new Map<number, unknown>();
  const at = (index: number): unknown => {
    if (made.has(index)) return made.get(index);
    const value = flat[index];
    if (value === null || typeof value !== 'object') return value;
    const whole: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
    made.set(index, whole);
    for (const [key, part] of Object.entries(value))
      (whole as Record<string, unknown>)[key] = typeof part === 'string' ? at(Number(part)) : part;
    return whole;
  };
  return at(0);
}

/** What a node output in its last run, on all outputs. */
export const outputOf = (run: Execution, node: string): Array<Record<string, unknown>> =>
  (run.data.resultData.runData[node]?.at(-1)?.data?.main?.[0] ?? []).map(({ json }) => json);
