import type { SecretBox } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import { findCurrency, lockAccount } from '../accounts/account-store.ts';
import { invoiceConsoleRoutes } from '../invoices/invoice-console-routes.ts';
import { createInvoicePdfs } from '../invoices/invoice-pdfs.ts';
import { invoiceRoutes } from '../invoices/invoice-routes.ts';
import { createInvoiceService } from '../invoices/invoice-service.ts';
import { payRoutes } from '../invoices/payments/pay-routes.tsx';
import { createPayService } from '../invoices/payments/pay-service.ts';
import { createPayments } from '../invoices/payments/payment.ts';
import { paymentRoutes } from '../invoices/payments/payment-routes.ts';
import { createProviderService } from '../invoices/payments/provider-service.ts';
import { notificationProvider } from '../invoices/payments/providers/notification.ts';
import type { PaymentProvider } from '../invoices/payments/providers/provider.ts';
import { renderPdf } from '../invoices/render-pdf.ts';
import type { OrderService } from '../orders/order-service.ts';
import type { WithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Limits } from './limits.ts';
import type { Shared } from './parts.ts';

/** Invoices and payment providers. */
export function createInvoiceFeatures(
  deps: Shared & {
    withIdempotency: WithIdempotency;
    secretBox: SecretBox;
    stripe: PaymentProvider;
    orders: OrderService;
    logger: Logger;
    limits: Limits;
    publicUrl(): string;
    findCharacters(): Promise<ReadonlySet<number>>;
    fontFiles: readonly string[];
  },
) {
  const { stripe, logger, limits, fontFiles, ...shared } = deps;
  const payments = createPayments(shared);
  const invoices = createInvoiceService({ ...shared, payments, accounts: { findCurrency, lockAccount } });
  const providers = createProviderService({
    ...shared,
    payments,
    accounts: { lockAccount },
    providers: { stripe, notification: notificationProvider },
  });
  const pdfOf = createInvoicePdfs({
    ...shared,
    renderPdf: (document) => renderPdf({ document, fontFiles }),
  });
  const pay = createPayService({ ...shared, providers, pdfOf, logger });
  return {
    currencyOf: invoices.currencyOf,
    routes: invoiceRoutes(invoices, pdfOf),
    consoleRoutes: invoiceConsoleRoutes(invoices, providers),
    pages: [
      { path: '/pay', router: payRoutes({ pay, limit: limits.payPages, checkoutLimit: limits.checkouts, logger }) },
      { path: '/payments', router: paymentRoutes({ providers, limit: limits.refusedNotifications, logger }) },
    ],
  };
}

export type InvoiceFeatures = ReturnType<typeof createInvoiceFeatures>;
