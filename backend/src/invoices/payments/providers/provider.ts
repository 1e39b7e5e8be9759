import type { IncomingHttpHeaders } from 'node:http';
import type { Language } from '../../../shared/language.ts';
import type { PaymentKind } from '../../invoice.ts';

export const PROVIDER_KINDS = ['stripe', 'notice'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** How far the clock of who signed may be from ours. */
export const TOLERANCE_S = 300;

/** What a provider reports of money, in our words. */
export interface Notice {
  /** the provider's id of this report: the same one again has no effect */
  eventId: string;
  kind: PaymentKind;
  /** the provider's id of the payment or refund: reported twice in different words it is still one */
  paymentId: string | null;
  /** what a payment and its refunds have in common */
  reference: string | null;
  /** the invoice's id, number or pay token, as the provider names it; null: it names none */
  invoice: string | null;
  /** minor units, above 0 */
  amount: number;
  currency: string;
  /** the provider's amount is no whole number of our minor units */
  isInexact?: boolean;
  /** milliseconds */
  at: number;
  payer: string | null;
  /** what of the report is kept: nothing of a card is in it */
  excerpt: Record<string, unknown>;
}

/** What a provider is known by at ours. */
export interface Secrets {
  /** what we ask it with; undefined where there is nothing to ask */
  key: string | undefined;
  /** what its reports are signed with */
  signing: string;
}

export interface Checkout {
  invoiceId: string;
  number: string;
  amount: number;
  currency: string;
  sellerName: string;
  language: Language;
  /** the same for what is one and the same wish to pay, however often it is clicked */
  idempotencyKey: string;
  successUrl: string;
  cancelUrl: string;
}

/**
 * One way in which money is reported, and where it can do so a page on which it is paid. There are two bodies, held to one
 * conformance suite.
 */
export interface PaymentProvider {
  /**
   * @param raw the bytes as they came: they are what is signed
   * @param now milliseconds
   * @returns undefined: genuine, and about nothing that concerns an invoice
   * @throws Forged when it is not signed by who knows the secret, or too long ago or ahead
   * @throws DomainError validation_error when it is genuine and cannot be read
   */
  readNotice(raw: Buffer, headers: IncomingHttpHeaders, secrets: Secrets, now: number): Promise<Notice | undefined>;
  /**
   * Absent: one pays elsewhere, and it is only reported.
   * @returns the address of the page
   * @throws CheckoutFailed
   */
  startCheckout?(secrets: Secrets, checkout: Checkout): Promise<string>;
}

/** Says nothing of what was wrong: whoever forges should learn nothing. */
export class Forged extends Error {
  override name = 'Forged';
}

export class CheckoutFailed extends Error {
  override name = 'CheckoutFailed';
  /** the provider answered: the next try must be another one, or it gets the same answer again */
  readonly wasAnswered: boolean;
  constructor(cause: unknown, wasAnswered: boolean) {
    super("The payment provider couldn't be reached.", { cause });
    this.wasAnswered = wasAnswered;
  }
}

/**
 * The moment and the signatures of `t=1760000000,v1=…`. Strict where libraries are not: each header says one thing only.
 * @throws Forged
 */
export function readSignatureHeader(header: unknown, now: number): { time: string; v1: string[] } {
  const match = /^t=([1-9]\d{0,11})((?:,v[01]=[0-9a-f]{64}){1,10})$/.exec(typeof header === 'string' ? header : '');
  const [, time = '', signatures = ''] = match ?? [];
  // neither long ago nor ahead: a message that was kept cannot be used later
  if (!match || Math.abs(Math.floor(now / 1000) - Number(time)) > TOLERANCE_S) throw new Forged();
  const v1 = signatures.split(',').flatMap((part) => (part.startsWith('v1=') ? [part.slice(3)] : []));
  return { time, v1 };
}
