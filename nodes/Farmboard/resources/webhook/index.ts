import type { Resource } from '../../shared/operation';
import { create } from './create';
import { deleteWebhook } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { getDeliveries } from './getDeliveries';
import { sendTest } from './sendTest';
import { update } from './update';

export const webhook: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['webhook'] } },
    options: [
      {
        name: 'Create',
        value: 'create',
        action: 'Create a webhook',
        description: 'Add a channel that events are sent to; an account has at most 10',
      },
      {
        name: 'Delete',
        value: 'delete',
        action: 'Delete a webhook',
        description: 'Remove a channel and its delivery history for good',
      },
      { name: 'Get', value: 'get', action: 'Get a webhook', description: 'Read one channel, without its secret' },
      {
        name: 'Get Deliveries',
        value: 'getDeliveries',
        action: 'Get deliveries of a webhook',
        description: 'Read the last 20 attempts of a channel, newest first',
      },
      { name: 'Get Many', value: 'getAll', action: 'Get many webhooks', description: 'Read a list of channels' },
      {
        name: 'Send Test',
        value: 'sendTest',
        action: 'Send a test event to a webhook',
        description: 'Have a made-up event sent to the channel and see how it went',
      },
      {
        name: 'Update',
        value: 'update',
        action: 'Update a webhook',
        description: 'Change the events, the address or the name of a channel, or switch it on or off',
      },
    ],
    default: 'getAll',
  },
  operations: { create, delete: deleteWebhook, get, getAll, getDeliveries, sendTest, update },
};
