import { BATCHING, collection, fieldsOf } from '../../shared/descriptions';
import { subscriptionLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const resend: Operation = {
  fields: fieldsOf(
    'webhook',
    ['resend'],
    [
      subscriptionLocator,
      {
        displayName: 'Delivery ID',
        name: 'deliveryId',
        type: 'string',
        required: true,
        default: '',
        placeholder: 'e.g. {{ $json.delivery_id }}',
        description: 'The delivery to send again: from Get Deliveries, or from Event > Get Many',
      },
      collection('options', 'Options', 'Add option', [BATCHING]),
    ],
  ),
  async run(item) {
    const id = item.id('subscriptionId', 'webhook', 'Webhook');
    const deliveryId = item.toId('delivery', 'Delivery ID', item.parameter('deliveryId'));
    return (await item.write('POST', path`/webhook-subscriptions/${id}/deliveries/${deliveryId}/resend`, undefined))
      .body;
  },
};
