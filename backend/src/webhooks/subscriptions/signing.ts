import { createHmac, randomBytes } from 'node:crypto';

/** The value of `X-Svc-Signature`: HMAC-SHA256 of exactly the bytes that are sent, keyed with the whole secret as shown. */
export const sign = (secret: string, body: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/**
 * A new signing secret: 256 random bits behind a prefix that secret scanners find. Standard base64, as the Standard Webhooks
 * libraries decode it; secrets issued before (base64url) are used as they are, because ours is keyed with the text itself.
 */
export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
