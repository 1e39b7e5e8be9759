import { isUtf8 } from 'node:buffer';
import type Stripe from 'stripe';
import { z } from 'zod';
import { createBoundedFetch } from '../../../shared/bounded-fetch.ts';
import { digitsOf } from '../../../shared/currency.ts';
import { DomainError } from '../../../shared/errors.ts';
import {
  CheckoutFailed,
  Forged,
  type PaymentNotification,
  type PaymentProvider,
  readSignatureHeader,
  TOLERANCE_S,
} from './provider.ts';

const TIMEOUT_MS = 10_000;
/** Many times what a session or an error has. */
const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Currencies that Stripe counts in whole units, and in thousandths. All others are counted in hundredths, even those
 * without decimals.
 */
const STRIPE_DIGITS = new Map([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3] as const),
]);

/** How many of Stripe's units make one of our minor units; below 1 if ours is smaller. */
const factorOf = (currency: string): number => 10 ** ((STRIPE_DIGITS.get(currency) ?? 2) - digitsOf(currency));

const idOf = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullish();

const Session = z.object({
  id: z.string(),
  payment_status: z.string(),
  amount_total: z.int().nullable(),
  currency: z.string().nullable(),
  payment_intent: idOf,
  client_reference_id: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  customer_details: z.object({ email: z.string().nullish(), name: z.string().nullish() }).nullish(),
});

/** A dispute has the same members. */
const Refund = z.object({
  id: z.string(),
  status: z.string().nullish(),
  amount: z.int(),
  currency: z.string(),
  payment_intent: idOf,
  metadata: z.record(z.string(), z.string()).nullish(),
});

const PAYMENTS = new Set(['checkout.session.completed', 'checkout.session.async_payment_succeeded']);
// a refund is reported when it is created, and later when it succeeds or fails, always with the same id
const REFUNDS = new Set(['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated']);
// a bank takes money back for its customer, and returns it if the seller wins
const DISPUTES = new Map<string, 'disputed' | 'dispute_won'>([
  ['charge.dispute.funds_withdrawn', 'disputed'],
  ['charge.dispute.funds_reinstated', 'dispute_won'],
]);
const UNSUCCESSFUL = new Set(['failed', 'canceled']);

/** @param more for tests: another address of Stripe's API */
export function createStripeProvider(more: Stripe.StripeConfig = {}): PaymentProvider {
  const open = async (key: string) => {
    // imported lazily: only accounts that use Stripe need it
    const { default: Client } = await import('stripe');
    return new Client(key, {
      maxNetworkRetries: 1,
      timeout: TIMEOUT_MS,
      telemetry: false,
      // the library's own keeps what is sent without a limit, and waits as long as anything comes
      httpClient: Client.createFetchHttpClient(
        createBoundedFetch({ withinMs: more.timeout ?? TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES }),
      ),
      ...more,
    });
  };

  return {
    async parseNotification(raw, headers, { signing }, now) {
      const header = headers['stripe-signature'];
      readSignatureHeader(header, now);
      // the library decodes the bytes before it verifies them, so invalid UTF-8 or a byte order mark would change the
      // message
      if (!isUtf8(raw) || raw.subarray(0, 3).toString('latin1') === '\u00ef\u00bb\u00bf') throw new Forged();
      const stripe = await open('sk_for_signatures_only');
      let event: Stripe.Event;
      try {
        event = stripe.webhooks.constructEvent(raw, header as string, signing, TOLERANCE_S, undefined, now);
      } catch (error) {
        if (error instanceof SyntaxError)
          throw new DomainError('malformed_json', 'The notification is not valid JSON.');
        throw new Forged();
      }
      return toNotification(event);
    },

    async startCheckout({ key }, checkout) {
      const { invoiceId, number, amount, currency, idempotencyKey } = checkout;
      const stripeAmount = amount * factorOf(currency);
      if (key === undefined || !Number.isSafeInteger(stripeAmount)) {
        throw new CheckoutFailed(new Error(`Stripe can't charge ${amount} minor units of ${currency}`), false);
      }
      const metadata = { invoice_id: invoiceId, invoice_number: number, amount: String(amount) };
      try {
        const stripe = await open(key);
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: invoiceId,
            metadata,
            payment_intent_data: { metadata, description: number },
            locale: checkout.language,
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: currency.toLowerCase(),
                  unit_amount: stripeAmount,
                  product_data: { name: `${checkout.sellerName} ${number}`.trim().slice(0, 250) },
                },
              },
            ],
            success_url: checkout.successUrl,
            cancel_url: checkout.cancelUrl,
          },
          { idempotencyKey },
        );
        // Stripe repeats its first response to an idempotency key for at least a day
        const isOver = session.expires_at * 1000 < Date.now() + 10 * 60_000;
        if (!session.url || isOver) throw new CheckoutFailed(new Error('the session has expired'), true);
        return session.url;
      } catch (error) {
        if (error instanceof CheckoutFailed) throw error;
        throw new CheckoutFailed(error, (error as { statusCode?: number }).statusCode !== undefined);
      }
    },
  };
}

