import { randomUUID } from 'node:crypto';
import { BATCHING, collection, fieldsOf, idempotencyKey } from '../../shared/descriptions';
import { toList } from '../../shared/list';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';
import { ENABLED, SUBSCRIPTION_EVENTS, SUBSCRIPTION_NAME, URL } from './fields';

export const create: Operation = {
  fields: fieldsOf(
    'webhook',
    ['create'],
    [
      { ...URL, required: true },
      { ...SUBSCRIPTION_EVENTS, required: true },
      collection('additionalFields', 'Additional Fields', 'Add field', [
        ENABLED,
        {
          displayName: 'Format',
          name: 'format',
          type: 'options',
          options: [
            { name: 'Discord', value: 'discord', description: 'A Discord incoming webhook' },
            {
              name: 'Signed',
              value: 'signed',
              description: 'JSON with an HMAC signature; the secret is returned once, on creation',
            },
            { name: 'Slack', value: 'slack', description: 'A Slack incoming webhook' },
          ],
          default: 'signed',
          description: 'The format of the requests sent to the URL',
        },
        SUBSCRIPTION_NAME,
      ]),
      collection('options', 'Options', 'Add option', [BATCHING, idempotencyKey('e.g. workshop-chat')]),
    ],
  ),
  async run(item) {
    const body = {
      url: item.text('url', 'URL'),
      events: toList(item.parameter('events')),
      ...item.options('additionalFields'),
    };
    const { idempotencyKey: key } = item.options('options') as { idempotencyKey?: string };
    const subscription = (await item.write('POST', '/webhook-subscriptions', body, { idempotencyKey: key })).body;
    if (subscription.format !== 'signed' || subscription.secret !== undefined || key) return subscription;
    // the response with the secret was lost and Farmboard never repeats it, so it is replaced
    const renewed = await item.write(
      'POST',
      path`/webhook-subscriptions/${String(subscription.id)}/secret`,
      undefined,
      {
        idempotencyKey: randomUUID(),
      },
    );
    if (renewed.body.secret !== undefined) return renewed.body;
    throw item.fault(
      'Webhook',
      'created, but its secret was lost in transit',
      'Delete the webhook and create it again.',
    );
  },
};
