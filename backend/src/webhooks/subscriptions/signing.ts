import { createHmac, randomBytes } from 'node:crypto';

/**
 * The value of `X-Svc-Signature`: HMAC-SHA256 of exactly the bytes that are sent, keyed with the whole secret as shown.
 * Source: interface specification, "Request shape (generic signed format)".
 */
export const sign = (secret: string, body: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/**
 * Creates a signing secret: 256 random bits behind a prefix that secret scanners detect. Standard base64, as the
 * Standard Webhooks libraries decode it; older base64url secrets remain valid, because signatures are keyed with the
 * text itself.
 */
export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
