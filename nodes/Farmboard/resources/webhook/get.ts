import { fieldsOf } from '../../shared/descriptions';
import { subscriptionLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const get: Operation = {
  fields: fieldsOf('webhook', ['get'], [subscriptionLocator]),
  async run(item) {
    const id = item.id('subscriptionId', 'webhook', 'Webhook');
    return (await item.read(path`/webhook-subscriptions/${id}`)).body;
  },
};
