import { createHmac, timingSafeEqual } from 'node:crypto';

/** Headers of an event request, in lower case as n8n provides them. */
export const SIGNATURE_HEADER = 'x-svc-signature';
export const DELIVERY_HEADER = 'x-svc-delivery';
export const SEQUENCE_HEADER = 'x-svc-sequence';

/** The envelope of every event. */
export interface Envelope {
  event: string;
  /** ISO 8601 */
  occurred_at: string;
  data: Record<string, unknown>;
  /** sent by the node itself for Execute Step; Farmboard never sets it */
  sample?: true;
}

/** Why a request is rejected; only written to n8n's log. */
export type Refusal =
  | 'no secret is known for this trigger: unpublish the workflow and publish it again'
  | 'the body could not be read'
  | 'there is no signature'
  | 'the signature is wrong'
  | "the body isn't an event"
  | 'the event is too old or from the future';

export interface Verified {
  envelope: Envelope;
  /** the same for the same event: nothing that is signed distinguishes its deliveries */
  signature: string;
}

/** `sha256=` and the hexadecimal HMAC-SHA256 of the raw body. */
export const sign = (secret: string, rawBody: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;

/** Constant-time comparison; the length of a signature isn't secret. */
function isSame(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Verifies a request with the subscription's secret; anything missing is a refusal.
 * @param rawBody the received bytes; re-serializing a parsed body changes the signature
 * @param maxAgeSeconds how far the signed `occurred_at` may be from `now` in either direction; 0 for any
 */
export function verify(
  rawBody: unknown,
  signature: unknown,
  secret: unknown,
  maxAgeSeconds: number,
  now: number,
): Verified | Refusal {
  if (typeof secret !== 'string' || secret === '')
    return 'no secret is known for this trigger: unpublish the workflow and publish it again';
  if (!Buffer.isBuffer(rawBody) || rawBody.length === 0) return 'the body could not be read';
  if (typeof signature !== 'string' || signature === '') return 'there is no signature';
  if (!isSame(signature, sign(secret, rawBody))) return 'the signature is wrong';

  const envelope = readEnvelope(rawBody);
  if (!envelope) return "the body isn't an event";
  if (maxAgeSeconds > 0 && !envelope.sample) {
    const age = Math.abs(now - Date.parse(envelope.occurred_at));
    // an invalid time compares as false
    if (!(age <= maxAgeSeconds * 1000)) return 'the event is too old or from the future';
  }
  return { envelope, signature };
}

function readEnvelope(rawBody: Buffer): Envelope | undefined {
  try {
    const { event, occurred_at, data, sample } = JSON.parse(rawBody.toString('utf8'));
    if (typeof event !== 'string' || typeof occurred_at !== 'string') return undefined;
    const envelope = { event, occurred_at, data: typeof data === 'object' && data !== null ? data : {} };
    return sample === true ? { ...envelope, sample } : envelope;
  } catch {
    return undefined;
  }
}
