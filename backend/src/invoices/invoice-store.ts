import { toIso, toIsoOrNull } from '../../../common/src/clock.ts';
import type { Language } from '../shared/language.ts';
import { type Listed, offsetOf, type Page } from '../shared/pagination.ts';
import { type Db, forUpdate, query, queryOne, type Value } from '../storage/dialect.ts';
import type { EncryptedColumns } from '../storage/encrypted-columns.ts';
import { queryPage, toOrderBy } from '../storage/page.ts';
import { matchesText } from '../storage/search.ts';
import {
  dueOf,
  type InvoiceSort,
  type InvoiceState,
  type InvoiceStatusFilter,
  type PaymentState,
  SAMPLE_SERIES,
  statusOf,
} from './invoice.ts';
import { listOrderIds } from './invoice-line-store.ts';
import type { Invoice, Seller } from './invoice-schema.ts';

interface InvoiceRow {
  id: string;
  account_id: string;
  state: InvoiceState;
  number: string | null;
  customer_name: string;
  customer_details: string;
  language: Language;
  note: string;
  currency: string;
  total_minor: number;
  received_minor: number;
  due_date: string | null;
  issue_date: string | null;
  document_sha256: string | null;
  pay_encrypted: string | null;
  checkout_try: number;
  issued_at: number | null;
  paid_at: number | null;
  voided_at: number | null;
  created_at: number;
  updated_at: number;
  waiting: number;
}

/** Encryption context: an encrypted value decrypts only for its own record and field. */
export const payContext = (id: string): string => `invoice:${id}:pay`;

export const ENCRYPTED_INVOICE_COLUMNS: EncryptedColumns = {
  table: 'invoices',
  columns: { pay_encrypted: payContext },
};

/** Payments of an invoice that need a review. */
const WAITING_PAYMENTS = `FROM invoice_payments p WHERE p.invoice_id = t.id AND p.needs_review = 1 AND p.reviewed_at IS NULL`;

const COLUMNS = `id, account_id, state, number, customer_name, customer_details, language, note, currency, total_minor, received_minor,
  due_date, issue_date, document_sha256, pay_encrypted, checkout_try, issued_at, paid_at, voided_at, created_at, updated_at,
  (SELECT count(*) ${WAITING_PAYMENTS}) AS waiting`;

/** An invoice as it is stored, with the fields that lists don't show. */
export interface StoredInvoice {
  accountId: string;
  invoice: Omit<Invoice, 'order_ids'>;
  paymentState: PaymentState;
  customerDetails: string;
  language: Language;
  note: string;
  documentSha256: string | null;
  encryptedPayToken: string | null;
  /** the number of failed checkouts, part of the idempotency key for the next one */
  checkoutTry: number;
}

function toStored(row: InvoiceRow): StoredInvoice {
  const paymentState: PaymentState = {
    state: row.state,
    currency: row.currency,
    total: row.total_minor,
    received: row.received_minor,
    paidAt: row.paid_at,
  };
  return {
    accountId: row.account_id,
    invoice: {
      id: row.id,
      number: row.number,
      status: statusOf(paymentState),
      customer_name: row.customer_name,
      currency: row.currency,
      total: row.total_minor,
      received: row.received_minor,
      amount_due: dueOf(paymentState),
      issue_date: row.issue_date,
      due_date: row.due_date,
      needs_review: row.waiting > 0,
      issued_at: toIsoOrNull(row.issued_at),
      paid_at: toIsoOrNull(row.paid_at),
      voided_at: toIsoOrNull(row.voided_at),
      created_at: toIso(row.created_at),
      updated_at: toIso(row.updated_at),
    },
    paymentState,
    customerDetails: row.customer_details,
    language: row.language,
    note: row.note,
    documentSha256: row.document_sha256,
    encryptedPayToken: row.pay_encrypted,
    checkoutTry: row.checkout_try,
  };
}

async function findWhere(db: Db, where: string, values: Value[], lock = false): Promise<StoredInvoice | undefined> {
  const sql = `SELECT ${COLUMNS} FROM invoices t WHERE ${where}${lock ? forUpdate(db) : ''}`;
  const row = await queryOne<InvoiceRow>(db, sql, values);
  return row && toStored(row);
}

export const findInvoice = (db: Db, accountId: string, id: string): Promise<StoredInvoice | undefined> =>
  findWhere(db, 'id = ? AND account_id = ?', [id, accountId]);

/**
 * As `findInvoice`, and locks the invoice (FOR UPDATE): until the transaction ends, it can't be changed and no payment
 * can be recorded for it.
 */
export const lockInvoice = (db: Db, accountId: string, id: string): Promise<StoredInvoice | undefined> =>
  findWhere(db, 'id = ? AND account_id = ?', [id, accountId], true);

