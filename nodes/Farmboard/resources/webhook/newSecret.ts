import { BATCHING, collection, fieldsOf } from '../../shared/descriptions';
import { subscriptionLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const newSecret: Operation = {
  fields: fieldsOf(
    'webhook',
    ['newSecret'],
    [
      subscriptionLocator,
      collection('options', 'Options', 'Add option', [
        BATCHING,
        {
          displayName: 'Overlap (Hours)',
          name: 'overlapHours',
          type: 'number',
          typeOptions: { minValue: 0, maxValue: 168 },
          default: 24,
          description:
            'How long the old secret stays valid, up to 168 hours. Without this option, it stops working immediately.',
        },
      ]),
    ],
  ),
  async run(item) {
    const id = item.id('subscriptionId', 'webhook', 'Webhook');
    const { overlapHours = 0 } = item.options('options');
    const body = { overlap_hours: item.wholeNumber('Overlap (Hours)', overlapHours) };
    const answer = await item.write('POST', path`/webhook-subscriptions/${id}/secret`, body);
    if (answer.body.secret !== undefined) return answer.body;
    throw item.fault(
      'Webhook',
      'its secret was replaced, but the new one was lost in transit',
      'Run the operation again in a new execution: Farmboard shows a secret only once.',
    );
  },
};
