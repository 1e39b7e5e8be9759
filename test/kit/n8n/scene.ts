import { type Client, createClient } from '../client.ts';
import { eventually } from '../eventually.ts';
import { createAccountWithToken, createDataFolder, farmboard, type Service, startService } from '../service.ts';
import { type FakeServer, passOn, type Spoiling, spoiledBy, startFakeServer } from './fake-server.ts';
import { type N8n, useN8n } from './n8n.ts';
import { forgetProcess, noteProcess } from './processes.ts';
import { CREDENTIAL_TYPE } from './workflows.ts';

export interface Subscription {
  id: string;
  name: string;
  url: string;
  events: string[];
  enabled: boolean;
}

/** A farm, an n8n, and the proxies between them. */
export interface TestSetup {
  n8n: N8n;
  /** The farm's API, bypassing the gateway. */
  api: Client;
  email: string;
  token: string;
  /** The proxy through which n8n reaches the farm: its address stays the same whatever happens behind it. */
  gateway: FakeServer;
  /** Which responses of the farm are lost or replaced from now on; none by default. */
  spoil(spoil?: Spoiling): void;
  /** The proxy through which the farm reaches n8n: WEBHOOK_URL. */
  front: FakeServer;
  credential: { id: string; name: string };
  credentialData: { baseUrl: string; accessToken: string };
  stopService(): Promise<void>;
  /** does nothing where it is up */
  startService(env?: Record<string, string>): Promise<void>;
  /** the farm's database, for one change while the service is stopped */
  database: string;
  /** the command line beside the running service */
  farmboard(...args: string[]): Promise<{ stdout: string }>;
  subscriptions(): Promise<Subscription[]>;
  /** every workflow and every subscription goes */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openTestSetup(engine: 'sqlite' | 'postgres' = 'sqlite'): Promise<TestSetup> {
  const data = createDataFolder(engine);
  let service: Service = await startService(data.env);
  let isUp = true;
  noteProcess(service.pid);

  async function stopService(): Promise<void> {
    await service.stop();
    isUp = false;
    forgetProcess(service.pid);
  }

  const port = new URL(service.origin).port;
  const n8n = await useN8n();
  const { email, token } = await createAccountWithToken(service.env);
  const api = await createClient(service.origin, token);
  const gateway = await startFakeServer();
  const spoil = (how?: Spoiling) => gateway.answerWith(spoiledBy(() => service.origin, how));
  spoil();
  const front = await startFakeServer((seen) => passOn(n8n.origin, seen), n8n.frontPort);
  const credentialData = { baseUrl: gateway.baseUrl, accessToken: token };
  const { id } = await n8n.client.createCredential('Farm', CREDENTIAL_TYPE, credentialData);

  async function removeWorkflows(): Promise<void> {
    for (const workflow of await n8n.client.workflows()) {
      if (workflow.active) await n8n.client.unpublish(workflow.id);
      await n8n.client.remove(workflow.id);
    }
  }

  const subscriptions = async () =>
    (await api.get<{ items: Subscription[] }>('/webhook-subscriptions?per_page=200')).body.items;

  return {
    n8n,
    api,
    email,
    token,
    gateway,
    spoil,
    front,
    credential: { id, name: 'Farm' },
    credentialData,
    stopService,
    database: data.file,
    async startService(env = {}) {
      if (isUp) return;
      service = await startService({ ...data.env, PORT: port, ...env });
      isUp = true;
      noteProcess(service.pid);
    },
    async farmboard(...args) {
      const { code, stdout, stderr } = await farmboard(args, data.env);
      if (code !== 0) throw new Error(stderr);
      return { stdout };
    },
    subscriptions,
    async clear() {
      await removeWorkflows();
      for (const { id } of await subscriptions()) await api.delete(`/webhook-subscriptions/${id}`);
    },
    async close() {
      // a workflow that stays would try to reach this farm at the next start of n8n
      await removeWorkflows().finally(async () => {
        await front.stop();
        await gateway.stop();
        if (isUp) await stopService();
        data.remove();
      });
    },
  };
}

/** Waits until the account has this many subscriptions, and gives them. */
export const subscriptionsWhen = (scene: TestSetup, count: number): Promise<Subscription[]> =>
  eventually(scene.subscriptions, (subscriptions) => subscriptions.length === count);

let orders = 0;

export async function createOrder(scene: TestSetup, fields: Record<string, unknown> = {}): Promise<string> {
  orders += 1;
  const body = { model_name: `Bracket ${orders}`, workflow_status: 'confirmed', ...fields };
  return (await scene.api.post<{ id: string }>('/print-jobs', body)).body.id;
}

export async function setStatus(scene: TestSetup, id: string, status: string): Promise<void> {
  const { status: answered } = await scene.api.put(`/print-jobs/${id}`, { workflow_status: status });
  if (answered !== 200) throw new Error(`the status was not set: ${answered}`);
}
