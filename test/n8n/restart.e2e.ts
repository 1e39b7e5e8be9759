import { randomUUID } from 'node:crypto';
import { write } from '../kit/database.ts';
import { eventually, expectSoon, PATIENCE_MS } from '../kit/eventually.ts';
import { passOn, type Seen, startFakeServer } from '../kit/n8n/fake-server.ts';
import { outputOf, type WorkflowNode } from '../kit/n8n/n8n-client.ts';
import { createOrder, openTestSetup, setStatus, subscriptionsWhen, type TestSetup } from '../kit/n8n/scene.ts';
import { ACTION_TYPE, chain, farmboardNode, manualTrigger, node, triggerWorkflow } from '../kit/n8n/workflows.ts';

// What must survive: restarts, a changed address, an outage of the farm, an n8n that is killed at the worst moment.

const EVENTS = ['order.status_changed'];

let scene: TestSetup;

beforeAll(async () => {
  scene = await openTestSetup();
});

afterEach(async () => {
  scene.spoil();
  await scene.startService();
  await scene.clear();
});

afterAll(() => scene?.close());

async function createPublished(name: string, webhookId: string = randomUUID()): Promise<string> {
  const { client } = scene.n8n;
  const { id } = await client.create(triggerWorkflow(name, scene.credential, EVENTS, { webhookId }));
  await client.publish(id);
  return id;
}

async function createEvent(): Promise<string> {
  const order = await createOrder(scene);
  await setStatus(scene, order, 'assigned');
  return order;
}

/** Waits until the workflow has run for the event of an order. */
async function expectRunOf(workflowId: string, order: string): Promise<void> {
  const { client } = scene.n8n;
  const find = async () => {
    for (const { id, status, stoppedAt } of await client.runsOf(workflowId)) {
      const [item] = stoppedAt ? outputOf(await client.execution(id), 'After') : [];
      if ((item?.data as { id?: string } | undefined)?.id === order) return status;
    }
    return undefined;
  };
  await expectSoon(find, 'success');
}

/** Proves that events still arrive and are still verified. */
const expectToRun = async (workflowId: string) => expectRunOf(workflowId, await createEvent());

/** Whether the subscription delivers the event of an order. */
async function delivers(subscriptionId: string, order: string): Promise<boolean> {
  const statusOf = async () => {
    const path = `/webhook-subscriptions/${subscriptionId}/events?after=0`;
    const { body } = await scene.api.get<{ items?: { status: string; event: { data: { id: string } } }[] }>(path);
    return body.items ? body.items.find(({ event }) => event.data.id === order)?.status : 'deleted';
  };
  return (await eventually(statusOf, (status) => status !== undefined && status !== 'sending')) === 'succeeded';
}

describe('a restart of n8n', () => {
  test('keeps using the same subscription, and Remove Duplicates knows repeats that the trigger has forgotten', async () => {
    const { client } = scene.n8n;
    const { nodes } = triggerWorkflow('Restarted', scene.credential, EVENTS);
    const [trigger, after] = nodes as [WorkflowNode, WorkflowNode];
    // as docs/guide/n8n-examples.md says
    const once = node(
      'Remove Duplicates',
      'n8n-nodes-base.removeDuplicates',
      { operation: 'removeItemsSeenInPreviousExecutions', dedupeValue: '={{ $json.delivery_id }}', options: {} },
      { typeVersion: 2 },
    );
    const connections = chain(trigger, once, after);
    const { id } = await client.create({ name: 'Restarted', nodes: [trigger, once, after], connections });
    await client.publish(id);
    const before = await scene.subscriptions();
    expect(before).toHaveLength(1);
    await expectToRun(id);
    const { target, headers, raw } = scene.front.seen.at(-1) as Seen;

    await scene.n8n.restart();

    const own = Object.entries(headers).filter(([name]) => name === 'content-type' || /^(?:x-svc|webhook)-/.test(name));
    const repeat = { method: 'POST', headers: own as [string, string][], body: Uint8Array.from(raw) };
    expect((await fetch(scene.n8n.origin + target, repeat)).status).toBe(200);
    const [run] = await client.finishedRuns(id, 2);
    expect(run!.status).toBe('success');
    expect(outputOf(await client.execution(run!.id), 'After')).toEqual([]);

    await expectToRun(id);
    expect(await scene.subscriptions()).toEqual([{ ...before[0], last_success_at: expect.any(String) }]);
  });

  test('updates the subscription’s URL', async () => {
    const { client, host } = scene.n8n;
    const workflowId = await createPublished('Moved');
    const newFront = await startFakeServer((seen) => passOn(scene.n8n.origin, seen));
    try {
      await scene.n8n.restart({ webhookUrl: `${newFront.origin}/` });
      if (host.publicationService) {
        // n8n looks only at changes of the workflow and doesn't see that its own address changed
        await client.unpublish(workflowId);
        await client.publish(workflowId);
      }

      await eventually(scene.subscriptions, (all) => all.some(({ url }) => url.startsWith(newFront.origin)));
      expect(await scene.subscriptions()).toHaveLength(1);
      await expectToRun(workflowId);
      expect(newFront.seen.map(({ status }) => status)).toEqual([200]);
    } finally {
      await scene.n8n.restart({ webhookUrl: `${scene.front.origin}/` });
      await newFront.stop();
    }
  });
});

