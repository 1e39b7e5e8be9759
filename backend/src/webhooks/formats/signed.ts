import { sign } from '../subscriptions/signing.ts';

/** The generic format: the stored bytes as they are, and their signature. */
export function renderSigned(url: string, secret: string | null, body: string) {
  // unsigned it would be refused by every receiver that checks, and trusted by none that should
  if (secret === null || secret === '') throw new Error('A channel of the signed format has no secret');
  return { url, headers: { 'X-Svc-Signature': sign(secret, body) }, body };
}
