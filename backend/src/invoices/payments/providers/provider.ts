import type { IncomingHttpHeaders } from 'node:http';
import type { Language } from '../../../shared/language.ts';
import type { Movement, PaymentKind } from '../../invoice.ts';

export const PROVIDER_KINDS = ['stripe', 'notification'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** How far the sender's clock may differ from the server's. */
export const TOLERANCE_S = 300;

/** A payment or refund that a provider reported, in our terms. */
export interface PaymentNotification {
  /** the provider's id of the notification; a repeated one has no effect */
  eventId: string;
  kind: PaymentKind;
  /** the provider's id of the payment or refund, which several notifications may be about */
  paymentId: string | null;
  /** the id that a payment and its refunds have in common */
  reference: string | null;
  /** the invoice's id, number or pay token; null if the provider names none */
  invoice: string | null;
  /** minor units, above 0 */
  amount: number;
  currency: string;
  /** the provider's amount was not a whole number of our minor units */
  isInexact?: boolean;
  /** a later state of the refund `paymentId`, whether it was reported before or not */
  problem?: Movement['problem'];
  /** milliseconds */
  at: number;
  payer: string | null;
  /** the part of the notification that is stored; it contains no card data and no payment link */
  excerpt: Record<string, unknown>;
}

/** The credentials of a provider. */
export interface Secrets {
  /** the key for its API; undefined if it has none */
  key: string | undefined;
  /** the secret that its notifications are signed with */
  signing: string;
}

export interface Checkout {
  invoiceId: string;
  number: string;
  amount: number;
  currency: string;
  sellerName: string;
  language: Language;
  /** the idempotency key of the checkout, the same for repeated clicks */
  idempotencyKey: string;
  successUrl: string;
  cancelUrl: string;
}

/**
 * A kind of payment provider: it verifies and parses notifications, and may create payment pages. All kinds pass the
 * same conformance tests.
 */
export interface PaymentProvider {
  /**
   * @param raw the bytes of the body as they were received and signed
   * @param now milliseconds
   * @returns undefined: authentic, but not about an invoice
   * @throws Forged if the signature or its time is invalid
   * @throws DomainError validation_error if it is authentic but can't be parsed
   */
  parseNotification(
    raw: Buffer,
    headers: IncomingHttpHeaders,
    secrets: Secrets,
    now: number,
  ): Promise<PaymentNotification | undefined>;
  /**
   * Creates a payment page. Absent if the provider only reports payments.
   * @returns the URL of the page
   * @throws CheckoutFailed
   */
  startCheckout?(secrets: Secrets, checkout: Checkout): Promise<string>;
}

/** Contains no reason, so that an attacker learns nothing. */
export class Forged extends Error {
  override name = 'Forged';
}

export class CheckoutFailed extends Error {
  override name = 'CheckoutFailed';
  /** the provider responded: the next attempt needs another idempotency key, or it gets the same response */
  readonly wasAnswered: boolean;
  constructor(cause: unknown, wasAnswered: boolean) {
    super("The payment provider couldn't be reached.", { cause });
    this.wasAnswered = wasAnswered;
  }
}

/**
 * Parses the time and signatures of `t=1760000000,v1=…`. Stricter than libraries: there is one time, and nothing else.
 * @throws Forged
 */
export function readSignatureHeader(header: unknown, now: number): { time: string; v1: string[] } {
  const match = /^t=([1-9]\d{0,11})((?:,v[01]=[0-9a-f]{64}){1,10})$/.exec(typeof header === 'string' ? header : '');
  const [, time = '', signatures = ''] = match ?? [];
  // neither old nor in the future: an intercepted message can't be replayed later
  if (!match || Math.abs(Math.floor(now / 1000) - Number(time)) > TOLERANCE_S) throw new Forged();
  const v1 = signatures.split(',').flatMap((part) => (part.startsWith('v1=') ? [part.slice(3)] : []));
  return { time, v1 };
}
