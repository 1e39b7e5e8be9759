import { toIso, toIsoOrNull } from '../../../../common/src/clock.ts';
import { type Listed, offsetOf, type Page } from '../../shared/pagination.ts';
import { bool, type Db, forKeyShare, placeholders, query, queryOne, type Value } from '../../storage/dialect.ts';
import type { EncryptedColumns } from '../../storage/encrypted-columns.ts';
import { queryPage } from '../../storage/page.ts';
import {
  type PaymentKind,
  type PaymentSource,
  type ReviewReason,
  STRUCK_REASONS,
  type StruckReason,
} from '../invoice.ts';
import type { Payment } from '../invoice-schema.ts';

interface PaymentRow extends Omit<Payment, 'amount' | 'at' | 'needs_review' | 'reviewed_at'> {
  amount_minor: number;
  at: number;
  needs_review: number;
  reviewed_at: number | null;
}

const PAYMENT_COLUMNS =
  'id, invoice_id, source, kind, amount_minor, currency, at, payer, note, named_invoice, payment_id, needs_review, reason, reviewed_at';

const toPayment = (row: PaymentRow): Payment => ({
  id: row.id,
  invoice_id: row.invoice_id,
  source: row.source,
  kind: row.kind,
  amount: row.amount_minor,
  currency: row.currency,
  at: toIso(row.at),
  payer: row.payer,
  note: row.note,
  named_invoice: row.named_invoice,
  payment_id: row.payment_id,
  needs_review: row.needs_review === 1,
  reason: row.reason,
  reviewed_at: toIsoOrNull(row.reviewed_at),
});

export interface NewPayment {
  id: string;
  accountId: string;
  invoiceId: string | null;
  providerId: string | null;
  source: PaymentSource;
  eventId: string | null;
  paymentId: string | null;
  /** a later refund refers to it */
  reference: string | null;
  namedInvoice: string | null;
  kind: PaymentKind;
  amount: number;
  currency: string;
  counts: boolean;
  payer: string | null;
  note: string | null;
  raw: string | null;
  reason: ReviewReason | null;
  /** milliseconds */
  at: number;
  recordedAt: number;
}

/**
 * @returns false if this notification, or another about the same payment, was recorded before; nothing is written then
 */
