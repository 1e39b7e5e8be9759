import type { Actor } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult } from '../idempotency/with-idempotency.ts';
import { DAY_MS } from '../shared/clock.ts';
import { invalid, notFound } from '../shared/errors.ts';
import { checkNames } from '../shared/names.ts';
import { type Patch, patched } from '../shared/patch.ts';
import type { Listed, Page } from '../shared/schemas.ts';
import type { Tx } from '../storage/transaction.ts';
import type { Seller } from './document.ts';
import { createDraft, type InvoiceInput, updateDraft } from './draft.ts';
import type { Invoice, InvoiceDetail, Payment, PaymentKind } from './invoice.ts';
import {
  changeOnce,
  type InvoiceDeps,
  lockForChange,
  readDetail,
  refused,
  sellerOf,
  toDetail,
} from './invoice-deps.ts';
import * as store from './invoice-store.ts';
import { issueInvoice, issueSample } from './issue-invoice.ts';
import * as paymentStore from './payments/payment-store.ts';

export interface ManualPayment {
  kind: PaymentKind;
  amount: number;
  /** ISO 8601; default now */
  at?: string | undefined;
  note?: string | undefined;
}

export type InvoiceService = ReturnType<typeof createInvoiceService>;

/** Invoices from draft to paid. The content of an issued invoice never changes; payments are recorded beside it. */
export function createInvoiceService(deps: InvoiceDeps) {
  const { storage } = deps;
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
      return toDetail(deps, storage.read, found);
    },

    /** @throws DomainError validation_error, idempotency_conflict */
    create: (actor: Actor, input: Parameters<typeof createDraft>[2], idempotency: IdempotencyRequest | undefined) =>
      createDraft(deps, actor, input, idempotency),

    /** @throws DomainError not_found, invoice_state, validation_error */
    update: (actor: Actor, id: string, patch: InvoiceInput) => updateDraft(deps, actor, id, patch),

    /** @throws DomainError not_found, invoice_state */
    remove: (actor: Actor, id: string) => removeDraft(deps, actor, id),

    /** @throws DomainError not_found, invoice_state, validation_error, idempotency_conflict */
    issue: (
      actor: Actor,
      id: string,
      input: { issue_date?: string | undefined },
      idempotency: IdempotencyRequest | undefined,
    ) => issueInvoice(deps, actor, id, input, idempotency),

    /** @throws DomainError not_found, invoice_state */
    void: (actor: Actor, id: string) => voidInvoice(deps, actor, id),

    /** @throws DomainError not_found, invoice_state, validation_error, idempotency_conflict */
    recordManual: (actor: Actor, id: string, payment: ManualPayment, idempotency: IdempotencyRequest | undefined) =>
      recordManual(deps, actor, id, payment, idempotency),

    /** As `issue`, in the series of sample invoices. */
    issueSample: (tx: Tx, { accountId }: Actor, id: string, seller: Seller): Promise<InvoiceDetail> =>
      issueSample(deps, tx, accountId, id, seller),

    /** Records that a sample invoice was paid online. */
    paySample: (tx: Tx, { accountId }: Actor, id: string) => paySample(deps, tx, accountId, id),

    /** Deletes a sample invoice, whatever its status, unless it was issued with a number that counts. */
    removeSample: (tx: Tx, { accountId }: Actor, id: string) => removeSample(tx, accountId, id),

    listPayments: (accountId: string, filter: paymentStore.PaymentFilter, page: Page): Promise<Listed<Payment>> =>
      paymentStore.listPayments(storage.read, accountId, filter, page),

    /** Marks a payment as reviewed. @throws DomainError not_found */
    review: (actor: Actor, id: string) => reviewPayment(deps, actor, id),

    seller: (accountId: string): Promise<Seller> => sellerOf(deps, storage.read, accountId),

    /** Updates the business details. Issued invoices keep the old ones. @throws DomainError validation_error */
    updateSeller: ({ accountId }: Actor, patch: Patch<Seller>): Promise<Seller> =>
      storage.inTransaction(async (tx) => {
        const before = await sellerOf(deps, tx.db, accountId);
        checkNames<Patch<Seller>>(['name'], patch, before);
        const seller = patched(before, patch);
        await store.saveSeller(tx.db, accountId, seller, deps.clock());
        return seller;
      }),
  };
}

