import { expectSoon } from '../kit/eventually.ts';
import { outputOf } from '../kit/n8n/n8n-client.ts';
import { openTestSetup, subscriptionsWhen, type TestSetup } from '../kit/n8n/scene.ts';
import {
  ACTION_TYPE,
  byId,
  CREDENTIAL_TYPE,
  chain,
  farmboardNode,
  manualTrigger,
  triggerWorkflow,
} from '../kit/n8n/workflows.ts';

// What a user reads when it cannot work. Each text must be sufficient, because n8n shows the message in one version and the
// description in another.

const EVENTS = ['order.created'];
const MAX_SUBSCRIPTIONS = 10;

let scene: TestSetup;

beforeAll(async () => {
  scene = await openTestSetup();
});

afterEach(() => scene.clear());
afterAll(() => scene?.close());

async function createTrigger(name: string, credential = scene.credential): Promise<string> {
  return (await scene.n8n.client.create(triggerWorkflow(name, credential, EVENTS))).id;
}

async function makeCredential(data: Partial<TestSetup['credentialData']>): Promise<{ id: string; name: string }> {
  const whole = { ...scene.credentialData, ...data };
  const { id } = await scene.n8n.client.createCredential('Another', CREDENTIAL_TYPE, whole);
  return { id, name: 'Another' };
}

/** A token of this account that was revoked. */
async function revokedToken(): Promise<string> {
  const { stdout } = await scene.farmboard('token', 'create', '--email', scene.email, '--name', 'short-lived');
  await scene.farmboard('token', 'revoke', '--email', scene.email, '--name', 'short-lived');
  return stdout.trim();
}

describe('a revoked access token', () => {
  const CLEAR = /access token.*(revoked|not accept)|(revoked|not accept).*access token/is;

  test('fails publishing with an explanation', async () => {
    const credential = await makeCredential({ accessToken: await revokedToken() });
    const id = await createTrigger('Revoked', credential);
    expect(await scene.n8n.client.tryPublish(id)).toMatch(CLEAR);
    expect(await scene.subscriptions()).toEqual([]);
  });

  test('logs the failure of unpublishing, and the next publishing leaves one subscription', async () => {
    const { client } = scene.n8n;
    const { stdout } = await scene.farmboard('token', 'create', '--email', scene.email, '--name', 'ending');
    const credential = await makeCredential({ accessToken: stdout.trim() });
    const id = await createTrigger('Revoked later', credential);
    await client.publish(id);
    const before = scene.n8n.log().length;

    await scene.farmboard('token', 'revoke', '--email', scene.email, '--name', 'ending');
    await client.unpublish(id);
    expect(await scene.subscriptions()).toHaveLength(1);
    await expectSoon(
      () => scene.n8n.log().slice(before),
      expect.stringContaining('Farmboard did not accept the access token'),
    );

    await client.updateCredential(credential.id, credential.name, CREDENTIAL_TYPE, scene.credentialData);
    await client.publish(id);
    expect(await scene.subscriptions()).toHaveLength(1);
    await client.unpublish(id);
    await subscriptionsWhen(scene, 0);
  });

  test('fails the node of a running workflow with an explanation', async () => {
    const { client } = scene.n8n;
    const credential = await makeCredential({ accessToken: await revokedToken() });
    const start = manualTrigger();
    const read = farmboardNode('Read', ACTION_TYPE, credential, { resource: 'printer', operation: 'getAll' });
    const { id } = await client.create({ name: 'Revoked', nodes: [start, read], connections: chain(start, read) });

    const run = await client.run(id, 'Start');
    expect(run.status).toBe('error');
    const { error } = run.data.resultData;
    expect(error?.node?.name).toBe('Read');
    expect(error?.message).toMatch(/did not accept the access token/);
    expect(error?.description).toMatch(/revoked/);
  });

  test('never shows the token', async () => {
    const { client } = scene.n8n;
    const accessToken = await revokedToken();
    const credential = await makeCredential({ accessToken });
    const start = manualTrigger();
    const read = farmboardNode('Read', ACTION_TYPE, credential, { resource: 'printer', operation: 'getAll' });
    const { id } = await client.create({ name: 'Revoked', nodes: [start, read], connections: chain(start, read) });
    const run = await client.run(id, 'Start');
    expect(JSON.stringify(run)).not.toContain(accessToken);
    expect(scene.n8n.log()).not.toContain(accessToken);
  });
});

describe('an account whose subscriptions are all taken', () => {
  async function takeAll(): Promise<string[]> {
    const taken: string[] = [];
    for (let i = 0; i < MAX_SUBSCRIPTIONS; i += 1) {
      const body = { url: `http://127.0.0.1:9/hook-${i}`, events: EVENTS, name: `Somebody ${i}` };
      taken.push((await scene.api.post<{ id: string }>('/webhook-subscriptions', body)).body.id);
    }
    return taken;
  }

  test('fails publishing without changes until one is free', async () => {
    const { client } = scene.n8n;
    const [first] = await takeAll();
    const before = await scene.subscriptions();

    const id = await createTrigger('One too many');
    const said = await client.tryPublish(id);
    expect(said).toMatch(/10 .*channels/);
    // the remedy must be in the text that n8n shows
    expect(said).toContain('Delete a channel you no longer need');
    expect(await scene.subscriptions()).toEqual(before);

    await scene.api.delete(`/webhook-subscriptions/${first}`);
    // puts away what was half done, like a user
    await client.unpublish(id);
    await client.publish(id);
    expect((await scene.subscriptions()).map(({ name }) => name)).toContainEqual(
      expect.stringContaining('One too many'),
    );
  });
});

test('refuses an unknown status and keeps the order', async () => {
  const { client } = scene.n8n;
  const body = { model_name: 'Cup', workflow_status: 'printing' };
  const { id: orderId } = (await scene.api.post<{ id: string }>('/print-jobs', body)).body;
  const start = manualTrigger();
  const set = farmboardNode('Set', ACTION_TYPE, scene.credential, {
    resource: 'order',
    operation: 'setStatus',
    orderId: byId(orderId),
    workflowStatus: '={{ "Finished" }}',
  });
  const { id } = await client.create({ name: 'Typo', nodes: [start, set], connections: chain(start, set) });

  const run = await client.run(id, 'Start');
  expect(run.status).toBe('error');
  expect(outputOf(run, 'Set')).toEqual([]);
  expect(run.data.resultData.error?.message).toMatch(/Finished/);
  expect((await scene.api.get(`/print-jobs/${orderId}`)).body).toMatchObject({ workflow_status: 'printing' });
});
