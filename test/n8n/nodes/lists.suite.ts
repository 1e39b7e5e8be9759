import type { IDataObject } from 'n8n-workflow';
import { UNKNOWN_ID } from '../../kit/farm.ts';
import { passOn, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { EMPTY, listsOf, MISSING, WRONG, wrongListsOf } from '../../kit/n8n/odd-lists.ts';
import { jsonOf, startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

// Fields with several values in actions; trigger-lists.suite.ts has those of the trigger.

const fake = forSuite(startFakeServer);
const rig = forSuite(() => startRig(fake.baseUrl));
let subscription: string;
const orders: string[] = [];

const URL_OF_SUBSCRIPTION = 'https://hooks.example/farm';
const node = { typeVersion: 1 };

beforeAll(async () => {
  for (const workflow_status of ['assigned', 'printing', 'done']) {
    orders.push((await rig.farm.order({ model_name: 'odd-lists', workflow_status })).id);
  }
  const events = ['invoice.paid'];
  subscription = (
    await rig.farm.client.post<{ id: string }>('/webhook-subscriptions', { url: URL_OF_SUBSCRIPTION, events })
  ).body.id;
});
beforeEach(() => fake.answerWith((seen) => passOn(rig.farm.service.origin, seen)));

interface Field {
  parameters(value: unknown): IDataObject;
  /** two values that it takes */
  values: [string, string];
  /** what it selected, sorted */
  read(output: IDataObject[]): unknown;
  wanted(): unknown;
  error: RegExp;
  /** whether an empty list selects all */
  isFilter?: true;
}

const EVENTS: [string, string] = ['order.created', 'lead.created'];
const readEvents = ([made]: IDataObject[]) => made?.events;

const FIELDS: [string, Field][] = [
  [
    'Order → Get Many, Workflow Statuses',
    {
      parameters: (workflowStatus) =>
        ({ resource: 'order', operation: 'getAll', filters: { q: 'odd-lists', workflowStatus } }) as IDataObject,
      values: ['assigned', 'printing'],
      read: (output) => output.map(({ id }) => id).sort(),
      wanted: () => orders.slice(0, 2).sort(),
      error: /^Workflow Statuses: /,
      isFilter: true,
    },
  ],
  [
    'Order → Get, Fields',
    {
      parameters: (outputFields) =>
        ({ resource: 'order', operation: 'get', orderId: orders[0], output: 'selected', outputFields }) as IDataObject,
      values: ['id', 'model_name'],
      read: ([order]) => Object.entries(order ?? {}).sort(),
      wanted: () => [
        ['id', orders[0]],
        ['model_name', 'odd-lists'],
      ],
      error: /^Fields: /,
    },
  ],
  [
    'Webhook → Create, Events',
    {
      parameters: (events) =>
        ({ resource: 'webhook', operation: 'create', url: URL_OF_SUBSCRIPTION, events }) as IDataObject,
      values: EVENTS,
      read: readEvents,
      wanted: () => EVENTS,
      error: /^Events: |is not an event that a subscription can select$/,
    },
  ],
  [
    'Webhook → Update, Events',
    {
      parameters: (events) =>
        ({
          resource: 'webhook',
          operation: 'update',
          subscriptionId: subscription,
          updateFields: { events },
        }) as IDataObject,
      values: EVENTS,
      read: readEvents,
      wanted: () => EVENTS,
      error: /^Events: |is not an event that a subscription can select$/,
    },
  ],
];

const subscriptions = async () =>
  (await rig.farm.client.get<{ items: { id: string; events: string[] }[] }>('/webhook-subscriptions')).body.items;

describe.each(FIELDS)('%s', (_what, { parameters, values, read, wanted, error, isFilter }) => {
  beforeEach(async () => {
    for (const { id } of await subscriptions()) {
      if (id !== subscription) await rig.farm.client.delete(`/webhook-subscriptions/${id}`);
    }
    await rig.farm.client.put(`/webhook-subscriptions/${subscription}`, { events: ['invoice.paid'] });
  });

  const select = async (value: unknown) => read(jsonOf(await rig.n8n.give(parameters(value), { node })));

  test.each(listsOf(...values).map((value) => [value]))('%j selects both', async (value) => {
    expect(await select(value)).toEqual(wanted());
  });

  // n8n itself refuses a required field without members
  const empty = EMPTY.filter((value) => !Array.isArray(value) || value.length > 0);
  const wrong = [...WRONG, ...wrongListsOf(...values), ...MISSING, ...(isFilter ? [] : empty)];
  test.each(wrong.map((value) => [value]))('%j is an error', async (value) => {
    const before = await subscriptions();
    expect((await rig.n8n.refusal(parameters(value), { node })).message).toMatch(error);
    expect(await subscriptions()).toEqual(before);
  });

  if (isFilter) {
    test.each(EMPTY.map((value) => [value]))('%j selects all', async (value) => {
      expect(await select(value)).toEqual([...orders].sort());
    });
  }
});

test('no name that every object has counts as a field', async () => {
  fake.answerWith(() => ({ body: { id: UNKNOWN_ID } }));
  const parameters = { resource: 'order', operation: 'get', orderId: UNKNOWN_ID, output: 'selected' };
  for (const outputFields of ['toString', 'hasOwnProperty', '__proto__']) {
    const error = await rig.n8n.refusal({ ...parameters, outputFields }, { node });
    expect(error.message).toBe(`Fields: "${outputFields}" is not a field`);
  }
});
