import { lockAccount } from '../../backend/src/accounts/account-store.ts';
import type { InvoiceDocument } from '../../backend/src/invoices/document.ts';
import { createFontCharacters } from '../../backend/src/invoices/font-characters.ts';
import { createInvoicePdfs } from '../../backend/src/invoices/invoice-pdfs.ts';
import { createInvoiceService } from '../../backend/src/invoices/invoice-service.ts';
import { createPayService } from '../../backend/src/invoices/payments/pay-service.ts';
import { createPayments } from '../../backend/src/invoices/payments/payment.ts';
import { createProviderService } from '../../backend/src/invoices/payments/provider-service.ts';
import { notificationProvider } from '../../backend/src/invoices/payments/providers/notification.ts';
import type { PaymentProvider } from '../../backend/src/invoices/payments/providers/provider.ts';
import { createStripeProvider } from '../../backend/src/invoices/payments/providers/stripe.ts';
import { toPdf } from '../../backend/src/invoices/pdf.ts';
import type { Storage } from '../../backend/src/storage/open.ts';
import { createTestLogger } from './logger.ts';
import { createOrders } from './order-service.ts';
import { secretBox } from './subscriptions.ts';

export const STRIPE_SIGNING = 'whsec_ofTheTests';

/** The invoices of a new account, composed as in the service, with a clock that stands still until it is set. */
export async function createInvoices(storage: Storage, { stripe }: { stripe?: PaymentProvider } = {}) {
  const { actor, time, events, shared: basis, orders } = await createOrders(storage);
  const shared = { ...basis, secretBox, publicUrl: () => 'https://farm.example' };
  const payments = createPayments(shared);
  const invoices = createInvoiceService({
    ...shared,
    payments,
    orders,
    accounts: { findCurrency: async () => 'RUB', lockAccount },
    findCharacters: createFontCharacters([]),
  });
  const byKind = { stripe: stripe ?? createStripeProvider(), notification: notificationProvider };
  const providers = createProviderService({ ...shared, payments, accounts: { lockAccount }, providers: byKind });
  const { logger, lines } = createTestLogger();
  // the worker thread needs a build
  const renderPdf = jest.fn((document: InvoiceDocument) => toPdf({ document, fontFiles: [] }));
  const pdfOf = createInvoicePdfs({ storage, renderPdf });
  const pay = createPayService({ ...shared, providers, pdfOf, logger });
  await invoices.updateSeller(actor, { name: 'Мастерская', bank_details: 'IBAN', default_currency: 'EUR' });
  return {
    actor,
    time,
    events,
    orders,
    payments,
    invoices,
    providers,
    renderPdf,
    pay,
    log: lines,
    logger,

    async issue(total = 4990, fields: Record<string, unknown> = {}) {
      const lines = [{ description: 'Bracket', quantity: 1, unit_price: total }];
      const { result } = await invoices.create(actor, { customer_name: 'Вера', lines, ...fields }, undefined);
      return (await invoices.issue(actor, result.id, {}, undefined)).result;
    },

    addStripe: async () =>
      (
        await providers.create(
          actor,
          { kind: 'stripe', secret_key: 'sk_test_1', webhook_secret: STRIPE_SIGNING },
          undefined,
        )
      ).result,

    addNotificationProvider: async () => {
      const { result } = await providers.create(actor, { kind: 'notification' }, undefined);
      return { ...result, secret: result.secret as string };
    },
  };
}
