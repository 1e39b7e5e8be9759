import type { Resource } from '../../shared/operation';
import { create } from './create';
import { deleteWebhook } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { getDeliveries } from './getDeliveries';
import { newSecret } from './newSecret';
import { resend } from './resend';
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
        description: 'Add a channel that receives events; an account can have up to 10',
      },
      {
        name: 'Delete',
        value: 'delete',
        action: 'Delete a webhook for good',
        description: 'Delete a channel and its delivery history for good',
      },
      { name: 'Get', value: 'get', action: 'Get a webhook', description: 'Retrieve a channel, without its secret' },
      {
        name: 'Get Deliveries',
        value: 'getDeliveries',
        action: 'Get the deliveries of a webhook',
        description: 'Retrieve the last 20 delivery attempts, newest first',
      },
      { name: 'Get Many', value: 'getAll', action: 'Get many webhooks', description: 'Retrieve a list of channels' },
      {
        name: 'New Secret',
        value: 'newSecret',
        action: 'Replace the secret of a webhook',
        description: 'Make a new signing secret and return it, once; the old one can stay valid for some hours',
      },
      {
        name: 'Resend',
        value: 'resend',
        action: 'Resend a delivery of a webhook',
        description: 'Send the event of an earlier delivery again and return the result',
      },
      {
        name: 'Send Test',
        value: 'sendTest',
        action: 'Send a test event to a webhook',
        description: 'Send a test event to the channel and return the result',
      },
      {
        name: 'Update',
        value: 'update',
        action: 'Update a webhook',
        description: 'Change the events, URL or name of a channel, or turn it on or off',
      },
    ],
    default: 'getAll',
  },
  operations: { create, delete: deleteWebhook, get, getAll, getDeliveries, newSecret, resend, sendTest, update },
};