async function paySample(deps: InvoiceDeps, tx: Tx, accountId: string, id: string): Promise<void> {
  const found = await lockForChange(tx, accountId, id);
  const nothing = { providerId: null, eventId: null, paymentId: null, reference: null, namedInvoice: null };
  await deps.payments.record(tx, accountId, found, {
    kind: 'payment',
    source: 'notice',
    amount: found.invoice.amount_due,
    currency: found.invoice.currency,
    at: deps.clock(),
    payer: null,
    note: null,
    excerpt: null,
    ...nothing,
  });
}

async function removeSample(tx: Tx, accountId: string, id: string): Promise<void> {
  const { invoice } = await lockForChange(tx, accountId, id);
  if (await store.isCounted(tx.db, id)) return;
  await paymentStore.releasePayments(tx.db, id, invoice.number);
  await store.deleteInvoice(tx.db, id);
}

/** Deletes a draft; an issued invoice keeps its number for good. @throws DomainError not_found, invoice_state */
function removeDraft(deps: InvoiceDeps, { accountId }: Actor, id: string): Promise<void> {
  return deps.storage.inTransaction(async (tx) => {
    const { paymentState } = await lockForChange(tx, accountId, id);
    if (paymentState.state !== 'draft')
      throw refused("An issued invoice can't be deleted because it keeps its number. Void it instead.");
    await store.deleteInvoice(tx.db, id);
  });
}

/** Voids an invoice, which keeps its number. @throws DomainError not_found, invoice_state */
function voidInvoice(deps: InvoiceDeps, { accountId }: Actor, id: string): Promise<InvoiceDetail> {
  return deps.storage.inTransaction(async (tx) => {
    const { paymentState } = await lockForChange(tx, accountId, id);
    if (paymentState.state === 'draft')
      throw refused("A draft can't be voided because it has no number yet. Delete it instead.");
    if (paymentState.state === 'issued') await store.voidInvoice(tx.db, id, deps.clock());
    return readDetail(deps, tx, accountId, id);
  });
}

/**
 * Records a payment or refund by other means, such as cash or a bank transfer.
 * @throws DomainError not_found, invoice_state, validation_error, idempotency_conflict
 */
function recordManual(
  deps: InvoiceDeps,
  { accountId }: Actor,
  id: string,
  { kind, amount, at, note }: ManualPayment,
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<InvoiceDetail>> {
  return changeOnce(deps, accountId, idempotency, async (tx) => {
    const found = await lockForChange(tx, accountId, id);
    if (found.paymentState.state === 'draft') throw refused("A draft can't be paid. Issue it first.");
    const now = deps.clock();
    const paidAt = at === undefined ? now : Date.parse(at);
    if (paidAt > now + DAY_MS) throw invalid('/at', 'This time is in the future.');
    await deps.payments.record(tx, accountId, found, {
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
    return readDetail(deps, tx, accountId, id);
  });
}

function reviewPayment(deps: InvoiceDeps, { accountId }: Actor, id: string): Promise<Payment> {
  return deps.storage.inTransaction(async (tx) => {
    const invoiceId = await paymentStore.findInvoiceOf(tx.db, accountId, id);
    if (invoiceId === undefined) throw notFound();
    const at = deps.clock();
    const reviewed = await paymentStore.reviewPayment(tx.db, id, at);
    if (invoiceId !== null) await store.touchInvoice(tx.db, invoiceId, at);
    tx.changed(accountId, { kind: 'invoice', id: invoiceId ?? id });
    return reviewed;
  });
}
