import { createHmac } from 'node:crypto';
import { continueTrace } from '../../shared/traceparent.ts';
import type { Format } from './format.ts';

/**
 * The value of `X-Svc-Signature`: HMAC-SHA256 of exactly the bytes that are sent, keyed with the whole secret as shown.
 * Source: interface specification, "Request shape (generic signed format)".
 */
export const sign = (secret: string, body: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export const signed: Format = {
  isSigned: true,
  render({ url, secret }, { id, body, traceparent }) {
    // receivers that check signatures would refuse it, and no receiver should trust it
    if (secret === null || secret === '') throw new Error('A signed subscription has no secret');
    const signature = { 'X-Svc-Signature': sign(secret, body) };
    const headers = traceparent === null ? signature : { ...signature, traceparent: continueTrace(traceparent, id) };
    return { url, headers, body };
  },
};
