import type { Actor } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../idempotency/with-idempotency.ts';
import type { PublishChange } from '../jobs/jobs.ts';
import type { Order } from '../orders/order-fields.ts';
import { type Clock, toDay } from '../shared/clock.ts';
import { createToken, type SecretBox, sha256 } from '../shared/crypto.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Language } from '../shared/language.ts';
import { type Patch, patched } from '../shared/patch.ts';
import type { Listed, Page } from '../shared/schemas.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import { freeze, type Seller } from './document.ts';
import {
  amountOf,
  type Invoice,
  type InvoiceDetail,
  type Line,
  lineOf,
  MAX_AMOUNT,
  type Payment,
  type PaymentKind,
  toNumber,
  totalOf,
} from './invoice.ts';
import * as store from './invoice-store.ts';
import { PAY_TOKEN_PREFIX, type Payments } from './payments/payment.ts';
import * as paymentStore from './payments/payment-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

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

export interface ManualPayment {
  kind: PaymentKind;
  amount: number;
  /** ISO 8601; default now */
  at?: string | undefined;
  note?: string | undefined;
}

const EMPTY_SELLER = { name: '', address: '', tax_id: '', bank_details: '', payment_note: '' };

export const payContext = (id: string): string => `invoice:${id}:pay`;

const refused = (detail: string) => new DomainError('invoice_state', detail);

/** @throws DomainError validation_error if an amount is too large */
function totalWithin(lines: readonly Line[]): number {
  const tooMuch = lines.findIndex((line) => Math.abs(amountOf(line)) > MAX_AMOUNT);
  if (tooMuch >= 0) throw invalid(`/lines/${tooMuch}`, `A line can't exceed ${MAX_AMOUNT} minor units.`);
  const total = totalOf(lines);
  if (Math.abs(total) > MAX_AMOUNT) throw invalid('/lines', `An invoice can't exceed ${MAX_AMOUNT} minor units.`);
  return total;
}

/** @throws DomainError validation_error */
function checkDates(issueDate: string, dueDate: string | null, now: number): void {
  // it must be that day in some time zone
  if (Math.abs(Date.parse(issueDate) + DAY_MS / 2 - now) > 1.5 * DAY_MS) {
    throw invalid('/issue_date', 'The issue date must be today.');
  }
  if (dueDate !== null && dueDate < issueDate) {
    throw invalid('/due_date', 'The due date is in the past. Change it first.');
  }
}

/** Checks that a draft is complete enough to be issued. @throws DomainError validation_error */
function checkContent({ customer_name }: Pick<Invoice, 'customer_name'>, lines: readonly Line[]): void {
  if (lines.length === 0) throw invalid('/lines', 'Add at least one line item.');
  if (totalWithin(lines) < 1) throw invalid('/lines', 'The invoice total must be more than zero.');
  if (customer_name.trim() === '') throw invalid('/customer_name', 'Enter a customer.');
}

export type InvoiceService = ReturnType<typeof createInvoiceService>;

