import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { passOn, type Seen } from '../kit/n8n/fake-server.ts';
import { ON_NEW_CONNECTION, outputOf } from '../kit/n8n/n8n-client.ts';
import { createOrder, openTestSetup, setStatus, subscriptionsWhen, type TestSetup } from '../kit/n8n/scene.ts';
import { triggerWorkflow } from '../kit/n8n/workflows.ts';

// The life of a trigger, in the order in which a user goes through it.

const NAME = 'Bench lamp';
const SIGNATURE = 'webhook-signature';
const TIMESTAMP = 'webhook-timestamp';
const DELIVERY = 'x-svc-delivery';
const SENT = ['x-svc-signature', 'webhook-id', TIMESTAMP, SIGNATURE, DELIVERY];

let scene: TestSetup;
let workflowId: string;
let order: string;

beforeAll(async () => {
  scene = await openTestSetup();
  order = await createOrder(scene);
  const { client } = scene.n8n;
  const workflow = await client.create(triggerWorkflow(NAME, scene.credential, ['order.status_changed']));
  workflowId = workflow.id;
});

afterAll(() => scene?.close());

/** what the farm has sent to the production address, oldest first */
const sentToProduction = (): Seen[] => scene.front.seen.filter(({ path }) => path.startsWith('/webhook/'));

/** Sends to n8n what the farm sent before, changed. @returns the status that n8n answers */
async function sendAgain(
  { target, headers, raw }: Seen,
  change: (copy: { headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer> }) => void = () => undefined,
): Promise<number> {
  const copy: Parameters<typeof change>[0] = {
    headers: {
      'content-type': 'application/json',
      ...Object.fromEntries(SENT.map((name) => [name, String(headers[name])])),
    },
    body: raw.toString('utf8'),
  };
  change(copy);
  const sent = { ...copy.headers, ...ON_NEW_CONNECTION };
  const response = await fetch(scene.n8n.origin + target, { method: 'POST', headers: sent, body: copy.body });
  return response.status;
}

test('creates exactly one subscription, named after its workflow', async () => {
  await scene.n8n.client.publish(workflowId);

  const subscriptions = await scene.subscriptions();
  expect(subscriptions).toHaveLength(1);
  expect(subscriptions[0]).toMatchObject({
    name: expect.stringContaining(NAME),
    url: expect.stringMatching(new RegExp(`^${scene.front.origin}/webhook/[^/]+/webhook$`)),
    events: ['order.status_changed'],
    enabled: true,
    format: 'signed',
  });
});

