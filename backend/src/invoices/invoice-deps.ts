import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../idempotency/with-idempotency.ts';
import type { Order } from '../orders/order-fields.ts';
import type { Clock } from '../shared/clock.ts';
import type { SecretBox } from '../shared/crypto.ts';
import { DomainError, notFound } from '../shared/errors.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import type { Seller } from './document.ts';
import { amountOf, type InvoiceDetail } from './invoice.ts';
import { listLines } from './invoice-line-store.ts';
import * as store from './invoice-store.ts';
import type { Payments } from './payments/payment.ts';
import { listPaymentsOf } from './payments/payment-store.ts';

/** What invoices need from the rest of the server. */
export interface InvoiceDeps {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  secretBox: SecretBox;
  payments: Payments;
  /** the public URL of the server, without a trailing slash */
  publicUrl(): string;
  readOrder(accountId: string, id: string): Promise<Order>;
  holdOrder(db: Db, accountId: string, id: string): Promise<boolean>;
  /** the account's currency */
  currencyOf(db: Db, accountId: string): Promise<string>;
  /** the characters that PDFs can show */
  findCharacters(): Promise<ReadonlySet<number>>;
}

const EMPTY_SELLER = { name: '', address: '', tax_id: '', bank_details: '', payment_note: '' };

export const refused = (detail: string) => new DomainError('invoice_state', detail);

/** Locks an invoice until the transaction ends and notifies open pages of a change. @throws DomainError not_found */
export async function lockForChange(tx: Tx, accountId: string, id: string): Promise<store.StoredInvoice> {
  const found = await store.lockInvoice(tx.db, accountId, id);
  if (!found) throw notFound();
  tx.changed(accountId, { kind: 'invoice', id });
  return found;
}

/** null: a draft, or the link's encryption key was lost */
function payUrlOf(
  { publicUrl, secretBox }: InvoiceDeps,
  { invoice, encryptedPayToken }: store.StoredInvoice,
): string | null {
  const link =
    encryptedPayToken === null ? undefined : secretBox.tryDecrypt(encryptedPayToken, store.payContext(invoice.id));
  return link === undefined ? null : `${publicUrl()}/pay/${link}`;
}

export async function toDetail(deps: InvoiceDeps, db: Db, found: store.StoredInvoice): Promise<InvoiceDetail> {
  const { invoice } = found;
  const lines = await listLines(db, invoice.id);
  return {
    ...invoice,
    order_ids: [...new Set(lines.flatMap(({ order_id }) => order_id ?? []))],
    customer_details: found.customerDetails,
    language: found.language,
    note: found.note,
    lines: lines.map((line) => ({ ...line, amount: amountOf(line) })),
    payments: await listPaymentsOf(db, invoice.id),
    pay_url: payUrlOf(deps, found),
    document_sha256: found.documentSha256,
  };
}

/** The current invoice, read in the transaction that changed it. */
export const readDetail = async (deps: InvoiceDeps, tx: Tx, accountId: string, id: string): Promise<InvoiceDetail> =>
  toDetail(deps, tx.db, (await store.findInvoice(tx.db, accountId, id)) as store.StoredInvoice);

/**
 * Changes an issued invoice once per idempotency key. The result is stored without the payment link, which only the
 * invoice has, encrypted. @throws DomainError idempotency_conflict
 */
export const changeOnce = (
  deps: InvoiceDeps,
  accountId: string,
  idempotency: IdempotencyRequest | undefined,
  work: (tx: Tx) => Promise<InvoiceDetail>,
): Promise<IdempotentResult<InvoiceDetail>> =>
  deps.withIdempotency(
    accountId,
    idempotency,
    work,
    (detail) => ({ ...detail, pay_url: null }),
    async (kept, tx) => {
      const found = await store.findInvoice(tx.db, accountId, kept.id);
      return found ? { ...kept, pay_url: payUrlOf(deps, found) } : kept;
    },
  );

export const sellerOf = async ({ currencyOf }: InvoiceDeps, db: Db, accountId: string): Promise<Seller> =>
  (await store.findSeller(db, accountId)) ?? { ...EMPTY_SELLER, default_currency: await currencyOf(db, accountId) };
