import { DomainError } from '../shared/errors.ts';

const INVOICE_STATES = ['draft', 'issued', 'void'] as const;
export type InvoiceState = (typeof INVOICE_STATES)[number];

/** The displayed state: an issued invoice is paid as soon as nothing is due. */
export const INVOICE_STATUSES = ['draft', 'issued', 'paid', 'void'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const PAYMENT_SOURCES = ['stripe', 'notification', 'manual'] as const;
export type PaymentSource = (typeof PAYMENT_SOURCES)[number];

export const PAYMENT_KINDS = ['payment', 'refund'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** Why a payment needs a review. */
export const REVIEW_REASONS = [
  'already_paid',
  'amount_differs',
  'currency_differs',
  'invoice_void',
  'unknown_invoice',
  'refund_exceeds',
  'disputed',
  'refund_failed',
  'dispute_won',
] as const;
/** The reasons of refunds that the customer did not get, or gave back: they don't count. */
export const STRUCK_REASONS = ['refund_failed', 'dispute_won'] as const;
export type StruckReason = (typeof STRUCK_REASONS)[number];
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** A line: quantity and unit price in minor units of the invoice's currency. A negative price is a discount. */
export interface Line {
  order_id: string | null;
  description: string;
  quantity: number;
  unit_price: number;
}

/** What an invoice's state doesn't allow. */
export const refused = (detail: string) => new DomainError('invoice_state', detail);

/** The largest absolute amount of an invoice or a line, far below the limit of exact integers. */
export const MAX_AMOUNT = 1_000_000_000_000;

export const amountOf = ({ quantity, unit_price }: Pick<Line, 'quantity' | 'unit_price'>): number =>
  quantity * unit_price;

export const totalOf = (lines: readonly Line[]): number => lines.reduce((sum, line) => sum + amountOf(line), 0);

/** `2026-0001`; longer from the ten thousandth invoice on. */
export const toNumber = (year: number, place: number): string => `${year}-${String(place).padStart(4, '0')}`;

/** The series of sample invoices. */
export const SAMPLE_SERIES = 'DEMO-';

/** `DEMO-0001`. */
export const toSampleNumber = (place: number): string => `${SAMPLE_SERIES}${String(place).padStart(4, '0')}`;

/**
 * The line for an order. An order's price is for all its pieces, which are listed by unit price if it divides evenly.
 */
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

/** The payment state of an invoice: everything that decides what a payment means. */
export interface PaymentState {
  state: InvoiceState;
  currency: string;
  total: number;
  received: number;
  /** when nothing was due for the first time, in milliseconds */
  paidAt: number | null;
}

/**
 * The amount that is due now. After an invoice was paid once nothing is due any more: a refund doesn't make money due
 * again.
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
  /** the provider's amount was not a whole number of our minor units */
  isInexact?: boolean | undefined;
  /** of a refund: the provider took the money back for the customer's bank, or the refund came to nothing */
  problem?: 'disputed' | StruckReason | undefined;
}

export interface Assessment {
  reason: ReviewReason | null;
  /** whether it counts toward the received amount */
  counts: boolean;
  after: PaymentState;
}

/**
 * Decides what a payment or refund does to an invoice. Nothing is refused: what doesn't match is recorded and marked
 * for review. Only a payment of exactly what is due, in the invoice's currency, needs no review. A payment entered by
 * the owner may also be partial.
 */
export function assessMovement(before: PaymentState, movement: Movement): Assessment {
  const { kind, amount, currency } = movement;
  const counts = currency === before.currency && !isStruck(movement.problem);
  const reason = reasonOf(before, movement);
  const received = counts ? before.received + (kind === 'payment' ? amount : -amount) : before.received;
  const isPaidNow = before.state === 'issued' && before.paidAt === null && received >= before.total;
  const after = { ...before, received, paidAt: isPaidNow && kind === 'payment' ? movement.at : before.paidAt };
  return { reason, counts, after };
}

export const isStruck = (reason: string | null | undefined): boolean =>
  STRUCK_REASONS.some((struck) => struck === reason);

function reasonOf(before: PaymentState, movement: Movement): ReviewReason | null {
  const { kind, source, amount, currency, isInexact, problem } = movement;
  if (problem) return problem;
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

/** Filters: a state, or invoices with a payment to review. */
export const INVOICE_FILTERS = ['draft', 'issued', 'paid', 'void', 'review'] as const;
export type InvoiceStatusFilter = (typeof INVOICE_FILTERS)[number];
