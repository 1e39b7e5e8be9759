import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, sortField } from '../../shared/descriptions';
import { subscriptionLocator } from '../../shared/locators';
import type { Item, Operation } from '../../shared/operation';
import { path } from '../../shared/transport';
import { EVENTS } from '../../shared/vocabulary';

const FROM_WEBHOOK = { show: { source: ['webhook'] } };

export const getAll: Operation = {
  fields: [
    ...fieldsOf(
      'event',
      ['getAll'],
      [
        {
          displayName: 'Source',
          name: 'source',
          type: 'options',
          options: [
            {
              name: 'Event Log',
              value: 'log',
              description: 'All events of the account, whether or not a webhook received them',
            },
            {
              name: 'Missed by This Workflow',
              value: 'missed',
              description: 'The events Farmboard could not deliver to the triggers of this workflow',
            },
            {
              name: 'Webhook',
              value: 'webhook',
              description: 'The events sent to one webhook, numbered in order, with the result of each delivery',
            },
          ],
          default: 'log',
          description: 'Where to read the events from. Farmboard keeps them for 30 days.',
        },
        { ...subscriptionLocator, displayOptions: FROM_WEBHOOK },
        {
          displayName: 'After Sequence',
          name: 'afterSequence',
          type: 'number',
          typeOptions: { minValue: 0 },
          default: 0,
          displayOptions: FROM_WEBHOOK,
          description: 'Only events after this number: the "sequence" of the last event you have',
        },
      ],
    ),
    ...listFields('event', 'getAll'),
    ...fieldsOf(
      'event',
      ['getAll'],
      [
        collection('filters', 'Filters', 'Add filter', [
          {
            displayName: 'Event',
            name: 'event',
            type: 'options',
            options: EVENTS,
            default: 'order.created',
            description: 'Only events of this kind',
          },
          {
            displayName: 'From Event ID',
            name: 'from',
            type: 'string',
            default: '',
            placeholder: 'e.g. 01a226a8-8886-76f7-90b1-82c9236a9c87',
            displayOptions: { show: { '/source': ['log'] } },
            description: 'Only this event and those after it in the log, such as the first that a webhook missed',
          },
          {
            displayName: 'Occurred Since',
            name: 'occurredSince',
            type: 'dateTime',
            default: '',
            description:
              "Only events that occurred at or after this time. A time without a zone is in the workflow's time zone.",
          },
        ]),
        {
          ...collection('options', 'Options', 'Add option', [
            {
              ...sortField([
                { name: 'Newest First', value: '-occurred_at' },
                { name: 'Oldest First', value: 'occurred_at' },
              ]),
              default: '-occurred_at',
            },
          ]),
          displayOptions: { show: { source: ['log'] } },
        },
      ],
    ),
  ],
  async run(item) {
    const query = toQuery(item);
    switch (item.parameter<string>('source', 'log')) {
      case 'webhook':
        return await readFeed(item, item.id('subscriptionId', 'webhook', 'Webhook'), {
          ...query,
          after: String(item.wholeNumber('After Sequence', item.parameter('afterSequence'))),
        });
      case 'missed':
        return await readMissed(item, query);
      default: {
        const { from } = item.options('filters');
        const { sort } = item.options('options');
        return await item.list('/events', { ...query, ...(from && { from }), ...(sort && { sort }) });
      }
    }
  },
};

function toQuery(item: Item): IDataObject {
  const { event, occurredSince } = item.options('filters');
  const query: IDataObject = {};
  if (event) query.event = event;
  if (occurredSince) query.occurred_since = item.timestamp('Occurred Since', occurredSince);
  return query;
}

/** Reads the feed of a subscription, oldest first, in the format of the trigger's output. */
async function readFeed(item: Item, webhookId: string, query: IDataObject): Promise<IDataObject[]> {
  const sent = await item.list(path`/webhook-subscriptions/${webhookId}/events`, query, 'sequence');
  return sent.map(({ event, ...delivery }) => ({ ...(event as IDataObject), ...delivery, webhook_id: webhookId }));
}

/** Reads the missed events of every subscription created by a published trigger of this workflow. */
async function readMissed(item: Item, query: IDataObject): Promise<IDataObject[]> {
  const subscriptions = await item.listAll('/webhook-subscriptions');
  const missed: IDataObject[] = [];
  for (const { id, client_key: key } of subscriptions) {
    const isOwn = String(key).startsWith(item.workflowKey);
    if (isOwn) missed.push(...(await readFeed(item, String(id), { ...query, missed: 'true' })));
  }
  return missed.slice(0, item.limit());
}