/** Finds an invoice by the hash of the token in its link. */
export const findByToken = (db: Db, payHash: string): Promise<StoredInvoice | undefined> =>
  findWhere(db, 'pay_hash = ?', [payHash]);

/** The id of an issued invoice with this id, number or pay token; drafts can't be paid. */
export async function findIssuedId(
  db: Db,
  accountId: string,
  { id, number, payHash }: { id?: string; number?: string; payHash?: string },
): Promise<string | undefined> {
  const row = await queryOne<{ id: string }>(
    db,
    `SELECT id FROM invoices WHERE account_id = ? AND state <> 'draft' AND (id = ? OR number = ? OR pay_hash = ?)`,
    [accountId, id ?? '', number ?? '', payHash ?? ''],
  );
  return row?.id;
}

const STATUS_CONDITIONS: Record<InvoiceStatusFilter, string> = {
  draft: "t.state = 'draft'",
  issued: "t.state = 'issued' AND t.paid_at IS NULL",
  paid: "t.state = 'issued' AND t.paid_at IS NOT NULL",
  void: "t.state = 'void'",
  review: `EXISTS (SELECT 1 ${WAITING_PAYMENTS})`,
};

export interface InvoiceFilter {
  status?: InvoiceStatusFilter | undefined;
  order_id?: string | undefined;
  q?: string | undefined;
  sort: InvoiceSort;
}

export async function listInvoices(
  db: Db,
  accountId: string,
  { status, order_id, q, sort }: InvoiceFilter,
  page: Page,
): Promise<Listed<Invoice>> {
  const byText = matchesText(q);
  const where = ['t.account_id = ?', ...byText.where];
  const values: Value[] = [accountId, ...byText.values];
  if (status) where.push(STATUS_CONDITIONS[status]);
  if (order_id !== undefined) {
    where.push('EXISTS (SELECT 1 FROM invoice_lines l WHERE l.invoice_id = t.id AND l.order_id = ?)');
    values.push(order_id);
  }
  const { rows, total } = await queryPage<InvoiceRow>(db, {
    columns: COLUMNS,
    table: 'invoices',
    where,
    values,
    orderBy: toOrderBy(sort),
    limit: page.per_page,
    offset: offsetOf(page),
  });
  const orders = await listOrderIds(
    db,
    rows.map(({ id }) => id),
  );
  return {
    items: rows.map((row) => ({ ...toStored(row).invoice, order_ids: orders.get(row.id) ?? [] })),
    total,
  };
}

/** The fields of a draft that can be written. */
export interface Draft {
  customerName: string;
  customerDetails: string;
  language: Language;
  note: string;
  currency: string;
  dueDate: string | null;
  total: number;
}

/** The text that a search matches. The number is put in front of it at issue. */
const searchText = ({ customerName, customerDetails, note }: Draft): string =>
  ['', customerName, customerDetails, note].join('\n').toLowerCase();

/** In the order of the columns in the statements that write a draft. */
const valuesOf = (draft: Draft): Value[] => [
  draft.customerName,
  draft.customerDetails,
  draft.language,
  draft.note,
  draft.currency,
  draft.total,
  draft.dueDate,
  searchText(draft),
];

