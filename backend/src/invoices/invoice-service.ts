import { type Clock, DAY_MS, toDay } from '../../../common/src/clock.ts';
import type { SecretBox } from '../../../common/src/crypto.ts';
import type * as accountStore from '../accounts/account-store.ts';
import type { Actor } from '../accounts/token.ts';
import type { OrderService } from '../orders/order-service.ts';
import { invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { checkNames, isVisible } from '../shared/names.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import { type Patch, patched } from '../shared/patch.ts';
import { requireRecentPassword } from '../shared/recent-password.ts';
import type { Db } from '../storage/dialect.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import { checkedTotal, readOrders, toLines } from './draft.ts';
import { amountOf, lineOf, refused, toNumber, toSampleNumber } from './invoice.ts';
import { listLines, replaceLines } from './invoice-line-store.ts';
import type {
  Invoice,
  InvoiceDetail,
  InvoiceInput,
  ManualPayment,
  NewInvoiceInput,
  Payment,
  Seller,
} from './invoice-schema.ts';
import * as store from './invoice-store.ts';
import { issueInvoice } from './issue-invoice.ts';
import type { Payments } from './payments/payment.ts';
import * as paymentStore from './payments/payment-store.ts';

interface InvoiceDeps {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  secretBox: SecretBox;
  payments: Payments;
  orders: Pick<OrderService, 'get' | 'holdOrder'>;
  accounts: Pick<typeof accountStore, 'findCurrency' | 'lockAccount'>;
  /** the public URL of the server, without a trailing slash */
  publicUrl(): string;
  /** the characters that PDFs can show */
  findCharacters(): Promise<ReadonlySet<number>>;
}

const EMPTY_SELLER = { name: '', address: '', tax_id: '', bank_details: '', payment_note: '' };

/** Of a payment that no provider reported. */
const NO_PROVIDER = {
  providerId: null,
  eventId: null,
  paymentId: null,
  reference: null,
  namedInvoice: null,
  payer: null,
  excerpt: null,
};

export type InvoiceService = ReturnType<typeof createInvoiceService>;

/** Invoices from draft to paid. The content of an issued invoice never changes; payments are recorded beside it. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createInvoiceService(deps: InvoiceDeps) {
  const { storage, clock, withIdempotency, secretBox, payments, orders, accounts } = deps;

  const sellerOf = async (db: Db, accountId: string): Promise<Seller> =>
    (await store.findSeller(db, accountId)) ?? {
      ...EMPTY_SELLER,
      default_currency: await accounts.findCurrency(db, accountId),
    };

  /** null: a draft, or the link's encryption key was lost */
  function payUrlOf({ invoice, encryptedPayToken }: store.StoredInvoice): string | null {
    const link =
      encryptedPayToken === null ? undefined : secretBox.tryDecrypt(encryptedPayToken, store.payContext(invoice.id));
    return link === undefined ? null : `${deps.publicUrl()}/pay/${link}`;
  }

  /** @throws DomainError not_found */
  async function readDetail(db: Db, accountId: string, id: string): Promise<InvoiceDetail> {
    const found = await store.findInvoice(db, accountId, id);
    if (!found) throw notFound();
    const lines = await listLines(db, id);
    return {
      ...found.invoice,
      order_ids: [...new Set(lines.flatMap(({ order_id }) => order_id ?? []))],
      customer_details: found.customerDetails,
      language: found.language,
      note: found.note,
      lines: lines.map((line) => ({ ...line, amount: amountOf(line) })),
      payments: await paymentStore.listPaymentsOf(db, id),
      pay_url: payUrlOf(found),
      document_sha256: found.documentSha256,
    };
  }

  /**
   * Changes an issued invoice once per idempotency key. The result is stored without the payment link, which only the
   * invoice has, encrypted.
   * @throws DomainError idempotency_conflict
   */
  const changeOnce = (
    accountId: string,
    idempotency: IdempotencyRequest | undefined,
    work: (tx: Tx) => Promise<InvoiceDetail>,
  ): Promise<IdempotentResult<InvoiceDetail>> =>
    withIdempotency(accountId, idempotency, work, {
      keep: (detail) => ({ ...detail, pay_url: null }),
      async restore(kept, tx) {
        const found = await store.findInvoice(tx.db, accountId, kept.id);
        return found ? { ...kept, pay_url: payUrlOf(found) } : kept;
      },
    });

  return {
    list: (accountId: string, filter: store.InvoiceFilter, page: Page): Promise<Listed<Invoice>> =>
      store.listInvoices(storage.read, accountId, filter, page),

    /** The currency of an invoice's amounts; undefined if there is no such invoice. */
    currencyOf: async (accountId: string, id: string): Promise<string | undefined> =>
      (await store.findInvoice(storage.read, accountId, id))?.invoice.currency,

    /** @throws DomainError not_found */
    get: (accountId: string, id: string): Promise<InvoiceDetail> => readDetail(storage.read, accountId, id),

    /**
     * Creates a draft, with lines for the given orders. Fields that are not given come from the orders and the business
     * details.
     * @throws DomainError validation_error, idempotency_conflict
     */
    async create(
      { accountId }: Actor,
      { order_ids = [], ...input }: NewInvoiceInput,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<InvoiceDetail>> {
      checkNames<InvoiceInput>(['customer_name'], input);
      const ofOrders = await readOrders(orders, accountId, order_ids);
      return withIdempotency(accountId, idempotency, async (tx) => {
        const lines = await toLines(orders, tx, accountId, input.lines ?? ofOrders.map(lineOf));
        const seller = await sellerOf(tx.db, accountId);
        const customer = ofOrders.find(({ customer_name }) => isVisible(customer_name ?? ''));
        const id = newId();
        await store.insertInvoice(tx.db, accountId, {
          id,
          customerName: input.customer_name ?? customer?.customer_name ?? '',
          customerDetails: input.customer_details ?? customer?.customer_contact ?? '',
          language: input.language ?? 'en',
          note: input.note ?? '',
          currency: input.currency ?? ofOrders.find(({ price }) => price !== null)?.currency ?? seller.default_currency,
          dueDate: input.due_date ?? null,
          total: checkedTotal(lines),
          at: clock(),
        });
        await replaceLines(tx.db, id, lines);
        tx.changed(accountId, { kind: 'invoice', id });
        return readDetail(tx.db, accountId, id);
      });
    },

    /** @throws DomainError not_found, invoice_state, validation_error */
    update: ({ accountId }: Actor, id: string, patch: InvoiceInput): Promise<InvoiceDetail> =>
      storage.inTransaction(async (tx) => {
        const { invoice, ...before } = await lockDraft(tx, accountId, id);
        checkNames<InvoiceInput>(['customer_name'], patch, invoice);
        const lines = patch.lines && (await toLines(orders, tx, accountId, patch.lines));
        const draft: store.Draft = {
          customerName: patch.customer_name ?? invoice.customer_name,
          customerDetails: patch.customer_details ?? before.customerDetails,
          language: patch.language ?? before.language,
          note: patch.note ?? before.note,
          currency: patch.currency ?? invoice.currency,
          dueDate: patch.due_date === undefined ? invoice.due_date : patch.due_date,
          total: lines ? checkedTotal(lines) : invoice.total,
        };
        await store.updateDraft(tx.db, id, draft, clock());
        if (lines) await replaceLines(tx.db, id, lines);
        return readDetail(tx.db, accountId, id);
      }),

    /** Deletes a draft; an issued invoice keeps its number for good. @throws DomainError not_found, invoice_state */
    remove: ({ accountId }: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        const { paymentState } = await lockForChange(tx, accountId, id);
        if (paymentState.state !== 'draft')
          throw refused("An issued invoice can't be deleted because it keeps its number. Void it instead.");
        await store.deleteInvoice(tx.db, id);
      }),

    /**
     * Assigns the next number and freezes the content of an invoice.
     * @param issue_date today's date in the owner's time zone, `YYYY-MM-DD`, which determines the year of the number;
     * default today in UTC
     * @throws DomainError not_found, invoice_state, validation_error, idempotency_conflict
     */
    async issue(
      { accountId }: Actor,
      id: string,
      { issue_date }: { issue_date?: string | undefined },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<InvoiceDetail>> {
      const characters = await deps.findCharacters();
      return changeOnce(accountId, idempotency, async (tx) => {
        await issueInvoice(deps, tx, await lockForChange(tx, accountId, id), {
          issueDate: issue_date ?? toDay(clock()),
          seller: await sellerOf(tx.db, accountId),
          characters,
          async assignNumber(year) {
            const place = await store.assignNumber(tx.db, accountId, year);
            return { number: toNumber(year, place), year, place };
          },
        });
        return readDetail(tx.db, accountId, id);
      });
    },

    /** Voids an invoice, which keeps its number. @throws DomainError not_found, invoice_state */
    void: ({ accountId }: Actor, id: string): Promise<InvoiceDetail> =>
      storage.inTransaction(async (tx) => {
        const { paymentState } = await lockForChange(tx, accountId, id);
        if (paymentState.state === 'draft')
          throw refused("A draft can't be voided because it has no number yet. Delete it instead.");
        if (paymentState.state === 'issued') await store.voidInvoice(tx.db, id, clock());
        return readDetail(tx.db, accountId, id);
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
      changeOnce(accountId, idempotency, async (tx) => {
        const found = await lockForChange(tx, accountId, id);
        const { state, currency } = found.paymentState;
        if (state === 'draft') throw refused("A draft can't be paid. Issue it first.");
        const now = clock();
        const paidAt = at === undefined ? now : Date.parse(at);
        if (paidAt > now + DAY_MS) throw invalid('/at', 'This time is in the future.');
        const movement = { ...NO_PROVIDER, kind, source: 'manual', amount, currency, at: paidAt } as const;
        await payments.record(tx, accountId, found, { ...movement, note: note ?? null });
        return readDetail(tx.db, accountId, id);
      }),

    /** As `issue`, in the series of sample invoices, whose numbers are not counted. */
    async issueSample(tx: Tx, { accountId }: Actor, id: string, seller: Seller): Promise<void> {
      await issueInvoice(deps, tx, await lockForChange(tx, accountId, id), {
        issueDate: toDay(clock()),
        seller,
        // its texts are ours
        characters: undefined,
        assignNumber: async () => ({
          number: toSampleNumber((await store.findLastSample(tx.db, accountId)) + 1),
          year: null,
          place: null,
        }),
      });
    },

    /** Records that a sample invoice was paid online. */
    async paySample(tx: Tx, { accountId }: Actor, id: string): Promise<void> {
      const found = await lockForChange(tx, accountId, id);
      const { amount_due: amount, currency } = found.invoice;
      const movement = {
        ...NO_PROVIDER,
        kind: 'payment',
        source: 'notification',
        amount,
        currency,
        at: clock(),
        note: null,
      } as const;
      await payments.record(tx, accountId, found, movement);
    },

    /** Deletes a sample invoice, whatever its status, unless it was issued with a number that counts. */
    async removeSample(tx: Tx, { accountId }: Actor, id: string): Promise<void> {
      const { invoice } = await lockForChange(tx, accountId, id);
      if (await store.isCounted(tx.db, id)) return;
      await paymentStore.releasePayments(tx.db, id, invoice.number);
      await store.deleteInvoice(tx.db, id);
    },

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
        tx.changed(accountId, { kind: 'invoice', id: invoiceId ?? id });
        return reviewed;
      }),

    seller: (accountId: string): Promise<Seller> => sellerOf(storage.read, accountId),

    /**
     * Updates the business details. Issued invoices keep the old ones.
     * @throws DomainError validation_error, password_required
     */
    updateSeller: (actor: Actor, patch: Patch<Seller>): Promise<Seller> =>
      storage.inTransaction(async (tx) => {
        requireRecentPassword(actor, clock());
        const { accountId } = actor;
        await accounts.lockAccount(tx.db, accountId);
        const before = await sellerOf(tx.db, accountId);
        checkNames<Patch<Seller>>(['name'], patch, before);
        const seller = patched(before, patch);
        await store.saveSeller(tx.db, accountId, seller, clock());
        return seller;
      }),
  };
}

/** Locks an invoice until the transaction ends and notifies open pages of a change. @throws DomainError not_found */
async function lockForChange(tx: Tx, accountId: string, id: string): Promise<store.StoredInvoice> {
  const found = await store.lockInvoice(tx.db, accountId, id);
  if (!found) throw notFound();
  tx.changed(accountId, { kind: 'invoice', id });
  return found;
}

/** @throws DomainError not_found, invoice_state */
async function lockDraft(tx: Tx, accountId: string, id: string): Promise<store.StoredInvoice> {
  const found = await lockForChange(tx, accountId, id);
  if (found.paymentState.state !== 'draft') {
    throw refused("An issued invoice can't be edited. Void it and create a new one.");
  }
  return found;
}
