import { createHmac } from 'node:crypto';
import { continueTrace } from '../../shared/traceparent.ts';
import type { Delivery, Format } from './format.ts';

/**
 * The value of `X-Svc-Signature`: HMAC-SHA256 of exactly the bytes that are sent, keyed with the whole secret as shown.
 * Source: interface specification, "Request shape (generic signed format)".
 */
export const sign = (secret: string, body: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const PREFIX = 'whsec_';

/**
 * The key that Standard Webhooks libraries make of a secret.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const standardKeyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/** The headers of Standard Webhooks, with a signature by each secret. */
export function standardHeaders(
  secrets: readonly string[],
  { event_id: id, attempted_at, body }: Pick<Delivery, 'event_id' | 'attempted_at' | 'body'>,
): Record<string, string> {
  const timestamp = String(Math.floor(attempted_at / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', standardKeyOf(secret)).update(signed).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

export const signed: Format = {
  isSigned: true,
  render({ url, secret, previousSecret }, delivery) {
    const { id, body, traceparent } = delivery;
    // receivers that check signatures would refuse it, and no receiver should trust it
    if (secret === null || secret === '') throw new Error('A signed subscription has no secret');
    const headers = {
      // one signature only, so a receiver that checks it takes the new secret when the old one ends
      'X-Svc-Signature': sign(previousSecret ?? secret, body),
      ...standardHeaders(previousSecret ? [previousSecret, secret] : [secret], delivery),
      ...(traceparent === null ? {} : { traceparent: continueTrace(traceparent, id) }),
    };
    return { url, headers, body };
  },
};
