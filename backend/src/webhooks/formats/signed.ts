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
const MIN_KEY_BYTES = 24;

/**
 * The key that Standard Webhooks libraries make of a secret; undefined for one in the base64url of older releases.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function standardKeyOf(secret: string): Buffer | undefined {
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const isStandard = secret.startsWith(PREFIX) && key.toString('base64') === encoded;
  return isStandard && key.length >= MIN_KEY_BYTES ? key : undefined;
}

/** The headers of Standard Webhooks, with a signature by each secret that has a key; none if no secret has one. */
export function standardHeaders(
  secrets: readonly string[],
  { event_id: id, attempted_at, body }: Pick<Delivery, 'event_id' | 'attempted_at' | 'body'>,
): Record<string, string> {
  const keys = secrets.map(standardKeyOf).filter((key) => key !== undefined);
  if (keys.length === 0) return {};
  const timestamp = String(Math.floor(attempted_at / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
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
