import type { Actor } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult } from '../idempotency/with-idempotency.ts';
import type { Order } from '../orders/order-fields.ts';
import { DomainError, invalid } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Language } from '../shared/language.ts';
import { checkNames, isVisible } from '../shared/names.ts';
import type { Tx } from '../storage/transaction.ts';
import { amountOf, type InvoiceDetail, type Line, lineOf, MAX_AMOUNT, totalOf } from './invoice.ts';
import { type InvoiceDeps, lockForChange, readDetail, refused, sellerOf } from './invoice-deps.ts';
import { replaceLines } from './invoice-line-store.ts';
import * as store from './invoice-store.ts';

/** Absent fields keep their values; in a new invoice they get their defaults. */
export interface InvoiceInput {
  customer_name?: string | undefined;
  customer_details?: string | undefined;
  language?: Language | undefined;
  note?: string | undefined;
  currency?: string | undefined;
  due_date?: string | null | undefined;
  lines?: (Omit<Line, 'order_id'> & { order_id?: string | null | undefined })[] | undefined;
}

/**
 * Creates a draft, with lines for the given orders. Fields that are not given come from the orders and the business
 * details.
 * @throws DomainError validation_error, idempotency_conflict
 */
export async function createDraft(
  deps: InvoiceDeps,
  { accountId }: Actor,
  { order_ids = [], ...input }: InvoiceInput & { order_ids?: string[] | undefined },
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<InvoiceDetail>> {
  checkNames<InvoiceInput>(['customer_name'], input);
  const orders = await readOrders(deps, accountId, order_ids);
  return deps.withIdempotency(accountId, idempotency, async (tx) => {
    const lines = await toLines(deps, tx, accountId, input.lines ?? orders.map(lineOf));
    const seller = await sellerOf(deps, tx.db, accountId);
    const customer = orders.find(({ customer_name }) => isVisible(customer_name ?? ''));
    const id = newId();
    await store.insertInvoice(tx.db, accountId, {
      id,
      customerName: input.customer_name ?? customer?.customer_name ?? '',
      customerDetails: input.customer_details ?? customer?.customer_contact ?? '',
      language: input.language ?? 'en',
      note: input.note ?? '',
      currency: input.currency ?? orders.find(({ price }) => price !== null)?.currency ?? seller.default_currency,
      dueDate: input.due_date ?? null,
      total: checkedTotal(lines),
      at: deps.clock(),
    });
    await replaceLines(tx.db, id, lines);
    tx.changed(accountId, { kind: 'invoice', id });
    return readDetail(deps, tx, accountId, id);
  });
}

/** @throws DomainError not_found, invoice_state, validation_error */
export function updateDraft(
  deps: InvoiceDeps,
  { accountId }: Actor,
  id: string,
  patch: InvoiceInput,
): Promise<InvoiceDetail> {
  return deps.storage.inTransaction(async (tx) => {
    const { invoice, ...before } = await lockDraft(tx, accountId, id);
    checkNames<InvoiceInput>(['customer_name'], patch, invoice);
    const lines = patch.lines && (await toLines(deps, tx, accountId, patch.lines));
    const draft: store.Draft = {
      customerName: patch.customer_name ?? invoice.customer_name,
      customerDetails: patch.customer_details ?? before.customerDetails,
      language: patch.language ?? before.language,
      note: patch.note ?? before.note,
      currency: patch.currency ?? invoice.currency,
      dueDate: patch.due_date === undefined ? invoice.due_date : patch.due_date,
      total: lines ? checkedTotal(lines) : invoice.total,
    };
    await store.updateDraft(tx.db, id, draft, deps.clock());
    if (lines) await replaceLines(tx.db, id, lines);
    return readDetail(deps, tx, accountId, id);
  });
}

/** @throws DomainError not_found, invoice_state */
async function lockDraft(tx: Tx, accountId: string, id: string): Promise<store.StoredInvoice> {
  const found = await lockForChange(tx, accountId, id);
  if (found.paymentState.state !== 'draft') {
    throw refused("An issued invoice can't be edited. Void it and create a new one.");
  }
  return found;
}

/** The lines in stored form. @throws DomainError validation_error if the account has no such order */
async function toLines(
  { holdOrder }: InvoiceDeps,
  tx: Tx,
  accountId: string,
  input: NonNullable<InvoiceInput['lines']>,
): Promise<Line[]> {
  for (const [index, { order_id }] of input.entries()) {
    if (order_id && !(await holdOrder(tx.db, accountId, order_id))) {
      throw invalid(`/lines/${index}/order_id`, 'No order with this ID in the account.');
    }
  }
  return input.map((line) => ({ ...line, order_id: line.order_id ?? null }));
}

/** @throws DomainError validation_error if an amount is too large */
export function checkedTotal(lines: readonly Line[]): number {
  const tooMuch = lines.findIndex((line) => Math.abs(amountOf(line)) > MAX_AMOUNT);
  if (tooMuch >= 0) throw invalid(`/lines/${tooMuch}`, `A line can't exceed ${MAX_AMOUNT} minor units.`);
  const total = totalOf(lines);
  if (Math.abs(total) > MAX_AMOUNT) throw invalid('/lines', `An invoice can't exceed ${MAX_AMOUNT} minor units.`);
  return total;
}

/** The orders to invoice, whose lines must fit on one invoice. @throws DomainError validation_error */
async function readOrders({ readOrder }: InvoiceDeps, accountId: string, ids: readonly string[]): Promise<Order[]> {
  const orders: Order[] = [];
  for (const [index, id] of ids.entries()) {
    const order = await readOrder(accountId, id).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === 'not_found') {
        throw invalid(`/order_ids/${index}`, 'No order with this ID in the account.');
      }
      throw error;
    });
    orders.push(order);
  }
  const differ = (values: unknown[]) => new Set(values.filter((value) => value !== null)).size > 1;
  if (differ(orders.map(({ price, currency }) => (price === null ? null : currency)))) {
    throw invalid('/order_ids', 'These orders have prices in different currencies. Create one invoice per currency.');
  }
  if (differ(orders.map(({ customer_name }) => customer_name?.trim() || null))) {
    throw invalid('/order_ids', 'These orders belong to different customers. Create one invoice per customer.');
  }
  return orders;
}
