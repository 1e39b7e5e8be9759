import { randomUUID } from 'node:crypto';
import { collection, fieldsOf, IDEMPOTENCY_KEY } from '../../shared/descriptions';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';
import { CHANNEL_EVENTS, CHANNEL_NAME, ENABLED, URL } from './fields';

export const create: Operation = {
  fields: fieldsOf(
    'webhook',
    ['create'],
    [
      { ...URL, required: true },
      { ...CHANNEL_EVENTS, required: true },
      collection('additionalFields', 'Additional Fields', 'Add field', [
        ENABLED,
        {
          displayName: 'Format',
          name: 'format',
          type: 'options',
          options: [
            { name: 'Discord', value: 'discord', description: 'An incoming webhook of Discord' },
            {
              name: 'Signed',
              value: 'signed',
              description: 'JSON with an HMAC signature; the answer holds the secret, once',
            },
            { name: 'Slack', value: 'slack', description: 'An incoming webhook of Slack' },
          ],
          default: 'signed',
          description: 'How requests to the URL are written',
        },
        CHANNEL_NAME,
      ]),
      collection('options', 'Options', 'Add option', [IDEMPOTENCY_KEY]),
    ],
  ),
  async run(item) {
    const body = {
      url: item.text('url', 'URL'),
      events: item.parameter<string[]>('events'),
      ...item.options('additionalFields'),
    };
    const { idempotencyKey } = item.options('options') as { idempotencyKey?: string };
    const channel = (await item.write('POST', '/webhook-subscriptions', body, { idempotencyKey })).body;
    if (channel.format !== 'signed' || channel.secret !== undefined || idempotencyKey) return channel;
    // it went with an answer that was lost, and is never repeated; nobody has it, so another takes its place
    const renewed = await item.write('POST', path`/webhook-subscriptions/${String(channel.id)}/secret`, undefined, {
      idempotencyKey: randomUUID(),
    });
    if (renewed.body.secret !== undefined) return renewed.body;
    throw item.fault('Webhook', 'it was created, but its secret was lost on the way', 'Delete it and create it again.');
  },
};
