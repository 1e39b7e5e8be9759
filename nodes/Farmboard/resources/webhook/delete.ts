import { BATCHING, collection, fieldsOf } from '../../shared/descriptions';
import { subscriptionLocator } from '../../shared/locators';
import { DELETED, type Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const deleteWebhook: Operation = {
  fields: fieldsOf(
    'webhook',
    ['delete'],
    [subscriptionLocator, collection('options', 'Options', 'Add option', [BATCHING])],
  ),
  async run(item) {
    const id = item.id('subscriptionId', 'webhook', 'Webhook');
    await item.write('DELETE', path`/webhook-subscriptions/${id}`, undefined);
    return { ...DELETED };
  },
};
