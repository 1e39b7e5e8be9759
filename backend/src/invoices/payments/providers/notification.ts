import { isUtf8 } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { signTimed } from '../../../../../common/src/crypto.ts';
import { DomainError } from '../../../shared/errors.ts';
import { nonBlank, text, timestamp, wholeNumber } from '../../../shared/schemas.ts';
import { MAX_AMOUNT } from '../../invoice.ts';
import { Forged, type PaymentNotification, type PaymentProvider, readSignatureHeader } from './provider.ts';

/** The signature header; `v1` is the HMAC-SHA256 of `<t>.` and the bytes of the body. */
const SIGNATURE_HEADER = 'X-Notification-Signature';

export const NotificationBody = z
  .object({
    id: nonBlank(200).describe('your own ID of this notification; sending it again has no effect'),
    type: z.enum(['payment', 'refund']),
    invoice: nonBlank(200).describe('number or ID of the invoice, or the last part of its payment link'),
    amount: wholeNumber(1, MAX_AMOUNT).describe('in minor units of `currency`: 4990 is 49.90 EUR'),
    currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency code of three capital letters'),
    paid_at: timestamp(),
    payer: text(300).optional().describe('who paid, as free text'),
  })
  .meta({ id: 'PaymentNotification' });

/**
 * Notifications signed with a secret of ours: for banks, cash registers and acquirers that can send one, or a script
 * that does.
 */
export const notificationProvider: PaymentProvider = {
  async parseNotification(raw, headers, { signing }, now) {
    const { time, v1 } = readSignatureHeader(headers[SIGNATURE_HEADER.toLowerCase()], now);
    const expected = signTimed(signing, time, raw);
    if (!v1.some((given) => timingSafeEqual(Buffer.from(given, 'hex'), expected))) throw new Forged();
    return toNotification(raw);
  },
};

function toNotification(raw: Buffer): PaymentNotification {
  let parsed: unknown;
  try {
    if (!isUtf8(raw)) throw new Error();
    parsed = JSON.parse(raw.toString('utf8'));
  } catch {
    throw new DomainError('malformed_json', 'The notification is not valid UTF-8 JSON.');
  }
  const { success, data, error } = NotificationBody.safeParse(parsed);
  if (!success) {
    const faults = error.issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, detail: message }));
    const summary = faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ');
    throw new DomainError('validation_error', summary, { faults });
  }
  const { invoice, ...excerpt } = data;
  return {
    eventId: data.id,
    kind: data.type,
    paymentId: null,
    reference: null,
    invoice,
    amount: data.amount,
    currency: data.currency,
    at: Date.parse(data.paid_at),
    payer: data.payer ?? null,
    excerpt,
  };
}