function read<T extends z.ZodType>(schema: T, object: unknown): z.output<T> {
  const { success, data } = schema.safeParse(object);
  if (success) return data;
  throw new DomainError('validation_error', 'The event has an unknown format.');
}

/** Text entered elsewhere, reduced to what a database can store. */
const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Other payments of the same Stripe account may contain anything here. */
const named = (invoice: string | null | undefined): string | null => (invoice ? clean(invoice).slice(0, 200) : null);

/** In our minor units. A fraction is rounded and marked. */
function fromStripe(amount: number, code: string): { amount: number; currency: string; isInexact: boolean } {
  const currency = code.toUpperCase();
  const exact = amount / factorOf(currency);
  return { amount: Math.max(1, Math.round(exact)), currency, isInexact: !Number.isInteger(exact) };
}

const Event = z.object({ id: z.string().min(1), type: z.string(), created: z.int().positive() });

function toNotification(event: Stripe.Event): PaymentNotification | undefined {
  const { id: eventId, type, created } = read(Event, event);
  const object: unknown = (event as { data?: { object?: unknown } }).data?.object;
  const reported = PAYMENTS.has(type) ? toPayment(type, object) : toRefund(type, object);
  return reported && { eventId, at: created * 1000, ...reported };
}

type Reported = Omit<PaymentNotification, 'eventId' | 'at'>;

function toPayment(type: string, object: unknown): Reported | undefined {
  const session = read(Session, object);
  // a bank transfer is first completed without being paid
  if (session.payment_status !== 'paid' || !session.amount_total || !session.currency) return undefined;
  const reference = session.payment_intent ?? null;
  const { name, email } = session.customer_details ?? {};
  return {
    ...fromStripe(session.amount_total, session.currency),
    kind: 'payment',
    paymentId: session.id,
    reference,
    invoice: named(session.metadata?.invoice_id ?? session.client_reference_id),
    payer: clean([name, email].filter(Boolean).join(', ')).slice(0, 300) || null,
    excerpt: { type, session: session.id, payment_intent: reference, amount: session.amount_total },
  };
}

function toRefund(type: string, object: unknown): Reported | undefined {
  const dispute = DISPUTES.get(type);
  if (!REFUNDS.has(type) && !dispute) return undefined;
  const refund = read(Refund, object);
  const problem = dispute ?? (UNSUCCESSFUL.has(refund.status ?? '') ? 'refund_failed' : undefined);
  if ((refund.status !== 'succeeded' && !problem) || refund.amount < 1) return undefined;
  const reference = refund.payment_intent ?? null;
  return {
    ...fromStripe(refund.amount, refund.currency),
    kind: 'refund',
    paymentId: refund.id,
    reference,
    invoice: named(refund.metadata?.invoice_id),
    payer: null,
    ...(problem && { problem }),
    excerpt: { type, refund: refund.id, payment_intent: reference, amount: refund.amount },
  };
}
