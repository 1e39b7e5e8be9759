import type { IDataObject } from 'n8n-workflow';
import { eventually } from '../../kit/eventually.ts';
import {
  createTriggerFarm,
  envelopeOf,
  expectIgnored,
  expectRun,
  headersOf,
  type Subscription,
  type Trigger,
  toRaw,
} from '../../kit/n8n/trigger-farm.ts';
import { forSuite } from '../../kit/opened.ts';
import { farmboard } from '../../kit/service.ts';

// What Farmboard is told to leave out, and what the trigger still ignores by itself.

const site = forSuite(createTriggerFarm);
let printers: string[];

beforeAll(async () => {
  const filled = await farmboard(['demo', '--email', site.email], site.service.env);
  if (filled.code !== 0) throw new Error(filled.stderr);
  const { items } = (await site.client.get<{ items: { id: string }[] }>('/printers')).body;
  printers = items.map(({ id }) => id).sort();
});
afterEach(() => site.reset());

const EVENTS = ['order.created', 'order.status_changed'];

const make = (filters: IDataObject): Trigger => site.farm.trigger({ events: EVENTS, filters });

/** The same node after an edit, with what n8n stored. */
function edited(trigger: Trigger, filters: IDataObject): Trigger {
  const again = site.farm.trigger(
    { events: EVENTS, filters },
    { webhookId: trigger.node.webhookId as string, node: { id: trigger.node.id } },
  );
  again.setMemory(trigger.memory() as IDataObject);
  return again;
}

type Filtered = Subscription & { filter: IDataObject | null };

async function filterOf(trigger: Trigger): Promise<IDataObject | null> {
  return ((await site.subscription(trigger.memory().subscriptionId)) as Filtered).filter;
}

const writes = () => site.proxy.seen.filter(({ method }) => method !== 'GET').map(({ method }) => method);

test('is told to Farmboard at publish', async () => {
  const [one, other] = printers as [string, string];
  const trigger = make({
    workflowStatus: ['printing', 'done'],
    printerIds: `${other}, ${one.toUpperCase()}`,
    materialNames: ' PETG,PLA silk ',
  });
  await trigger.publish();
  expect(await filterOf(trigger)).toEqual({
    workflow_status: ['done', 'printing'],
    printer_id: [one, other],
    material_name: ['PETG', 'PLA silk'],
  });
});

test('keeps other events from being delivered at all', async () => {
  const trigger = make({ materialNames: ['PETG'], workflowStatus: ['confirmed'] });
  await trigger.publish();
  const order = (fields: object) => site.client.post('/print-jobs', { model_name: 'x', ...fields });
  await order({ material_name: 'PLA', workflow_status: 'confirmed' });
  await order({ material_name: 'PETG', workflow_status: 'done' });
  const { id } = (await order({ material_name: 'PETG', workflow_status: 'confirmed' })).body;
  const sequence = `/webhook-subscriptions/${trigger.memory().subscriptionId}/events`;
  const items = await eventually(
    async () =>
      (await site.client.get<{ items: { sequence: number; event: { data: { id: string } } }[] }>(sequence)).body.items,
    (all) => all.length > 0,
  );
  expect(items.map((one) => [one.sequence, one.event.data.id])).toEqual([[1, id]]);
});

test('is changed with the workflow, and cleared with it', async () => {
  const trigger = make({ workflowStatus: ['done'] });
  await trigger.publish();
  const { subscriptionId, secret } = trigger.memory();

  site.proxy.rule(() => 'forward');
  const again = edited(trigger, { workflowStatus: ['packing'], materialNames: 'PLA' });
  await again.publish();
  expect(writes()).toEqual(['PUT']);
  expect(await filterOf(again)).toEqual({ workflow_status: ['packing'], material_name: ['PLA'] });

  const cleared = edited(again, {});
  await cleared.publish();
  expect(await filterOf(cleared)).toBeNull();
  expect(cleared.memory()).toMatchObject({ subscriptionId, secret });
});

test('is not written again while it is the same, whatever its order', async () => {
  const [one, other] = printers as [string, string];
  const trigger = make({ printerIds: [other, one], workflowStatus: ['packing', 'done'] });
  await trigger.publish();
  site.proxy.rule(() => 'forward');
  await edited(trigger, { workflowStatus: ['done', 'packing'], printerIds: [one, other] }).publish();
  expect(writes()).toEqual([]);
});

test('also holds in the trigger, for what was sent before a change', async () => {
  const trigger = make({ materialNames: ['PETG', 'PLA'] });
  await trigger.publish();
  const receive = (event: string, data: IDataObject) => {
    const raw = toRaw(envelopeOf(event, data));
    return trigger.receive(raw, headersOf(raw, trigger.memory().secret));
  };
  expectRun(await receive('order.created', { material_name: 'PLA' }));
  expectIgnored(await receive('order.created', { material_name: 'pla' }));
  expectIgnored(await receive('order.status_changed', { material_name: '' }));
});

test('without its deleted printers lets a published workflow start with n8n', async () => {
  const [one] = printers as [string];
  const gone = '01996f3e-7d4a-7c11-9b52-3f0a6c8e1d09';
  const trigger = make({ printerIds: [one, gone] });
  await trigger.publish('trigger', 'init');
  expect(await filterOf(trigger)).toEqual({ printer_id: [one] });
  const only = make({ printerIds: [gone] });
  await only.publish('trigger', 'init');
  expect(await filterOf(only)).toBeNull();
});