test('runs the workflow with the verified event after a status change', async () => {
  await setStatus(scene, order, 'assigned');

  const [run] = await scene.n8n.client.finishedRuns(workflowId, 1);
  expect(run).toMatchObject({ status: 'success', mode: 'webhook' });
  const [item] = outputOf(await scene.n8n.client.execution(run!.id), 'After');
  expect(item).toMatchObject({
    event: 'order.status_changed',
    data: { id: order, workflow_status: 'assigned' },
    delivery_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(sentToProduction().map(({ status }) => status)).toEqual([200]);
});

describe('an unsigned request', () => {
  const FORGERIES: Array<[string, Parameters<typeof sendAgain>[1]]> = [
    [
      'a tampered body',
      (copy) => Object.assign(copy, { body: String(copy.body).replace('"assigned"', '"cancelled"') }),
    ],
    ['the same body written otherwise', (copy) => Object.assign(copy, { body: ` ${copy.body}` })],
    [
      'a wrong secret',
      (copy) => {
        const signed = `${copy.headers['webhook-id']}.${copy.headers[TIMESTAMP]}.${copy.body}`;
        copy.headers[SIGNATURE] = `v1,${createHmac('sha256', 'wrong').update(signed).digest('base64')}`;
      },
    ],
    [
      'the time of another attempt',
      (copy) => Object.assign(copy.headers, { [TIMESTAMP]: String(Number(copy.headers[TIMESTAMP]) + 1) }),
    ],
    ['no signature', (copy) => delete copy.headers[SIGNATURE]],
    ['an empty signature', (copy) => Object.assign(copy.headers, { [SIGNATURE]: '' })],
    [
      'a signature without its prefix',
      (copy) => Object.assign(copy.headers, { [SIGNATURE]: copy.headers[SIGNATURE]!.slice(3) }),
    ],
    ['a cut signature', (copy) => Object.assign(copy.headers, { [SIGNATURE]: copy.headers[SIGNATURE]!.slice(0, -1) })],
    ['an empty body', (copy) => Object.assign(copy, { body: '' })],
  ];

  test.each(FORGERIES)('is answered with 401: %s', async (_what, forge) => {
    const [genuine] = sentToProduction();
    expect(await sendAgain(genuine!, forge)).toBe(401);
  });

  test('leaves no run behind, nor does a repetition, also as another delivery', async () => {
    const [genuine] = sentToProduction();
    expect(await sendAgain(genuine!)).toBe(200);
    expect(await sendAgain(genuine!, (copy) => Object.assign(copy.headers, { [DELIVERY]: randomUUID() }))).toBe(200);
    expect(await scene.n8n.client.finishedRuns(workflowId, 1)).toHaveLength(1);
  });
});

test('runs an event that a proxy compressed: the signature is over what n8n unpacks', async () => {
  scene.front.answerWith((seen) => {
    const raw = gzipSync(seen.raw);
    const headers = { ...seen.headers, 'content-encoding': 'gzip', 'content-length': String(raw.length) };
    return passOn(scene.n8n.origin, { ...seen, headers, raw });
  });
  await setStatus(scene, order, 'confirmed');
  const runs = await scene.n8n.client.finishedRuns(workflowId, 2);
  expect(runs.map(({ status }) => status)).toEqual(['success', 'success']);
  scene.front.answerWith((seen) => passOn(scene.n8n.origin, seen));
});

test('acknowledges a test event without a run', async () => {
  const [subscription] = await scene.subscriptions();
  const { body } = await scene.api.post(`/webhook-subscriptions/${subscription!.id}/test`);
  expect(body).toMatchObject({ event: 'webhook.test', status: 'succeeded', response_status: 200 });

  await setStatus(scene, order, 'printing');
  expect(await scene.n8n.client.finishedRuns(workflowId, 3)).toHaveLength(3);
});

describe('listening for a test event beside the published workflow', () => {
  const kinds = async () =>
    (await scene.subscriptions()).map(({ url }) => (url.includes('/webhook-test/') ? 'test' : 'production')).sort();

  const listen = async () => {
    const workflow = await scene.n8n.client.get(workflowId);
    expect(await scene.n8n.client.listen(workflow, 'Farmboard Trigger')).toBe(true);
  };

  test('creates a second subscription, named as a test', async () => {
    await listen();

    expect(await kinds()).toEqual(['production', 'test']);
    const subscriptions = await scene.subscriptions();
    for (const { name } of subscriptions) expect(name).toContain(NAME);
    const test = subscriptions.find(({ url }) => url.includes('/webhook-test/'));
    expect(test?.name).toMatch(/test/i);
    expect(new Set(subscriptions.map(({ name }) => name)).size).toBe(2);
  });

  test('runs both once for one event and deletes the test subscription', async () => {
    await setStatus(scene, order, 'packing');

    const runs = await scene.n8n.client.finishedRuns(workflowId, 5);
    expect(
      runs
        .slice(0, 2)
        .map(({ mode, status }) => `${mode} ${status}`)
        .sort(),
    ).toEqual(['manual success', 'webhook success']);
    await subscriptionsWhen(scene, 1);
    expect(await kinds()).toEqual(['production']);
  });

  test('deletes only the test subscription when listening stops', async () => {
    await listen();
    expect(await kinds()).toEqual(['production', 'test']);
    await scene.n8n.client.stopListening(workflowId);
    await subscriptionsWhen(scene, 1);
    expect(await kinds()).toEqual(['production']);
  });
});

describe('Execute step', () => {
  const execute = async (event: string) => {
    const { client } = scene.n8n;
    const workflow = await client.create(triggerWorkflow(event, scene.credential, [event], { executeStep: 'last' }));
    // n8n waits for a request to the test URL, which the trigger then sends itself
    expect(await client.listen(workflow, 'Farmboard Trigger')).toBe(true);
    const [run] = await client.finishedRuns(workflow.id, 1);
    expect(run).toMatchObject({ mode: 'manual', status: 'success' });
    const [item] = outputOf(await client.execution(run!.id), 'After');
    await subscriptionsWhen(scene, 1);
    await client.remove(workflow.id);
    return item;
  };

  test('shows the last event of the account', async () => {
    const { items } = (await scene.api.get<{ items: object[] }>('/events?event=order.status_changed&per_page=1')).body;
    const { id: _id, ...last } = items[0] as Record<string, unknown>;
    // the trigger shows an example if the farm takes more than five seconds
    await expectSoon(() => execute('order.status_changed'), {
      ...last,
      delivery_id: null,
      sequence: null,
      sample: true,
    });
  });

  test('shows the documented example of an event that never happened', async () => {
    const { 'application/json': content } = scene.api.document.webhooks['lead.created']?.post.requestBody.content ?? {};
    const { example } = content as unknown as { example: object };
    expect(await execute('lead.created')).toEqual({ ...example, delivery_id: null, sequence: null, sample: true });
  });
});

test('updates the one subscription when other events are chosen', async () => {
  const { client } = scene.n8n;
  const { nodes } = await client.get(workflowId);
  const changed = nodes.map((node) =>
    node.name === 'Farmboard Trigger'
      ? { ...node, parameters: { ...node.parameters, events: ['order.created', 'filament.low_stock'] } }
      : node,
  );
  await client.save(workflowId, { nodes: changed });
  await client.publish(workflowId);

  const subscriptions = await eventually(
    scene.subscriptions,
    (all) => all.length === 1 && all[0]!.events.includes('order.created'),
  );
  expect([...subscriptions[0]!.events].sort()).toEqual(['filament.low_stock', 'order.created']);

  const before = (await client.runsOf(workflowId)).length;
  await setStatus(scene, order, 'done');
  const created = await createOrder(scene);
  const runs = await client.finishedRuns(workflowId, before + 1);
  expect(runs).toHaveLength(before + 1);
  const [item] = outputOf(await client.execution(runs[0]!.id), 'After');
  expect(item).toMatchObject({ event: 'order.created', data: { id: created } });
});

test('receives all events', async () => {
  const { client } = scene.n8n;
  const { nodes } = await client.get(workflowId);
  await client.save(workflowId, {
    nodes: nodes.map((node) =>
      node.name === 'Farmboard Trigger' ? { ...node, parameters: { ...node.parameters, events: ['*'] } } : node,
    ),
  });
  await client.publish(workflowId);

  const all = Object.keys(scene.api.document.webhooks).filter((event) => event !== 'webhook.test');
  const subscriptions = await eventually(
    scene.subscriptions,
    ([subscription]) => subscription?.events.length === all.length,
  );
  expect(subscriptions).toHaveLength(1);
  expect([...subscriptions[0]!.events].sort()).toEqual(all.sort());
});

test('deletes the subscription and its URL on unpublishing', async () => {
  const [genuine] = sentToProduction();
  await scene.n8n.client.unpublish(workflowId);
  await subscriptionsWhen(scene, 0);
  expect(await sendAgain(genuine!)).toBe(404);
});
