import { randomUUID } from 'node:crypto';
import { eventually } from '../kit/eventually.ts';
import { passOn } from '../kit/n8n/fake-server.ts';
import { outputOf, type WorkflowNode } from '../kit/n8n/n8n-client.ts';
import { createOrder, openTestSetup, subscriptionsWhen, type TestSetup } from '../kit/n8n/scene.ts';
import { ACTION_TYPE, byId, chain, farmboardNode, manualTrigger, noOp, TRIGGER_TYPE } from '../kit/n8n/workflows.ts';

// What an outage leaves behind must be there in the morning, whatever was done to the workflow since.

declare global {
  /** the storage of the farm here: PostgreSQL for one of the n8n's, where it answers */
  var FARMBOARD_MISSED_ON: 'sqlite' | 'postgres';
}

const MISSED = 50;

describe(`with Farmboard on ${globalThis.FARMBOARD_MISSED_ON}`, () => {
  let scene: TestSetup;
  let workflowId: string;
  const orders: string[] = [];

  beforeAll(async () => {
    scene = await openTestSetup(globalThis.FARMBOARD_MISSED_ON);
    const event = { resource: 'event', operation: 'getAll', source: 'missed', returnAll: true };
    const resend = { resource: 'webhook', operation: 'resend', subscriptionId: byId('={{ $json.webhook_id }}') };
    const trigger = { events: ['order.created'], options: {} };
    const nodes = [
      farmboardNode('Trigger', TRIGGER_TYPE, scene.credential, trigger, { webhookId: randomUUID() }),
      noOp('After'),
      manualTrigger(),
      farmboardNode('Missed', ACTION_TYPE, scene.credential, event),
      farmboardNode('Again', ACTION_TYPE, scene.credential, { ...resend, deliveryId: '={{ $json.delivery_id }}' }),
    ];
    const connections = wire(nodes);
    workflowId = (await scene.n8n.client.create({ name: 'Missed', nodes, connections })).id;
    await scene.n8n.client.publish(workflowId);
  });
  afterAll(() => scene?.close());

  const wire = ([trigger, after, ...rest]: WorkflowNode[]) => ({ ...chain(trigger!, after!), ...chain(...rest) });

  /** The orders in the list of missed events of the one subscription. */
  async function missed(): Promise<string[]> {
    const [subscription] = await subscriptionsWhen(scene, 1);
    const list = `/webhook-subscriptions/${subscription!.id}/events?missed=true&per_page=200`;
    const { items } = (await scene.api.get<{ items: { event: { data: { id: string } } }[] }>(list)).body;
    return items.map(({ event }) => event.data.id);
  }

  async function publish(change: (node: WorkflowNode) => WorkflowNode): Promise<void> {
    const { client } = scene.n8n;
    const nodes = (await client.get(workflowId)).nodes.map(change);
    await client.save(workflowId, { nodes, connections: wire(nodes) });
    await client.publish(workflowId);
  }
  const isTrigger = ({ type }: WorkflowNode): boolean => type === TRIGGER_TYPE;

  test('events that n8n refuses are missed', async () => {
    scene.front.answerWith(() => ({ status: 404 }));
    while (orders.length < MISSED - 1) orders.push(await createOrder(scene));
    await eventually(missed, (all) => all.length === orders.length);
    scene.front.answerWith((seen) => passOn(scene.n8n.origin, seen));
    expect(await missed()).toEqual(orders);
  });

  test.each<[string, (node: WorkflowNode) => WorkflowNode]>([
    ['another node is moved', (node) => (node.name === 'After' ? { ...node, position: [400, 80] } : node)],
    ['the trigger is moved', (node) => (isTrigger(node) ? { ...node, position: [-80, 16] } : node)],
    [
      'its events are changed',
      (node) => (isTrigger(node) ? { ...node, parameters: { events: ['order.created', 'invoice.paid'] } } : node),
    ],
    ['it is renamed', (node) => (isTrigger(node) ? { ...node, name: 'Order event' } : node)],
  ])('they stay missed when %s', async (_what, change) => {
    await publish(change);
    expect(await missed()).toEqual(orders);
  });

  test('they stay missed when it is unpublished and published, and what happened between is missed, too', async () => {
    await scene.n8n.client.unpublish(workflowId);
    await subscriptionsWhen(scene, 0);
    orders.push(await createOrder(scene));
    await scene.n8n.client.publish(workflowId);
    expect(await missed()).toEqual(orders);
  });

  test('each is caught up exactly once', async () => {
    const { client } = scene.n8n;
    const catchUp = async () => {
      // fifty deliveries and as many runs of the workflow, on one n8n
      const run = await client.run(workflowId, 'Start');
      expect(run.data.resultData.error?.message).toBeUndefined();
      return outputOf(run, 'Missed').map(({ data }) => (data as { id: string }).id);
    };
    const runs = async () => (await client.runsOf(workflowId)).filter(({ mode }) => mode === 'webhook');
    const settled = () => eventually(runs, (all) => all.length >= MISSED && all.every(({ stoppedAt }) => stoppedAt));

    scene.front.seen.length = 0;
    expect(await catchUp()).toEqual(orders);
    expect(new Set((await settled()).map(({ status }) => status))).toEqual(new Set(['success']));
    const taken = scene.front.seen.filter(({ status }) => status === 200);
    expect(taken.map(({ raw }) => (JSON.parse(raw.toString()) as { data: { id: string } }).data.id)).toEqual(orders);

    expect(await catchUp()).toEqual([]);
    expect(await settled()).toHaveLength(MISSED);
  });
});
