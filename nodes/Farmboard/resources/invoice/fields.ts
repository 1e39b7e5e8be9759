import type { RecordFields } from '../../shared/operation';

const IN_LISTS = [
  'id',
  'number',
  'status',
  'customer_name',
  'currency',
  'total',
  'received',
  'amount_due',
  'issue_date',
  'due_date',
  'order_ids',
  'needs_review',
  'issued_at',
  'paid_at',
  'voided_at',
  'created_at',
  'updated_at',
] as const;

const SIMPLIFIED = [
  'id',
  'number',
  'status',
  'customer_name',
  'currency',
  'total',
  'amount_due',
  'due_date',
  'paid_at',
  'order_ids',
  'needs_review',
] as const;

/** Fields of an invoice in lists, which omit its lines and payments. */
export const LISTED_INVOICE: RecordFields = { all: IN_LISTS, simplified: SIMPLIFIED };

export const INVOICE: RecordFields = {
  all: [...IN_LISTS, 'customer_details', 'language', 'note', 'lines', 'payments', 'pay_url', 'document_sha256'],
  simplified: [...SIMPLIFIED, 'pay_url'],
};
