import type { IDataObject } from 'n8n-workflow';
import type { Farm } from '../../kit/n8n/harness.ts';
import { EMPTY, listsOf, MISSING, WRONG, wrongListsOf } from '../../kit/n8n/odd-lists.ts';
import {
  createTriggerFarm,
  envelopeOf,
  expectIgnored,
  expectRun,
  headersOf,
  refusalOf,
  type Trigger,
  toRaw,
} from '../../kit/n8n/trigger-farm.ts';
import { forSuite } from '../../kit/opened.ts';
import { farmboard } from '../../kit/service.ts';

const site = forSuite(createTriggerFarm);
let farm: Farm;
let printer: string;
let other: string;
beforeAll(async () => {
  farm = site.farm;
  const filled = await farmboard(['demo', '--email', site.email], site.service.env);
  if (filled.code !== 0) throw new Error(filled.stderr);
  const { items } = (await site.client.get<{ items: { id: string }[] }>('/printers')).body;
  [printer, other] = items.map(({ id }) => id) as [string, string];
});
afterEach(() => site.reset());

const make = (parameters: IDataObject): Trigger =>
  farm.trigger({ events: ['order.created', 'order.status_changed'], ...parameters }, {});

async function published(parameters: IDataObject): Promise<Trigger> {
  const trigger = make(parameters);
  await trigger.publish();
  return trigger;
}

const receive = (trigger: Trigger, event: string, data: IDataObject) => {
  const raw = toRaw(envelopeOf(event, data));
  return trigger.receive(raw, headersOf(raw, trigger.memory().secret));
};

describe('Workflow Statuses', () => {
  test.each([...listsOf('assigned', 'printing'), ...listsOf('Assigned', 'PRINTING').slice(0, 4)])(
    '%j selects both statuses',
    async (workflowStatus) => {
      const trigger = await published({ filters: { workflowStatus } as IDataObject });
      for (const workflow_status of ['assigned', 'printing'])
        expectRun(await receive(trigger, 'order.status_changed', { workflow_status }));
      expectIgnored(await receive(trigger, 'order.status_changed', { workflow_status: 'done' }));
    },
  );

  const wrong = [...WRONG, ...wrongListsOf('done', 'printing')];
  test.each(wrong)('%j is an error at publish, and nothing is created', async (workflowStatus) => {
    const trigger = make({ filters: { workflowStatus } as IDataObject });
    const error = await refusalOf(trigger.publish(), [site.token]);
    expect(error.message).toMatch(/^Workflow Statuses: .* is not a workflow status\. Use one of: assigned, /);
    expect(await site.subscriptions()).toEqual([]);
  });

  test.each(EMPTY.map((value) => [value]))('%j selects all', async (workflowStatus) => {
    const trigger = await published({ filters: { workflowStatus } as IDataObject });
    expectRun(await receive(trigger, 'order.status_changed', { workflow_status: 'done' }));
  });

  test.each(MISSING)('%j is an error at publish', async (workflowStatus) => {
    const error = await refusalOf(make({ filters: { workflowStatus } as IDataObject }).publish(), [site.token]);
    expect(error.message).toMatch(/^Workflow Statuses: it is empty\. If the value comes from an expression/);
    expect(await site.subscriptions()).toEqual([]);
  });

  test('that become wrong after the publish make the delivery fail', async () => {
    const trigger = await published({ filters: { workflowStatus: ['done'] } });
    (trigger.node.parameters as IDataObject).filters = { workflowStatus: '={{ ["dne"] }}' };
    await refusalOf(receive(trigger, 'order.status_changed', { workflow_status: 'done' }), [site.token]);
  });
});

describe('Printer Names or IDs', () => {
  test('select both printers in any form', async () => {
    for (const printerIds of [...listsOf(printer, other), ...listsOf(printer.toUpperCase(), other).slice(0, 4)]) {
      const trigger = await published({ filters: { printerIds } as IDataObject });
      for (const printer_id of [printer, other])
        expectRun(await receive(trigger, 'order.status_changed', { printer_id }));
      expectIgnored(await receive(trigger, 'order.status_changed', { printer_id: null }));
      await site.reset();
    }
  });

  const [ID, OTHER] = ['01996f3e-7d4a-7c11-9b52-3f0a6c8e1d09', '01996f3e-7d4a-7c11-9b52-3f0a6c8e1d0a'];
  test.each([...WRONG, ...wrongListsOf(ID, OTHER), 'Prusa 1'])(
    '%j is an error at publish, and nothing is created',
    async (printerIds) => {
      const trigger = make({ filters: { printerIds } as IDataObject });
      const error = await refusalOf(trigger.publish(), [site.token]);
      expect(error.message).toMatch(/^Printer Names or IDs: .* is not an ID\. Choose the printers/);
      expect(await site.subscriptions()).toEqual([]);
    },
  );

  test.each(MISSING)('%j is an error at publish', async (printerIds) => {
    const error = await refusalOf(make({ filters: { printerIds } as IDataObject }).publish(), [site.token]);
    expect(error.message).toMatch(/^Printer Names or IDs: it is empty/);
    expect(await site.subscriptions()).toEqual([]);
  });

  test('that do not exist are an error at publish', async () => {
    const trigger = make({ filters: { printerIds: [printer, ID] } });
    const error = await refusalOf(trigger.publish(), [site.token]);
    expect(error.message).toMatch(/^Printer Names or IDs: there is no printer with the ID 01996f3e/);
    expect(await site.subscriptions()).toEqual([]);
  });
});

describe('Trigger On', () => {
  test('selects both events in any form', async () => {
    for (const events of listsOf('order.created', 'lead.created')) {
      const trigger = await published({ events } as IDataObject);
      expect((await site.subscriptions())[0]?.events).toEqual(['order.created', 'lead.created']);
      for (const event of ['order.created', 'lead.created']) expectRun(await receive(trigger, event, {}));
      expectIgnored(await receive(trigger, 'invoice.paid', {}));
      await site.reset();
    }
  });

  const wrong = [...WRONG, ...EMPTY, ...MISSING, ...wrongListsOf('order.created', 'lead.created')];
  test.each(wrong.map((value) => [value]))('%j is an error at publish, and nothing is created', async (events) => {
    const error = await refusalOf(make({ events } as IDataObject).publish(), [site.token]);
    expect(error.message).toMatch(/order\.created|^Trigger On: no event is selected/);
    expect(await site.subscriptions()).toEqual([]);
  });
});