describe('an outage of the farm', () => {
  test('leaves one working subscription when a workflow unpublished meanwhile is published again', async () => {
    const workflowId = await createPublished('Unpublished in the dark');
    await scene.stopService();
    await scene.n8n.client.unpublish(workflowId);
    await scene.startService();
    // the farm was not reached, so the orphan is still there
    await subscriptionsWhen(scene, 1);

    await scene.n8n.client.publish(workflowId);

    await subscriptionsWhen(scene, 1);
    await expectToRun(workflowId);
  });

  test('leaves one working subscription when a workflow was deleted meanwhile and another has its address', async () => {
    const { client, host } = scene.n8n;
    const webhookId = randomUUID();
    const deleted = await createPublished('Deleted in the dark', webhookId);
    await scene.stopService();
    await client.remove(deleted);
    await scene.startService();
    // the name shows a person which workflow it belonged to
    expect((await subscriptionsWhen(scene, 1))[0]!.name).toContain('Deleted in the dark');

    // the same workflow, imported again
    const { id } = await client.create(triggerWorkflow('Imported again', scene.credential, EVENTS, { webhookId }));
    const fault = await client.tryPublish(id);
    if (!host.publicationService) {
      // this engine keeps its own route when a trigger can't be unpublished, and then refuses the address to others
      // before it asks the node
      expect(fault).toMatch(/conflict/);
      return;
    }
    expect(fault).toBeUndefined();
    expect((await subscriptionsWhen(scene, 1))[0]!.name).toContain('Imported again');
    await expectToRun(id);
  });

  test('ends with the workflow running if n8n starts meanwhile', async () => {
    const { host } = scene.n8n;
    const workflowId = await createPublished('Started in the dark');
    await scene.stopService();
    // with n8n's own pauses: the publication service tries five times, and the farm must be back by then
    await scene.n8n.restart({ env: host.publicationService ? { TEST_RETRY_DELAY_MS: '1000' } : {} });
    await scene.startService();

    // n8n retries with growing pauses; a failed try deletes the subscription, and the successful one creates
    await eventually(
      async () => {
        const [subscription] = await subscriptionsWhen(scene, 1);
        const order = await createEvent();
        if (!(await delivers(subscription!.id, order))) return false;
        await expectRunOf(workflowId, order);
        const after = await scene.subscriptions();
        return after.length === 1 && after[0]!.id === subscription!.id;
      },
      (isSettled) => isSettled,
      3 * PATIENCE_MS,
    );
    await expectToRun(workflowId);
    expect(await scene.subscriptions()).toHaveLength(1);
  });
});