export async function insertPayment(db: Db, payment: NewPayment): Promise<boolean> {
  const rows = await query(
    db,
    `INSERT INTO invoice_payments (id, account_id, invoice_id, provider_id, source, event_id, payment_id, reference, named_invoice, kind,
       amount_minor, currency, counts, payer, note, raw, needs_review, reason, at, recorded_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
    [
      payment.id,
      payment.accountId,
      payment.invoiceId,
      payment.providerId,
      payment.source,
      payment.eventId,
      payment.paymentId,
      payment.reference,
      payment.namedInvoice,
      payment.kind,
      payment.amount,
      payment.currency,
      bool(payment.counts),
      payment.payer,
      payment.note,
      payment.raw,
      bool(payment.reason !== null),
      payment.reason,
      payment.at,
      payment.recordedAt,
    ],
  );
  return rows.length > 0;
}

/** The payments of an invoice, newest first. */
export async function listPaymentsOf(db: Db, invoiceId: string): Promise<Payment[]> {
  const sql = `SELECT ${PAYMENT_COLUMNS} FROM invoice_payments WHERE invoice_id = ? ORDER BY seq DESC`;
  return (await query<PaymentRow>(db, sql, [invoiceId])).map(toPayment);
}

/** Keeps what providers reported about an invoice that is deleted, as payments of no invoice. */
export async function releasePayments(db: Db, invoiceId: string, number: string | null): Promise<void> {
  await query(
    db,
    `UPDATE invoice_payments SET invoice_id = NULL, named_invoice = ?, counts = 0, needs_review = 1, reason = 'unknown_invoice'
     WHERE invoice_id = ? AND provider_id IS NOT NULL`,
    [number, invoiceId],
  );
}

export interface PaymentFilter {
  /** payments without an invoice */
  unassigned: boolean;
  /** payments that need a review */
  waiting: boolean;
}

export async function listPayments(
  db: Db,
  accountId: string,
  { unassigned, waiting }: PaymentFilter,
  page: Page,
): Promise<Listed<Payment>> {
  const values: Value[] = [accountId];
  const where = [
    't.account_id = ?',
    ...(unassigned ? ['t.invoice_id IS NULL'] : []),
    ...(waiting ? ['t.needs_review = 1 AND t.reviewed_at IS NULL'] : []),
  ];
  const { rows, total } = await queryPage<PaymentRow>(db, {
    columns: `seq, ${PAYMENT_COLUMNS}`,
    table: 'invoice_payments',
    where,
    values,
    orderBy: 't.seq DESC',
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map(toPayment), total };
}

/** @returns the payment's invoice (null: none), or undefined if there is no such payment */
export async function findInvoiceOf(db: Db, accountId: string, id: string): Promise<string | null | undefined> {
  const sql = 'SELECT invoice_id FROM invoice_payments WHERE id = ? AND account_id = ?';
  return (await queryOne<{ invoice_id: string | null }>(db, sql, [id, accountId]))?.invoice_id;
}

export async function reviewPayment(db: Db, id: string, at: number): Promise<Payment> {
  const [row] = await query<PaymentRow>(
    db,
    `UPDATE invoice_payments SET reviewed_at = coalesce(reviewed_at, CASE WHEN needs_review = 1 THEN CAST(? AS BIGINT) END)
     WHERE id = ? RETURNING ${PAYMENT_COLUMNS}`,
    [at, id],
  );
  return toPayment(row as PaymentRow);
}

/** The invoice of the payment that a refund refers to. */
export async function findInvoiceByReference(
  db: Db,
  providerId: string,
  reference: string,
): Promise<string | undefined> {
  const row = await queryOne<{ invoice_id: string }>(
    db,
    "SELECT invoice_id FROM invoice_payments WHERE provider_id = ? AND reference = ? AND kind = 'payment' AND invoice_id IS NOT NULL",
    [providerId, reference],
  );
  return row?.invoice_id;
}

/**
 * Assigns refunds that were reported before their payment to its invoice. They remain marked for review.
 * @returns their sum in the invoice's currency
 */
export async function assignRefunds(
  db: Db,
  {
    providerId,
    reference,
    invoiceId,
    currency,
  }: { providerId: string; reference: string; invoiceId: string; currency: string },
): Promise<number> {
  const rows = await query<{ amount_minor: number; counts: number }>(
    db,
    `UPDATE invoice_payments SET invoice_id = ?,
       counts = CASE WHEN currency = ? AND coalesce(reason, '') NOT IN ${placeholders(1, STRUCK_REASONS.length)} THEN 1 ELSE 0 END
     WHERE provider_id = ? AND reference = ? AND kind = 'refund' AND invoice_id IS NULL RETURNING amount_minor, counts`,
    [invoiceId, currency, ...STRUCK_REASONS, providerId, reference],
  );
  return rows.reduce((sum, { amount_minor, counts }) => sum + (counts === 1 ? amount_minor : 0), 0);
}

/** What is known of a refund that a provider reported. */
export interface StoredRefund {
  id: string;
  accountId: string;
  invoiceId: string | null;
  amount: number;
  counts: boolean;
  reason: ReviewReason | null;
}

export async function findRefund(db: Db, providerId: string, paymentId: string): Promise<StoredRefund | undefined> {
  const row = await queryOne<Omit<StoredRefund, 'counts'> & { counts: number }>(
    db,
    `SELECT id, account_id AS "accountId", invoice_id AS "invoiceId", amount_minor AS amount, counts, reason
     FROM invoice_payments WHERE provider_id = ? AND payment_id = ? AND kind = 'refund'`,
    [providerId, paymentId],
  );
  return row && { ...row, counts: row.counts === 1 };
}

/** A recorded payment or refund no longer counts, and is to be reviewed (again). */
export const strikePayment = (db: Db, id: string, reason: StruckReason): Promise<unknown> =>
  query(db, 'UPDATE invoice_payments SET counts = 0, needs_review = 1, reviewed_at = NULL, reason = ? WHERE id = ?', [
    reason,
    id,
  ]);

export const countPaymentsOf = async (db: Db, invoiceId: string): Promise<number> =>
  (
    (await queryOne<{ n: number }>(db, 'SELECT count(*) AS n FROM invoice_payments WHERE invoice_id = ?', [
      invoiceId,
    ])) as { n: number }
  ).n;

/** A payment provider as it is stored. */
export interface StoredProvider {
  id: string;
  accountId: string;
  kind: 'stripe' | 'notification';
  name: string;
  enabled: boolean;
  isTest: boolean;
  /** the encrypted key for the provider's API; null: it has none */
  encryptedKey: string | null;
  /** the encrypted secret that its notifications are signed with; null: not known yet, so none is accepted */
  encryptedSecret: string | null;
  createdAt: number;
  updatedAt: number;
}

interface ProviderRow {
  id: string;
  account_id: string;
  kind: 'stripe' | 'notification';
  name: string;
  enabled: number;
  is_test: number;
  key_encrypted: string | null;
  secret_encrypted: string | null;
  created_at: number;
  updated_at: number;
}

/** Encryption contexts: an encrypted value decrypts only for its own record and field. */
export const keyContext = (id: string): string => `payment-provider:${id}:key`;
export const secretContext = (id: string): string => `payment-provider:${id}:secret`;

export const ENCRYPTED_PROVIDER_COLUMNS: EncryptedColumns = {
  table: 'payment_providers',
  columns: { key_encrypted: keyContext, secret_encrypted: secretContext },
};

/** The providers as an operator knows them, with the email address of their account. */
export const listNamedProviders = (db: Db): Promise<{ id: string; name: string; email: string }[]> =>
  query(
    db,
    'SELECT p.id, p.name, a.email FROM payment_providers p JOIN accounts a ON a.id = p.account_id ORDER BY a.email, p.name',
  );

const PROVIDER_COLUMNS =
  'id, account_id, kind, name, enabled, is_test, key_encrypted, secret_encrypted, created_at, updated_at';

const toProvider = (row: ProviderRow): StoredProvider => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  name: row.name,
  enabled: row.enabled === 1,
  isTest: row.is_test === 1,
  encryptedKey: row.key_encrypted,
  encryptedSecret: row.secret_encrypted,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export async function findProvider(db: Db, id: string): Promise<StoredProvider | undefined> {
  const row = await queryOne<ProviderRow>(db, `SELECT ${PROVIDER_COLUMNS} FROM payment_providers WHERE id = ?`, [id]);
  return row && toProvider(row);
}

/** Whether the account has this provider, which can't be deleted until the transaction ends. */
export const holdProvider = async (db: Db, id: string): Promise<boolean> =>
  (await query(db, `SELECT id FROM payment_providers WHERE id = ?${forKeyShare(db)}`, [id])).length > 0;

export async function listProviders(db: Db, accountId: string): Promise<StoredProvider[]> {
  const sql = `SELECT ${PROVIDER_COLUMNS} FROM payment_providers WHERE account_id = ? ORDER BY created_at, id`;
  return (await query<ProviderRow>(db, sql, [accountId])).map(toProvider);
}

export async function insertProvider(db: Db, provider: StoredProvider): Promise<void> {
  await query(db, `INSERT INTO payment_providers (${PROVIDER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    provider.id,
    provider.accountId,
    provider.kind,
    provider.name,
    bool(provider.enabled),
    bool(provider.isTest),
    provider.encryptedKey,
    provider.encryptedSecret,
    provider.createdAt,
    provider.updatedAt,
  ]);
}

export async function updateProvider(db: Db, provider: StoredProvider): Promise<void> {
  await query(
    db,
    'UPDATE payment_providers SET name = ?, enabled = ?, is_test = ?, key_encrypted = ?, secret_encrypted = ?, updated_at = ? WHERE id = ?',
    [
      provider.name,
      bool(provider.enabled),
      bool(provider.isTest),
      provider.encryptedKey,
      provider.encryptedSecret,
      provider.updatedAt,
      provider.id,
    ],
  );
}

/** Deletes a provider. The payments it reported stay. */
export async function deleteProvider(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM payment_providers WHERE id = ?', [id]);
}