/** Invoices from draft to paid. The content of an issued invoice never changes; payments are recorded beside it. */
export function createInvoiceService(deps: {
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
  /** notifies open pages */
  publishChange?: PublishChange | undefined;
}) {
  const {
    storage,
    clock,
    withIdempotency,
    secretBox,
    payments,
    publicUrl,
    readOrder,
    holdOrder,
    currencyOf,
    publishChange,
  } = deps;

  const publishInvoice = (tx: Tx, accountId: string, id: string) =>
    tx.afterCommit(() => publishChange?.(accountId, { kind: 'invoice', id }));

  /** @throws DomainError not_found */
  async function lock(tx: Tx, accountId: string, id: string): Promise<store.StoredInvoice> {
    const found = await store.lockInvoice(tx.db, accountId, id);
    if (!found) throw notFound();
    publishInvoice(tx, accountId, id);
    return found;
  }

  /** @throws DomainError not_found, invoice_state */
  async function lockDraft(tx: Tx, accountId: string, id: string): Promise<store.StoredInvoice> {
    const found = await lock(tx, accountId, id);
    if (found.paymentState.state !== 'draft') {
      throw refused("An issued invoice can't be edited. Void it and create a new one.");
    }
    return found;
  }

  /** The lines in stored form. @throws DomainError validation_error if the account has no such order */
  async function toLines(tx: Tx, accountId: string, input: NonNullable<InvoiceInput['lines']>): Promise<Line[]> {
    for (const [index, { order_id }] of input.entries()) {
      if (order_id && !(await holdOrder(tx.db, accountId, order_id))) {
        throw invalid(`/lines/${index}/order_id`, 'No order with this ID in the account.');
      }
    }
    return input.map((line) => ({ ...line, order_id: line.order_id ?? null }));
  }

  async function toDetail(db: Db, found: store.StoredInvoice): Promise<InvoiceDetail> {
    const { invoice, paySealed } = found;
    const lines = await store.listLines(db, invoice.id);
    return {
      ...invoice,
      order_ids: [...new Set(lines.flatMap(({ order_id }) => order_id ?? []))],
      customer_details: found.customerDetails,
      language: found.language,
      note: found.note,
      lines: lines.map((line) => ({ ...line, amount: amountOf(line) })),
      payments: await paymentStore.listPaymentsOf(db, invoice.id),
      pay_url: paySealed && `${publicUrl()}/pay/${secretBox.decrypt(paySealed, payContext(invoice.id))}`,
      document_sha256: found.documentSha256,
    };
  }

  /** The current invoice, read in the transaction that changed it. */
  const after = async (tx: Tx, accountId: string, id: string): Promise<InvoiceDetail> =>
    toDetail(tx.db, (await store.findInvoice(tx.db, accountId, id)) as store.StoredInvoice);

  const sellerOf = async (db: Db, accountId: string): Promise<Seller> =>
    (await store.findSeller(db, accountId)) ?? {
      ...EMPTY_SELLER,
      default_currency: await currencyOf(db, accountId),
    };

  /** The orders to invoice, whose lines must fit on one invoice. @throws DomainError validation_error */
  async function readOrders(accountId: string, ids: readonly string[]): Promise<Order[]> {
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

  return {
    list: (accountId: string, filter: store.InvoiceFilter, page: Page): Promise<Listed<Invoice>> =>
      store.listInvoices(storage.read, accountId, filter, page),

    /** The currency of an invoice's amounts; undefined if there is no such invoice. */
    currencyOf: async (accountId: string, id: string): Promise<string | undefined> =>
      (await store.findInvoice(storage.read, accountId, id))?.invoice.currency,

    /** @throws DomainError not_found */
    async get(accountId: string, id: string): Promise<InvoiceDetail> {
      const found = await store.findInvoice(storage.read, accountId, id);
      if (!found) throw notFound();
      return toDetail(storage.read, found);
    },

    /**
     * Creates a draft, with lines for the given orders. Fields that are not given come from the orders and the business
     * details.
     * @throws DomainError validation_error, idempotency_conflict
     */
    async create(
      { accountId }: Actor,
      { order_ids = [], ...input }: InvoiceInput & { order_ids?: string[] | undefined },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<InvoiceDetail>> {
      const orders = await readOrders(accountId, order_ids);
      return withIdempotency(accountId, idempotency, async (tx) => {
        const given = input.lines ?? orders.map(lineOf);
        const lines = await toLines(tx, accountId, given);
        const seller = await sellerOf(tx.db, accountId);
        const customer = orders.find(({ customer_name }) => customer_name?.trim());
        const id = newId();
        await store.insertInvoice(tx.db, accountId, {
          id,
          customerName: input.customer_name ?? customer?.customer_name ?? '',
          customerDetails: input.customer_details ?? customer?.customer_contact ?? '',
          language: input.language ?? 'en',
          note: input.note ?? '',
          currency: input.currency ?? orders.find(({ price }) => price !== null)?.currency ?? seller.default_currency,
          dueDate: input.due_date ?? null,
          total: totalWithin(lines),
          at: clock(),
        });
        await store.replaceLines(tx.db, id, lines);
        publishInvoice(tx, accountId, id);
        return after(tx, accountId, id);
      });
    },

    /** @throws DomainError not_found, invoice_state, validation_error */
    update: ({ accountId }: Actor, id: string, patch: InvoiceInput): Promise<InvoiceDetail> =>
      storage.inTransaction(async (tx) => {
        const { invoice, ...before } = await lockDraft(tx, accountId, id);
        const lines = patch.lines && (await toLines(tx, accountId, patch.lines));
        const draft: store.Draft = {
          customerName: patch.customer_name ?? invoice.customer_name,
          customerDetails: patch.customer_details ?? before.customerDetails,
          language: patch.language ?? before.language,
          note: patch.note ?? before.note,
          currency: patch.currency ?? invoice.currency,
          dueDate: patch.due_date === undefined ? invoice.due_date : patch.due_date,
          total: lines ? totalWithin(lines) : invoice.total,
        };
        await store.updateDraft(tx.db, id, draft, clock());
        if (lines) await store.replaceLines(tx.db, id, lines);
        return after(tx, accountId, id);
      }),

    /** Deletes a draft; an issued invoice keeps its number for good. @throws DomainError not_found, invoice_state */
    remove: ({ accountId }: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        const { paymentState } = await lock(tx, accountId, id);
        if (paymentState.state !== 'draft')
          throw refused("An issued invoice can't be deleted because it keeps its number. Void it instead.");
        await store.deleteInvoice(tx.db, id);
      }),

    /**
     * Assigns the next number and freezes the content of an invoice.
     * @param issueDate today's date in the owner's time zone, `YYYY-MM-DD`, which determines the year of the number;
     * default today in UTC
     * @throws DomainError not_found, invoice_state, validation_error, idempotency_conflict
     */
    issue: (
      { accountId }: Actor,
      id: string,
      { issue_date }: { issue_date?: string | undefined },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<InvoiceDetail>> =>
      withIdempotency(accountId, idempotency, async (tx) => {
        const { invoice, ...draft } = await lock(tx, accountId, id);
        if (draft.paymentState.state !== 'draft')
          throw refused(`This invoice has already been issued as ${invoice.number}.`);
        const at = clock();
        const issueDate = issue_date ?? toDay(at);
        checkDates(issueDate, invoice.due_date, at);
        const lines = await store.listLines(tx.db, id);
        checkContent(invoice, lines);
        const seller = await sellerOf(tx.db, accountId);
        if (seller.name.trim() === '') {
          throw refused('Add your business details first.');
        }

        const year = Number(issueDate.slice(0, 4));
        const place = await store.assignNumber(tx.db, accountId, year);
        const number = toNumber(year, place);
        const { text, hash } = freeze({
          id,
          number,
          issueDate,
          dueDate: invoice.due_date,
          language: draft.language,
          seller,
          customerName: invoice.customer_name,
          customerDetails: draft.customerDetails,
          currency: invoice.currency,
          lines,
          note: draft.note,
        });
        const token = createToken(PAY_TOKEN_PREFIX);
        await store.issueInvoice(tx.db, id, {
          number,
          year,
          place,
          issueDate,
          document: text,
          documentSha256: hash,
          payHash: sha256(token),
          paySealed: secretBox.encrypt(token, payContext(id)),
          at,
        });
        return after(tx, accountId, id);
      }),

    /** Voids an invoice, which keeps its number. @throws DomainError not_found, invoice_state */
    void: ({ accountId }: Actor, id: string): Promise<InvoiceDetail> =>
      storage.inTransaction(async (tx) => {
        const { paymentState } = await lock(tx, accountId, id);
        if (paymentState.state === 'draft')
          throw refused("A draft can't be voided because it has no number yet. Delete it instead.");
        if (paymentState.state === 'issued') await store.voidInvoice(tx.db, id, clock());
        return after(tx, accountId, id);
      }),

    /**
     * Records a payment or refund by other means, such as cash or a bank transfer.
     * @throws DomainError not_found, invoice_state, validation_error, idempotency_conflict
     */
    recordManual: (
      { accountId }: Actor,
      id: string,
      { kind, amount, at, note }: ManualPayment,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<InvoiceDetail>> =>
      withIdempotency(accountId, idempotency, async (tx) => {
        const found = await lock(tx, accountId, id);
        if (found.paymentState.state === 'draft') throw refused("A draft can't be paid. Issue it first.");
        const now = clock();
        const paidAt = at === undefined ? now : Date.parse(at);
        if (paidAt > now + DAY_MS) throw invalid('/at', 'This time is in the future.');
        await payments.record(tx, accountId, found, {
          kind,
          source: 'manual',
          amount,
          currency: found.paymentState.currency,
          at: paidAt,
          providerId: null,
          eventId: null,
          paymentId: null,
          reference: null,
          namedInvoice: null,
          payer: null,
          note: note ?? null,
          excerpt: null,
        });
        return after(tx, accountId, id);
      }),

    listPayments: (accountId: string, filter: paymentStore.PaymentFilter, page: Page): Promise<Listed<Payment>> =>
      paymentStore.listPayments(storage.read, accountId, filter, page),

    /** Marks a payment as reviewed. @throws DomainError not_found */
    review: ({ accountId }: Actor, id: string): Promise<Payment> =>
      storage.inTransaction(async (tx) => {
        const invoiceId = await paymentStore.findInvoiceOf(tx.db, accountId, id);
        if (invoiceId === undefined) throw notFound();
        const at = clock();
        const reviewed = await paymentStore.reviewPayment(tx.db, id, at);
        if (invoiceId !== null) await store.touchInvoice(tx.db, invoiceId, at);
        publishInvoice(tx, accountId, invoiceId ?? id);
        return reviewed;
      }),

    seller: (accountId: string): Promise<Seller> => sellerOf(storage.read, accountId),

    /** Updates the business details. Issued invoices keep the old ones. */
    updateSeller: ({ accountId }: Actor, patch: Patch<Seller>): Promise<Seller> =>
      storage.inTransaction(async (tx) => {
        const seller = patched(await sellerOf(tx.db, accountId), patch);
        await store.saveSeller(tx.db, accountId, seller, clock());
        return seller;
      }),
  };
}
