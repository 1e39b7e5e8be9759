import { BATCHING, collection, fieldsOf } from '../../shared/descriptions';
import { toList } from '../../shared/list';
import { subscriptionLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';
import { ENABLED, SUBSCRIPTION_EVENTS, SUBSCRIPTION_NAME, URL } from './fields';

export const update: Operation = {
  fields: fieldsOf(
    'webhook',
    ['update'],
    [
      subscriptionLocator,
      collection('updateFields', 'Update Fields', 'Add field', [ENABLED, SUBSCRIPTION_EVENTS, SUBSCRIPTION_NAME, URL]),
      collection('options', 'Options', 'Add option', [BATCHING]),
    ],
  ),
  async run(item) {
    const id = item.id('subscriptionId', 'webhook', 'Webhook');
    const fields = item.options('updateFields');
    if (Object.keys(fields).length === 0) {
      throw item.fault('Update Fields', 'there are none', 'Add at least one field to change.');
    }
    const body = 'events' in fields ? { ...fields, events: toList(fields.events) } : fields;
    return (await item.write('PUT', path`/webhook-subscriptions/${id}`, body)).body;
  },
};
