import type { IDataObject } from 'n8n-workflow';
import { eventually } from '../kit/eventually.ts';
import { createHarness, TRIGGER_TYPE, TYPE } from '../kit/n8n/harness.ts';
import {
  differencesOf,
  type OpenFixture,
  openFixture,
  RELEASES,
  readWorkflow,
  receiveAt,
} from '../kit/release-fixture.ts';
import { type Service, startService } from '../kit/service.ts';

/** Of what a node creates. */
const CHANGING = new Set(['id', 'created_at', 'updated_at']);

describe.each(RELEASES)('a workflow saved with the nodes of %s', (release) => {
  const { workflow, outputs } = readWorkflow(release);
  const saved = workflow.nodes.find(({ type }) => type === TRIGGER_TYPE) as (typeof workflow.nodes)[number];
  const steps = workflow.nodes.filter(({ type }) => type === TYPE);
  const memory = workflow.staticData[`node:${saved.name}`] as { subscriptionId: string; secret: string };

  let old: OpenFixture;
  let service: Service;
  let n8n: Awaited<ReturnType<typeof createHarness>>;

  beforeAll(async () => {
    old = await openFixture(release);
    service = await startService(old.env);
    n8n = await createHarness({ baseUrl: service.baseUrl, accessToken: old.farm.tokens.valid });
  });

  afterAll(async () => {
    await service?.kill();
    old?.remove();
  });

  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${service.baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${old.farm.tokens.valid}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { id: string; url: string; total: number };
  };

  test.each(steps)('$name gives the same output', async ({ name, parameters }) => {
    const given = await n8n.give(parameters as IDataObject, { node: { typeVersion: 1 } });
    const was = outputs[name] as object[];
    expect(was.length).toBeGreaterThan(0);
    expect(
      differencesOf(
        was,
        given.map(({ json }) => json),
        CHANGING,
      ),
    ).toEqual([]);
  });

  test('still counts an order among the options of Consume', async () => {
    const { parameters } = steps.find(({ parameters }) => parameters.operation === 'consume') as (typeof steps)[number];
    const { id } = await ask('POST', '/print-jobs', { model_name: 'Consumed for', workflow_status: 'confirmed' });
    const options = { orderId: { __rl: true, mode: 'id', value: id } };
    for (const typeVersion of [1, 1.1]) {
      await n8n.give({ ...parameters, grams: '1.5', options } as IDataObject, { node: { typeVersion } });
    }
    const { items } = (await ask('GET', `/print-jobs/${id}/history`)) as unknown as { items: { grams?: number }[] };
    expect(items.map(({ grams }) => grams).filter((grams) => grams)).toEqual([1.5, 1.5]);
  });

  test('keeps the trigger’s subscription and secret', async () => {
    const subscription = await ask('GET', `/webhook-subscriptions/${memory.subscriptionId}`);
    const before = (await ask('GET', '/webhook-subscriptions')).total;
    const trigger = n8n.trigger(saved.parameters as IDataObject, {
      workflowId: workflow.id,
      workflowName: workflow.name,
      webhookId: saved.webhookId as string,
      webhookBaseUrl: subscription.url.split(`/${saved.webhookId}`)[0] as string,
      node: { id: saved.id, name: saved.name },
    });
    trigger.setMemory(memory);
    await trigger.publish();
    expect(trigger.memory()).toMatchObject(memory);
    expect((await ask('GET', '/webhook-subscriptions')).total).toBe(before);

    const receiver = await receiveAt(subscription.url);
    try {
      const order = await ask('POST', '/print-jobs', { model_name: 'For the trigger', workflow_status: 'confirmed' });
      const [sent] = await eventually(
        () => receiver.requests.filter(({ body }) => body.data.id === order.id),
        (all) => all.length > 0,
      );
      const { raw, headers } = sent as NonNullable<typeof sent>;
      const taken = await trigger.receive(raw, headers as Record<string, string>);
      expect(taken.items).toEqual([
        expect.objectContaining({ event: 'order.created', data: expect.objectContaining({ id: order.id }) }),
      ]);
      trigger.setMemory({ ...memory, secret: `${memory.secret}.` });
      expect(await trigger.receive(raw, headers as Record<string, string>)).toMatchObject({ status: 401 });
    } finally {
      await receiver.stop();
    }
  });
});