describe('a lost response to the creation of a subscription', () => {
  const isCreation = ({ method, path }: Seen) => method === 'POST' && path === '/webhook-subscriptions';

  test('leaves one subscription with a known secret', async () => {
    let lost = 0;
    scene.spoil((seen) => {
      if (!isCreation(seen) || lost > 0) return undefined;
      lost += 1;
      return 'cut';
    });
    const workflowId = await createPublished('Answer lost');
    expect(lost).toBe(1);
    await subscriptionsWhen(scene, 1);
    await expectToRun(workflowId);
  });

  test('is reported when repeated, and the next publishing leaves one subscription', async () => {
    const { client } = scene.n8n;
    scene.spoil((seen) => (isCreation(seen) ? 'cut' : undefined));
    const { id } = await client.create(triggerWorkflow('Answers lost', scene.credential, EVENTS));
    const said = await client.tryPublish(id);
    expect(said).toMatch(/cannot be reached/);
    expect(said).toContain(scene.gateway.origin);

    scene.spoil();
    await client.publish(id);
    await subscriptionsWhen(scene, 1);
    await expectToRun(id);
  });

  test('is followed by one subscription at the next publishing after n8n was killed', async () => {
    const { client, host } = scene.n8n;
    scene.spoil((seen) => (isCreation(seen) ? 'hang' : undefined));
    const { id } = await client.create(triggerWorkflow('Killed', scene.credential, EVENTS));
    const publishing = client.startPublishing(id).catch(() => undefined);
    await subscriptionsWhen(scene, 1);
    await scene.n8n.kill();
    await publishing;

    scene.spoil();
    if (host.publicationService) {
      // n8n waits two minutes before it takes up the work of a dead process, and then considers it published, because
      // its own route exists: it publishes again only from scratch
      await scene.n8n.restart({ env: { N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '1' } });
      await client.settled(id);
      await scene.n8n.restart();
      await client.unpublish(id);
    } else {
      await scene.n8n.restart();
    }
    await client.publish(id);
    await subscriptionsWhen(scene, 1);
    await expectToRun(id);
  });
});

test('runs the workflow once for a delivery that Farmboard starts half an hour late', async () => {
  const { client } = scene.n8n;
  const workflowId = await createPublished('Late');
  const order = await createOrder(scene);
  await setStatus(scene, order, 'assigned');
  const [first] = await client.finishedRuns(workflowId, 1);
  const [sent] = outputOf(await client.execution(first!.id), 'After');
  const late = new Date(Date.now() - 30 * 60_000);

  // like a service that stopped between the change and the delivery
  await scene.stopService();
  const delivery = `id = '${sent!.delivery_id}'`;
  const occurredAt = `occurred_at = ${late.getTime()}, body = replace(body, '${sent!.occurred_at}', '${late.toISOString()}')`;
  await write(
    scene.database,
    `UPDATE events SET ${occurredAt} WHERE seq = (SELECT event_seq FROM deliveries WHERE ${delivery})`,
  );
  await write(
    scene.database,
    `INSERT INTO deliveries (subscription_id, event_seq, subject, state, committed_at)
     SELECT subscription_id, event_seq, subject, 'pending', ${late.getTime()} FROM deliveries WHERE ${delivery}`,
  );
  await scene.startService();

  const runs = await client.finishedRuns(workflowId, 2);
  expect(runs.map(({ status }) => status)).toEqual(['success', 'success']);
  expect(outputOf(await client.execution(runs[0]!.id), 'After')[0]).toMatchObject({
    occurred_at: late.toISOString(),
    data: { id: order, workflow_status: 'assigned' },
  });
  const [subscription] = await scene.subscriptions();
  const attempts = `/webhook-subscriptions/${subscription!.id}/deliveries`;
  // recorded after the response, which the run doesn't wait for
  await expectSoon(async () => (await scene.api.get<{ items: unknown[] }>(attempts)).body.items.length, 2);
});

test.each(['hang', 'drip'] as const)(
  'fails an item after one request to a farm that never answers (%s)',
  async (answer) => {
    const { client } = scene.n8n;
    const isRead = ({ path }: Seen) => path === '/printers';
    scene.spoil((seen) => (isRead(seen) ? answer : undefined));
    const nodes = [
      manualTrigger(),
      farmboardNode('Read', ACTION_TYPE, scene.credential, { resource: 'printer', operation: 'getAll' }),
    ];
    const { id } = await client.create({ name: 'Hanging', nodes, connections: chain(...nodes) });
    const run = await client.run(id, 'Start');
    expect(run.data.resultData.error?.message).toContain('it did not answer in time');
    expect(scene.gateway.seen.filter(isRead)).toHaveLength(1);
  },
);
