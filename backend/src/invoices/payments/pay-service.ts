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

/** What a customer is shown. */
export interface Payable {
  id: string;
  status: 'issued' | 'paid' | 'void';
  document: InvoiceDocument;
  amountDue: number;
  received: number;
  refunded: number;
  paidAt: string | null;
  /** null: one pays by other means */
  checkout: { isTest: boolean } | null;
}

export type Started = { to: string } | { to: undefined; why: 'nothing_due' | 'no_provider' | 'failed' };

export type PayService = ReturnType<typeof createPayService>;

/** What is behind the link that a customer is given: whoever has it may read the invoice and pay it, and nothing else. */
export function createPayService(deps: {
  storage: Storage;
  providers: Pick<ProviderService, 'findCheckout'>;
  publicUrl(): string;
  logger: Logger;
}) {
  const { storage, providers, publicUrl, logger } = deps;

  async function find(token: string): Promise<store.StoredInvoice | undefined> {
    // a mistyped link is not even looked for
    if (!isWellFormedToken(PAY_TOKEN_PREFIX, token)) return undefined;
    return store.findByToken(storage.read, sha256(token));
  }

  const documentOf = async (id: string): Promise<InvoiceDocument> =>
    JSON.parse((await store.findDocument(storage.read, id)) as string) as InvoiceDocument;

  /** The same for one wish to pay, also when it is clicked twice; another after every payment and every failed try. */
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
    /** @returns undefined: there is none at this link */
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

    /** The document alone: what never changes. */
    async findDocument(token: string): Promise<InvoiceDocument | undefined> {
      const found = await find(token);
      return found && documentOf(found.invoice.id);
    },

    /** Asks the provider for a page to pay on. @returns undefined: there is no invoice at this link */
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
        // the provider answers this key with the same again, for a day: the next try is another one
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
