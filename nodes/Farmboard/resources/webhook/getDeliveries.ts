import type { IDataObject } from 'n8n-workflow';
import { fieldsOf } from '../../shared/descriptions';
import { subscriptionLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const getDeliveries: Operation = {
  fields: fieldsOf('webhook', ['getDeliveries'], [subscriptionLocator]),
  async run(item) {
    const id = item.id('subscriptionId', 'webhook', 'Webhook');
    // the API keeps only the last 20 attempts, so there is no paging
    return (await item.read(path`/webhook-subscriptions/${id}/deliveries`)).body.items as IDataObject[];
  },
};
