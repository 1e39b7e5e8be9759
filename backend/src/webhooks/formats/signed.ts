import { sign } from '../subscriptions/signing.ts';

/** The generic signed format: the stored body unchanged, and its signature. */
export function renderSigned(url: string, secret: string | null, body: string) {
  // receivers that check signatures would refuse it, and no receiver should trust it
  if (secret === null || secret === '') throw new Error('A signed channel has no secret');
  return { url, headers: { 'X-Svc-Signature': sign(secret, body) }, body };
}
