import { createHmac } from 'node:crypto';
import type { EventName } from '../../events/catalogue.ts';
import { continueTrace } from '../../shared/traceparent.ts';
import { discordUrl, renderDiscord } from '../formats/discord.ts';
import { type MessageContext, messageOf } from '../formats/message.ts';
import { renderSlack } from '../formats/slack.ts';
import type { ChannelFormat } from './attempt.ts';

export interface RenderedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

interface Channel {
  format: ChannelFormat;
  url: string;
  /** null for chat formats, whose URL is the secret */
  secret: string | null;
}

interface Delivery {
  id: string;
  sequence: number;
  event: EventName;
  /** the stored JSON envelope, byte for byte */
  body: string;
  /** of the request that caused the event */
  traceparent: string | null;
}

/**
 * The value of `X-Svc-Signature`: HMAC-SHA256 of exactly the bytes that are sent, keyed with the whole secret as shown.
 * Source: interface specification, "Request shape (generic signed format)".
 */
export const sign = (secret: string, body: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

type Written = { url: string; headers?: Record<string, string>; body: string };

const FORMATS: Record<ChannelFormat, (channel: Channel, delivery: Delivery, context: MessageContext) => Written> = {
  signed({ url, secret }, { id, body, traceparent }) {
    // receivers that check signatures would refuse it, and no receiver should trust it
    if (secret === null || secret === '') throw new Error('A signed channel has no secret');
    const signature = { 'X-Svc-Signature': sign(secret, body) };
    const headers = traceparent === null ? signature : { ...signature, traceparent: continueTrace(traceparent, id) };
    return { url, headers, body };
  },
  slack: ({ url }, { event, body }, context) => ({ url, body: renderSlack(messageOf(event, body, context)) }),
  discord: ({ url }, { event, body }, context) => ({
    url: discordUrl(url),
    body: renderDiscord(messageOf(event, body, context)),
  }),
};

/** Renders the complete request of a delivery. */
export function render(channel: Channel, delivery: Delivery, context: MessageContext = {}): RenderedRequest {
  const written = FORMATS[channel.format](channel, delivery, context);
  return {
    url: written.url,
    body: written.body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Farmboard',
      'X-Svc-Event': delivery.event,
      'X-Svc-Delivery': delivery.id,
      'X-Svc-Sequence': String(delivery.sequence),
      ...written.headers,
    },
  };
}
