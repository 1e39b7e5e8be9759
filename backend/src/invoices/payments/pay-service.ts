import { isWellFormedToken, sha256 } from '../../../../common/src/crypto.ts';
import type { Logger } from '../../../../common/src/logger.ts';
import type { Language } from '../../shared/language.ts';
import type { Db } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { InvoiceDocument } from '../document.ts';
import type { Payment } from '../invoice-schema.ts';
import * as store from '../invoice-store.ts';
import { PAY_TOKEN_PREFIX } from './payment.ts';
import * as paymentStore from './payment-store.ts';
import type { ProviderService } from './provider-service.ts';
import { type Checkout, CheckoutFailed } from './providers/provider.ts';

/** What the pay page shows. */
export interface Payable {
  id: string;
  status: 'issued' | 'paid' | 'void';
  document: InvoiceDocument;
  amountDue: number;
  received: number;
  refunded: number;
  paidAt: string | null;
  /** null: there is no online payment */
  checkout: { isTest: boolean } | null;
}

export type Started = { to: string } | { to: undefined; why: 'nothing_due' | 'no_provider' | 'failed' };

interface PayDeps {
  storage: Storage;
  providers: Pick<ProviderService, 'findCheckout'>;
  /** the stored PDF of an issued invoice */
  pdfOf(invoiceId: string): Promise<Buffer>;
  publicUrl(): string;
  logger: Logger;
}

export type PayService = ReturnType<typeof createPayService>;

/** The pages behind a payment link. Anyone who has the link can read and pay this invoice, and nothing else. */
export function createPayService({ storage, providers, pdfOf, publicUrl, logger }: PayDeps) {
  const { read } = storage;
  return {
    /** @returns undefined if the link is invalid */
    async find(token: string): Promise<Payable | undefined> {
      const found = await findInvoice(read, token);
      if (!found) return undefined;
      const { invoice, accountId } = found;
      const checkout = invoice.amount_due > 0 ? await providers.findCheckout(accountId) : undefined;
      return {
        id: invoice.id,
        status: invoice.status as Payable['status'],
        document: await documentOf(read, invoice.id),
        amountDue: invoice.amount_due,
        received: invoice.received,
        refunded: refundedOf(await paymentStore.listPaymentsOf(read, invoice.id), invoice.currency),
        paidAt: invoice.paid_at,
        checkout: checkout ? { isTest: checkout.isTest } : null,
      };
    },

    /** The document without its payment state. */
    async findDocument(token: string): Promise<InvoiceDocument | undefined> {
      const found = await findInvoice(read, token);
      return found && documentOf(read, found.invoice.id);
    },

    /** The document as a PDF. */
    async findPdf(token: string): Promise<{ number: string; content: Buffer } | undefined> {
      const found = await findInvoice(read, token);
      if (!found) return undefined;
      const { id, number } = found.invoice;
      return { number: number as string, content: await pdfOf(id) };
    },

    /** Creates a payment page at the provider. @returns undefined if the link is invalid */
    async startCheckout(token: string, language: Language): Promise<Started | undefined> {
      const found = await findInvoice(read, token);
      if (!found) return undefined;
      if (found.invoice.amount_due === 0) return { to: undefined, why: 'nothing_due' };
      const checkout = await providers.findCheckout(found.accountId);
      if (!checkout) return { to: undefined, why: 'no_provider' };
      const page = `${publicUrl()}/pay/${token}?lang=${language}`;
      try {
        return { to: await checkout.start(await toCheckout(read, found, page, language)) };
      } catch (error) {
        if (!(error instanceof CheckoutFailed) || !error.wasAnswered) return failed(logger, error, found.invoice.id);
        // the provider repeats its response to this key for a day, so the next attempt needs another key
        await storage.inTransaction(({ db }) => store.countCheckoutTry(db, found.invoice.id));
      }
      try {
        const again = (await findInvoice(read, token)) as store.StoredInvoice;
        return { to: await checkout.start(await toCheckout(read, again, page, language)) };
      } catch (error) {
        return failed(logger, error, found.invoice.id);
      }
    },
  };
}

async function findInvoice(db: Db, token: string): Promise<store.StoredInvoice | undefined> {
  // malformed tokens are not looked up
  if (!isWellFormedToken(PAY_TOKEN_PREFIX, token)) return undefined;
  return store.findByToken(db, sha256(token));
}

const documentOf = async (db: Db, id: string): Promise<InvoiceDocument> =>
  JSON.parse((await store.findDocument(db, id)) as string) as InvoiceDocument;

const refundedOf = (all: readonly Payment[], currency: string): number =>
  all.filter((one) => one.kind === 'refund' && one.currency === currency).reduce((sum, { amount }) => sum + amount, 0);

async function toCheckout(db: Db, found: store.StoredInvoice, page: string, language: Language): Promise<Checkout> {
  const { invoice } = found;
  const document = await documentOf(db, invoice.id);
  return {
    invoiceId: invoice.id,
    number: document.number,
    amount: invoice.amount_due,
    currency: invoice.currency,
    sellerName: document.seller.name,
    language,
    idempotencyKey: await checkoutKeyOf(db, found, page),
    successUrl: `${page}&paid=1`,
    cancelUrl: page,
  };
}

/**
 * The idempotency key of a checkout: the same for repeated clicks, another after every payment and every failed
 * attempt.
 */
async function checkoutKeyOf(db: Db, { invoice, checkoutTry }: store.StoredInvoice, urls: string): Promise<string> {
  const paid = await paymentStore.countPaymentsOf(db, invoice.id);
  return `farmboard-${sha256([invoice.id, invoice.amount_due, invoice.currency, paid, checkoutTry, urls].join(' '))}`;
}

function failed(logger: Logger, error: unknown, invoice: string): Started {
  if (!(error instanceof CheckoutFailed)) throw error;
  const { message, type, code } = error.cause as { message?: string; type?: string; code?: string };
  // the provider's own words, which have any length
  logger.warn({ invoice, reason: message?.slice(0, 500), type, code }, 'failed to start a checkout');
  return { to: undefined, why: 'failed' };
}
