import { createHmac, timingSafeEqual } from 'node:crypto';

/** Headers of an event request, in lower case as n8n provides them. */
const SIGNATURE_HEADER = 'x-svc-signature';
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
  | 'the signature is missing'
  | 'the signature is wrong'
  | "the body isn't an event"
  | 'the event is too old or from the future';

export interface Verified {
  envelope: Envelope;
  /** the same for the same delivery, also if it arrives again */
  delivery: string;
}

const PREFIX = 'whsec_';

/** The key of Standard Webhooks (https://www.standardwebhooks.com) in a secret. */
const standardKeyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/** `sha256=` and the hexadecimal HMAC-SHA256 of the raw body. */
const signBody = (secret: string, rawBody: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;

/** `v1,` and the HMAC-SHA256 of an attempt, in base64. */
const signAttempt = (key: Buffer, id: string, timestamp: string, rawBody: Buffer): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64')}`;

/** The headers with which Farmboard would sign a body. */
export function signatureHeaders(secret: string, rawBody: Buffer, id: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  return {
    [SIGNATURE_HEADER]: signBody(secret, rawBody),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signAttempt(standardKeyOf(secret), id, timestamp, rawBody),
  };
}

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
  headers: Record<string, unknown>,
  secret: unknown,
  maxAgeSeconds: number,
  now: number,
): Verified | Refusal {
  if (typeof secret !== 'string' || secret === '')
    return 'no secret is known for this trigger: unpublish the workflow and publish it again';
  if (!Buffer.isBuffer(rawBody) || rawBody.length === 0) return 'the body could not be read';
  const signed = readAttempt(headers, standardKeyOf(secret), rawBody);
  if (typeof signed === 'string') return signed;

  const envelope = readEnvelope(rawBody);
  if (!envelope) return "the body isn't an event";
  if (maxAgeSeconds > 0 && !envelope.sample) {
    const age = Math.abs(now - Date.parse(envelope.occurred_at));
    // an invalid time compares as false
    if (!(age <= maxAgeSeconds * 1000)) return 'the event is too old or from the future';
  }
  return { envelope, delivery: signed.delivery };
}

type Signed = Pick<Verified, 'delivery'> | Refusal;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * A delivery signed by Standard Webhooks. The time of the attempt is signed, so nobody can pass off a delivery that they
 * have seen as another one; an event that is resent has a later time. The body is signed, too, so `X-Svc-Signature`, which
 * is by the previous secret while that is valid, isn't needed.
 */
function readAttempt(headers: Record<string, unknown>, key: Buffer, rawBody: Buffer): Signed {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given } = headers;
  if (!isText(id) || !isText(time) || !isText(given)) return 'the signature is missing';
  const expected = signAttempt(key, id, time, rawBody);
  const isSigned = given.split(' ').some((signature) => isSame(signature, expected));
  return isSigned ? { delivery: `${id}.${time}` } : 'the signature is wrong';
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