export async function insertInvoice(
  db: Db,
  accountId: string,
  { id, at, ...draft }: Draft & { id: string; at: number },
): Promise<void> {
  await query(
    db,
    `INSERT INTO invoices (id, account_id, state, customer_name, customer_details, language, note, currency, total_minor, due_date,
       search_text, created_at, updated_at) VALUES (?, ?, 'draft', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, accountId, ...valuesOf(draft), at, at],
  );
}

export async function updateDraft(db: Db, id: string, draft: Draft, at: number): Promise<void> {
  await query(
    db,
    `UPDATE invoices SET customer_name = ?, customer_details = ?, language = ?, note = ?, currency = ?, total_minor = ?, due_date = ?,
       search_text = ?, updated_at = ? WHERE id = ?`,
    [...valuesOf(draft), at, id],
  );
}

export async function deleteInvoice(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM invoices WHERE id = ?', [id]);
}

/**
 * The next number of an account and year. Concurrent issues wait here until this transaction ends. If it rolls back,
 * the number is assigned again, so there are no gaps.
 */
export async function assignNumber(db: Db, accountId: string, year: number): Promise<number> {
  const [row] = await query<{ last_number: number }>(
    db,
    `INSERT INTO invoice_counters (account_id, year, last_number) VALUES (?, ?, 1)
     ON CONFLICT (account_id, year) DO UPDATE SET last_number = invoice_counters.last_number + 1 RETURNING last_number`,
    [accountId, year],
  );
  return (row as { last_number: number }).last_number;
}

/** The last number in the series of sample invoices; 0 if there is none. */
export async function findLastSample(db: Db, accountId: string): Promise<number> {
  const rows = await query<{ number: string }>(
    db,
    `SELECT number FROM invoices WHERE account_id = ? AND number_year IS NULL AND number LIKE '${SAMPLE_SERIES}%'`,
    [accountId],
  );
  return Math.max(0, ...rows.map(({ number }) => Number(number.slice(SAMPLE_SERIES.length))));
}

/** Whether an invoice has a number of the account's counter, and so must stay. */
export async function isCounted(db: Db, id: string): Promise<boolean> {
  const row = await queryOne(db, 'SELECT id FROM invoices WHERE id = ? AND number_year IS NOT NULL', [id]);
  return row !== undefined;
}

export interface Issue {
  number: string;
  /** null: not counted */
  year: number | null;
  place: number | null;
  issueDate: string;
  document: string;
  documentSha256: string;
  payHash: string;
  encryptedPayToken: string;
  /** milliseconds */
  at: number;
}

export async function issueInvoice(db: Db, id: string, issue: Issue): Promise<void> {
  await query(
    db,
    `UPDATE invoices SET state = 'issued', number = ?, number_year = ?, number_place = ?, issue_date = ?, document = ?,
       document_sha256 = ?, pay_hash = ?, pay_encrypted = ?, issued_at = ?, updated_at = ?, search_text = ? || search_text WHERE id = ?`,
    [
      issue.number,
      issue.year,
      issue.place,
      issue.issueDate,
      issue.document,
      issue.documentSha256,
      issue.payHash,
      issue.encryptedPayToken,
      issue.at,
      issue.at,
      issue.number,
      id,
    ],
  );
}

export async function voidInvoice(db: Db, id: string, at: number): Promise<void> {
  await query(db, "UPDATE invoices SET state = 'void', voided_at = ?, updated_at = ? WHERE id = ?", [at, at, id]);
}

export async function savePaymentState(
  db: Db,
  id: string,
  { received, paidAt }: PaymentState,
  at: number,
): Promise<void> {
  const sql = 'UPDATE invoices SET received_minor = ?, paid_at = ?, updated_at = ? WHERE id = ?';
  await query(db, sql, [received, paidAt, at, id]);
}

/** Updates an invoice's change time, because something that is shown with it changed. */
export async function touchInvoice(db: Db, id: string, at: number): Promise<void> {
  await query(db, 'UPDATE invoices SET updated_at = ? WHERE id = ?', [at, id]);
}

export async function countCheckoutTry(db: Db, id: string): Promise<void> {
  await query(db, 'UPDATE invoices SET checkout_try = checkout_try + 1 WHERE id = ?', [id]);
}

/** The document that was frozen at issue. */
export async function findDocument(db: Db, id: string): Promise<string | undefined> {
  const row = await queryOne<{ document: string | null }>(db, 'SELECT document FROM invoices WHERE id = ?', [id]);
  return row?.document ?? undefined;
}

/** The PDF of an issued invoice, if it has been rendered. */
export async function findPdf(db: Db, id: string): Promise<Buffer | undefined> {
  const row = await queryOne<{ content: string }>(db, 'SELECT content FROM invoice_pdfs WHERE invoice_id = ?', [id]);
  return row && Buffer.from(row.content, 'base64');
}

/** Keeps the first one: another process may have rendered the same invoice. */
export async function insertPdf(db: Db, id: string, pdf: Buffer): Promise<void> {
  await query(db, 'INSERT INTO invoice_pdfs (invoice_id, content) VALUES (?, ?) ON CONFLICT DO NOTHING', [
    id,
    pdf.toString('base64'),
  ]);
}

const SELLER = 'name, address, tax_id, bank_details, payment_note, default_currency';

export const findSeller = (db: Db, accountId: string): Promise<Seller | undefined> =>
  queryOne<Seller>(db, `SELECT ${SELLER} FROM invoice_sellers WHERE account_id = ?`, [accountId]);

export async function saveSeller(db: Db, accountId: string, seller: Seller, at: number): Promise<void> {
  await query(
    db,
    `INSERT INTO invoice_sellers (account_id, ${SELLER}, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET name = excluded.name, address = excluded.address, tax_id = excluded.tax_id,
       bank_details = excluded.bank_details, payment_note = excluded.payment_note, default_currency = excluded.default_currency,
       updated_at = excluded.updated_at`,
    [
      accountId,
      seller.name,
      seller.address,
      seller.tax_id,
      seller.bank_details,
      seller.payment_note,
      seller.default_currency,
      at,
    ],
  );
}
