import { isWellFormedToken, sha256 } from '../../shared/crypto.ts';
import type { Language } from '../../shared/language.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Storage } from '../../storage/open.ts';
import type { InvoiceDocument } from '../document.ts';
import type { Payment } from '../invoice.ts';
import * as store from '../invoice-store.ts';
import { PAY_TOKEN_PREFIX } from './payment.ts';
import * as paymentStore from './payment-store.ts';
import type { ProviderService } from './provider-service.ts';
import { CheckoutFailed } from './providers/provider.ts';

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

export type PayService = ReturnType<typeof createPayService>;

/** The pages behind a payment link. Anyone who has the link can read and pay this invoice, and nothing else. */
export function createPayService(deps: {
  storage: Storage;
  providers: Pick<ProviderService, 'findCheckout'>;
  publicUrl(): string;
  logger: Logger;
}) {
  const { storage, providers, publicUrl, logger } = deps;

  async function find(token: string): Promise<store.StoredInvoice | undefined> {
    // malformed tokens are not looked up
    if (!isWellFormedToken(PAY_TOKEN_PREFIX, token)) return undefined;
    return store.findByToken(storage.read, sha256(token));
  }

  const documentOf = async (id: string): Promise<InvoiceDocument> =>
    JSON.parse((await store.findDocument(storage.read, id)) as string) as InvoiceDocument;

  /**
   * The idempotency key of a checkout: the same for repeated clicks, another after every payment and every failed
   * attempt.
   */
  async function keyOf(found: store.StoredInvoice, urls: string): Promise<string> {
    const { invoice, checkoutTry } = found;
    const paid = await paymentStore.countPaymentsOf(storage.read, invoice.id);
    return `farmboard-${sha256([invoice.id, invoice.amount_due, invoice.currency, paid, checkoutTry, urls].join(' '))}`;
  }

  const refundedOf = (all: readonly Payment[], currency: string): number =>
    all
      .filter((one) => one.kind === 'refund' && one.currency === currency)
      .reduce((sum, { amount }) => sum + amount, 0);

  return {
    /** @returns undefined if the link is invalid */
    async find(token: string): Promise<Payable | undefined> {
      const found = await find(token);
      if (!found) return undefined;
      const { invoice, accountId } = found;
      const checkout = invoice.amount_due > 0 ? await providers.findCheckout(accountId) : undefined;
      return {
        id: invoice.id,
        status: invoice.status as Payable['status'],
        document: await documentOf(invoice.id),
        amountDue: invoice.amount_due,
        received: invoice.received,
        refunded: refundedOf(await paymentStore.listPaymentsOf(storage.read, invoice.id), invoice.currency),
        paidAt: invoice.paid_at,
        checkout: checkout ? { isTest: checkout.isTest } : null,
      };
    },

    /** The document without its payment state. */
    async findDocument(token: string): Promise<InvoiceDocument | undefined> {
      const found = await find(token);
      return found && documentOf(found.invoice.id);
    },

    /** Creates a payment page at the provider. @returns undefined if the link is invalid */
    async startCheckout(token: string, language: Language): Promise<Started | undefined> {
      const found = await find(token);
      if (!found) return undefined;
      if (found.invoice.amount_due === 0) return { to: undefined, why: 'nothing_due' };
      const checkout = await providers.findCheckout(found.accountId);
      if (!checkout) return { to: undefined, why: 'no_provider' };
      const document = await documentOf(found.invoice.id);
      const page = `${publicUrl()}/pay/${token}?lang=${language}`;
      const start = async (stored: store.StoredInvoice) =>
        checkout.start({
          invoiceId: stored.invoice.id,
          number: document.number,
          amount: stored.invoice.amount_due,
          currency: stored.invoice.currency,
          sellerName: document.seller.name,
          language,
          idempotencyKey: await keyOf(stored, page),
          successUrl: `${page}&paid=1`,
          cancelUrl: page,
        });
      try {
        return { to: await start(found) };
      } catch (error) {
        if (!(error instanceof CheckoutFailed) || !error.wasAnswered) return failed(error, found.invoice.id);
        // the provider repeats its response to this key for a day, so the next attempt needs another key
        await storage.inTransaction(({ db }) => store.countCheckoutTry(db, found.invoice.id));
      }
      try {
        return { to: await start((await find(token)) as store.StoredInvoice) };
      } catch (error) {
        return failed(error, found.invoice.id);
      }
    },
  };

  function failed(error: unknown, invoice: string): Started {
    if (!(error instanceof CheckoutFailed)) throw error;
    const { message, type, code } = error.cause as { message?: string; type?: string; code?: string };
    logger.warn({ invoice, reason: message, type, code }, 'failed to start a checkout');
    return { to: undefined, why: 'failed' };
  }
}
