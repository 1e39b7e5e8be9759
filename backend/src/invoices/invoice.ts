import type { Language } from '../shared/language.ts';

export const INVOICE_STATES = ['draft', 'issued', 'void'] as const;
export type InvoiceState = (typeof INVOICE_STATES)[number];

/** As it is shown: an issued invoice becomes paid when nothing is due any more. */
export const INVOICE_STATUSES = ['draft', 'issued', 'paid', 'void'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const PAYMENT_SOURCES = ['stripe', 'notice', 'manual'] as const;
export type PaymentSource = (typeof PAYMENT_SOURCES)[number];

export const PAYMENT_KINDS = ['payment', 'refund'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** Why a person should look at a payment. */
export const REVIEW_REASONS = [
  'already_paid',
  'amount_differs',
  'currency_differs',
  'invoice_void',
  'unknown_invoice',
  'refund_exceeds',
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** A line: so many pieces at so much each, in minor units of the invoice's currency. A negative price is a discount. */
export interface Line {
  order_id: string | null;
  description: string;
  quantity: number;
  unit_price: number;
}

/** An invoice as it is listed. Amounts are minor units of `currency`. */
export interface Invoice {
  id: string;
  number: string | null;
  status: InvoiceStatus;
  customer_name: string;
  currency: string;
  total: number;
  /** payments less refunds */
  received: number;
  amount_due: number;
  issue_date: string | null;
  due_date: string | null;
  order_ids: string[];
  /** a payment of it waits for a person */
  needs_review: boolean;
  issued_at: string | null;
  paid_at: string | null;
  voided_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface Payment {
  id: string;
  invoice_id: string | null;
  source: PaymentSource;
  kind: PaymentKind;
  amount: number;
  currency: string;
  at: string;
  payer: string | null;
  note: string | null;
  /** the invoice the provider named, where there is none of the account */
  named_invoice: string | null;
  /** the provider's own id */
  payment_id: string | null;
  needs_review: boolean;
  reason: ReviewReason | null;
  reviewed_at: string | null;
}

export interface InvoiceDetail extends Invoice {
  customer_details: string;
  language: Language;
  note: string;
  lines: (Line & { amount: number })[];
  payments: Payment[];
  /** what the customer is given; null while it is a draft */
  pay_url: string | null;
  document_sha256: string | null;
}

/** The most an invoice or a line may come to, either way: far below what a number holds exactly. */
export const MAX_AMOUNT = 1_000_000_000_000;

export const amountOf = ({ quantity, unit_price }: Pick<Line, 'quantity' | 'unit_price'>): number =>
  quantity * unit_price;

export const totalOf = (lines: readonly Line[]): number => lines.reduce((sum, line) => sum + amountOf(line), 0);

/** `2026-0001`; from the ten thousandth on it grows. */
export const toNumber = (year: number, place: number): string => `${year}-${String(place).padStart(4, '0')}`;

/** What is billed for an order: its price is that of all its pieces, which are shown one by one where that divides evenly. */
export function lineOf(order: { id: string; model_name: string; quantity_pieces: number; price: number | null }): Line {
  const { id, model_name, quantity_pieces: pieces } = order;
  const price = order.price ?? 0;
  const isEven = pieces > 0 && price % pieces === 0;
  return {
    order_id: id,
    description: isEven || pieces === 1 ? model_name : `${model_name} × ${pieces}`,
    quantity: isEven ? pieces : 1,
    unit_price: isEven ? price / pieces : price,
  };
}

/** How an invoice stands: all that decides what a payment means. */
export interface PaymentState {
  state: InvoiceState;
  currency: string;
  total: number;
  received: number;
  /** when nothing was due for the first time, milliseconds */
  paidAt: number | null;
}

/**
 * What is to be paid now. An invoice that was paid once is settled: a refund is money given back, not money owed again.
 */
export const dueOf = ({ state, total, received, paidAt }: PaymentState): number =>
  state === 'issued' && paidAt === null ? Math.max(0, total - received) : 0;

export const statusOf = ({ state, paidAt }: Pick<PaymentState, 'state' | 'paidAt'>): InvoiceStatus =>
  state === 'issued' && paidAt !== null ? 'paid' : state;

export interface Movement {
  kind: PaymentKind;
  source: PaymentSource;
  amount: number;
  currency: string;
  /** milliseconds */
  at: number;
  /** the provider's amount is no whole number of our minor units */
  isInexact?: boolean | undefined;
}

export interface Judgement {
  reason: ReviewReason | null;
  /** whether it is part of the sum received */
  counts: boolean;
  after: PaymentState;
}

/**
 * What a payment or refund does to an invoice. Nothing is refused: what does not fit is recorded for a person to look at. Only
 * a payment of exactly what is due now, in its currency, needs none. A payment entered by the owner may also be a part.
 */
export function judge(before: PaymentState, movement: Movement): Judgement {
  const { kind, amount, currency } = movement;
  const counts = currency === before.currency;
  const reason = reasonOf(before, movement);
  const received = counts ? before.received + (kind === 'payment' ? amount : -amount) : before.received;
  const isPaidNow = before.state === 'issued' && before.paidAt === null && received >= before.total;
  const after = { ...before, received, paidAt: isPaidNow && kind === 'payment' ? movement.at : before.paidAt };
  return { reason, counts, after };
}

function reasonOf(before: PaymentState, { kind, source, amount, currency, isInexact }: Movement): ReviewReason | null {
  if (currency !== before.currency) return 'currency_differs';
  if (kind === 'refund') {
    if (isInexact) return 'amount_differs';
    return amount > before.received ? 'refund_exceeds' : null;
  }
  if (before.state === 'void') return 'invoice_void';
  if (before.paidAt !== null) return 'already_paid';
  const due = dueOf(before);
  const fits = source === 'manual' ? amount <= due : amount === due && !isInexact;
  return fits ? null : 'amount_differs';
}

export const INVOICE_SORTS = ['-created_at', 'created_at'] as const;
export type InvoiceSort = (typeof INVOICE_SORTS)[number];

/** What can be asked for: a status, or what waits for a person. */
export const INVOICE_FILTERS = ['draft', 'issued', 'paid', 'void', 'review'] as const;
export type InvoiceStatusFilter = (typeof INVOICE_FILTERS)[number];
