import { BATCHING, collection, fieldsOf } from '../../shared/descriptions';
import { subscriptionLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const sendTest: Operation = {
  fields: fieldsOf(
    'webhook',
    ['sendTest'],
    [subscriptionLocator, collection('options', 'Options', 'Add option', [BATCHING])],
  ),
  async run(item) {
    const id = item.id('subscriptionId', 'webhook', 'Webhook');
    return (await item.write('POST', path`/webhook-subscriptions/${id}/test`, undefined)).body;
  },
};
