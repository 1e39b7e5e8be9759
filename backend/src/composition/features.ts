import { accountRoutes } from '../accounts/account-routes.ts';
import { createAccountService } from '../accounts/account-service.ts';
import { findCurrency, holdCurrency } from '../accounts/account-store.ts';
import { createAttemptLimiter } from '../accounts/attempt-limiter.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { consoleRoutes, sessionRoutes } from '../accounts/session-routes.ts';
import { deleteSessionsBefore } from '../accounts/session-store.ts';
import { createSessionService } from '../accounts/sessions.ts';
import type { Config } from '../config/config.ts';
import type { EventEnvelope } from '../events/catalogue.ts';
import { eventRoutes } from '../events/event-routes.ts';
import { deleteEventsBefore, insertEvent, listEvents } from '../events/event-store.ts';
import { createOutbox, type Outbox } from '../events/outbox.ts';
import { hasPrices } from '../filaments/batch-store.ts';
import { filamentConsoleRoutes } from '../filaments/filament-console-routes.ts';
import { filamentRoutes } from '../filaments/filament-routes.ts';
import { createFilamentService } from '../filaments/filament-service.ts';
import type { MountedApi } from '../http/app.ts';
import { liveRoutes } from '../http/live.ts';
import { deleteKeysBefore } from '../idempotency/idempotency-store.ts';
import { createWithIdempotency, KEY_LIFETIME_MS, type WithIdempotency } from '../idempotency/with-idempotency.ts';
import { invoiceConsoleRoutes } from '../invoices/invoice-console-routes.ts';
import { invoiceRoutes } from '../invoices/invoice-routes.ts';
import { createInvoiceService } from '../invoices/invoice-service.ts';
import { payRoutes } from '../invoices/payments/pay-routes.tsx';
import { createPayService } from '../invoices/payments/pay-service.ts';
import { createPayments } from '../invoices/payments/payment.ts';
import { paymentRoutes } from '../invoices/payments/payment-routes.ts';
import { createProviderService } from '../invoices/payments/provider-service.ts';
import { noticeProvider } from '../invoices/payments/providers/notice.ts';
import type { PaymentProvider } from '../invoices/payments/providers/provider.ts';
import type { Jobs, PublishChange } from '../jobs/jobs.ts';
import { throttleBusy } from '../jobs/throttle.ts';
import { createFormTokens } from '../leads/form-token.ts';
import { leadConsoleRoutes, profileRoutes } from '../leads/lead-console-routes.ts';
import { leadRoutes } from '../leads/lead-routes.ts';
import { createLeadService } from '../leads/lead-service.ts';
import { createProfileRouter } from '../leads/profile/profile-public-routes.tsx';
import { createProfileService } from '../leads/profile/profile-service.ts';
import type { Metrics } from '../operator/metrics.ts';
import { orderRoutes } from '../orders/order-routes.ts';
import { createOrderService, type OrderService } from '../orders/order-service.ts';
import { printerConsoleRoutes } from '../printers/printer-console-routes.ts';
import { printerRoutes } from '../printers/printer-routes.ts';
import { createPrinterService } from '../printers/printer-service.ts';
import { holdGroup, holdPrinter, printerExists } from '../printers/printer-store.ts';
import { createAgentApi } from '../prints/agent-api-routes.ts';
import { type AgentActor, createAgentService } from '../prints/agent-service.ts';
import { printConsoleRoutes } from '../prints/print-console-routes.ts';
import { agentRoutes } from '../prints/report-routes.ts';
import { createReportService } from '../prints/report-service.ts';
import { dashboardRoutes } from '../reports/dashboard-routes.ts';
import { listFailingChannels } from '../reports/delivery-stats-store.ts';
import { listUseByMaterial } from '../reports/material-stats-store.ts';
import { createOrderStats } from '../reports/order-stats.ts';
import { countPrints } from '../reports/print-stats-store.ts';
import { summaryRoutes } from '../reports/summary-routes.ts';
import { sampleRoutes } from '../sample/sample-console-routes.ts';
import { createSampleService } from '../sample/sample-service.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import type { SecretBox, Sign } from '../shared/crypto.ts';
import type { Logger } from '../shared/logger.ts';
import { version } from '../shared/version.ts';
import type { Storage, Tx } from '../storage/open.ts';
import { deliveryConsoleRoutes } from '../webhooks/delivery/delivery-console-routes.ts';
import { createEventLog } from '../webhooks/delivery/delivery-log.ts';
import { createDrain } from '../webhooks/delivery/drain.ts';
import type { Guard } from '../webhooks/delivery/guard.ts';
import type { Sender } from '../webhooks/delivery/sender.ts';
import { createSweep, createWorkerName } from '../webhooks/delivery/sweep.ts';
import type { Describe } from '../webhooks/formats/message.ts';
import { HISTORY_LENGTH } from '../webhooks/subscriptions/subscription.ts';
import { webhookRoutes } from '../webhooks/subscriptions/subscription-routes.ts';
import { createWebhookService } from '../webhooks/subscriptions/subscription-service.ts';

const EVENT_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** The parts that features are built from. */
export interface Parts {
  logger: Logger;
  storage: Storage;
  guard: Guard;
  secretBox: SecretBox;
  signForms: Sign;
  jobs: Jobs;
  sender: Sender;
  stripe: PaymentProvider;
  metrics: Metrics | undefined;
  config: Config;
}

/** A storage whose transactions all join this one, so that several changes commit together. */
const joinTransaction = (storage: Storage, tx: Tx): Storage => ({ ...storage, inTransaction: (work) => work(tx) });

/**
 * Orders, stock and printers, which depend on each other. Built on a joined transaction, their changes commit together.
 */
function createOrderFeatures(deps: { storage: Storage; clock: Clock; outbox: Outbox; publishChange: PublishChange }) {
  const { storage, clock, publishChange } = deps;
  const { append } = deps.outbox;
  const shared = { publishChange, storage, clock, withIdempotency: createWithIdempotency({ storage, clock }) };
  const orders = createOrderService({ ...shared, append, holdPrinter });
  const printers = createPrinterService({ ...shared, printerChanged: orders.printerChanged });
  const { recordConsumption, holdOrder } = orders;
  const filaments = createFilamentService({
    ...shared,
    append,
    recordConsumption,
    holdOrder,
    holdPrinter,
    holdCurrency,
  });
  return { orders, filaments, printers };
}

/** Agents, and what their print reports do to orders and stock. */
function createPrintFeatures(
  shared: { storage: Storage; clock: Clock; outbox: Outbox; publishChange: PublishChange },
  { orders, filaments }: ReturnType<typeof createOrderFeatures>,
  { logger, config }: Pick<Parts, 'logger' | 'config'>,
) {
  const { storage, clock, outbox, publishChange } = shared;
  const agents = createAgentService({ storage, clock, logger, publishChange, holdPrinter, holdGroup });
  const reports = createReportService({
    storage,
    clock,
    logger,
    publishChange,
    append: outbox.append,
    orders,
    filaments,
    printerExists,
  });
  const api = createAgentApi({
    routes: agentRoutes({ agents, reports, clock }),
    authenticate: agents.authenticate,
    admitBody: (actor, { method, headers }, body) => agents.admit(actor as AgentActor, method, headers, body),
    rateLimitPerMinute: config.rateLimitPerMinute,
    version,
    logger,
  });
  return { reports, api, consoleRoutes: printConsoleRoutes({ agents, reports }) };
}

/** How often a client may send a form, successful or not. */
const FORM_LIMIT = { max: 30, withinMs: 10 * 60_000 };

/** Public profiles and their requests. */
function createLeadFeatures({
  storage,
  clock,
  logger,
  sign,
  outbox,
  publishChange,
  publicUrl,
  createOrder,
}: {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  sign: Sign;
  outbox: Outbox;
  publishChange: PublishChange;
  publicUrl: string | undefined;
  createOrder: Parameters<typeof createLeadService>[0]['createOrder'];
}) {
  const profiles = createProfileService({ storage, clock, publishChange });
  const leads = createLeadService({ storage, clock, append: outbox.append, sign, createOrder, publishChange });
  const tokens = createFormTokens({ sign, clock });
  const attemptLimiter = createAttemptLimiter({ clock, ...FORM_LIMIT });
  return {
    leads,
    routes: leadRoutes(leads),
    consoleRoutes: [...leadConsoleRoutes(leads), ...profileRoutes(profiles)],
    api: {
      path: '/masters',
      router: createProfileRouter({ profiles, leads, tokens, attemptLimiter, publicUrl, logger }),
    },
  };
}

/** Invoices and payment providers. */
function createInvoiceFeatures(deps: {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  outbox: Outbox;
  publishChange: PublishChange;
  secretBox: SecretBox;
  stripe: PaymentProvider;
  orders: OrderService;
  logger: Logger;
  rateLimitPerMinute: number;
  publicUrl(): string;
}) {
  const { outbox, orders, stripe, logger, rateLimitPerMinute, ...shared } = deps;
  const payments = createPayments({ ...shared, append: outbox.append });
  const readOrder = async (accountId: string, id: string) => (await orders.get(accountId, id)).order;
  const { holdOrder } = orders;
  const currencyOf = findCurrency;
  const invoices = createInvoiceService({ ...shared, payments, readOrder, holdOrder, currencyOf });
  const providers = createProviderService({ ...shared, payments, bodies: { stripe, notice: noticeProvider } });
  const pay = createPayService({ ...shared, providers, logger });
  // turning off the rate limit also turns off these limits
  const perMinute = (most: number) => (rateLimitPerMinute === 0 ? 0 : most);
  return {
    currencyOf: invoices.currencyOf,
    routes: invoiceRoutes(invoices),
    consoleRoutes: invoiceConsoleRoutes(invoices, providers),
    publicRouters: [
      { path: '/pay', router: payRoutes({ pay, perMinute: perMinute(120), logger }) },
      { path: '/payments', router: paymentRoutes({ providers, perMinute: perMinute(600), logger }) },
    ],
  };
}

/** Builds every feature with plain calls and passes them the functions they need of each other. */
export function createFeatures({
  logger,
  storage,
  guard,
  secretBox,
  signForms,
  jobs,
  sender,
  stripe,
  metrics,
  config,
}: Parts) {
  const { signUp, publicUrl } = config;
  const clock = systemClock;
  const worker = createWorkerName();
  const withIdempotency = createWithIdempotency({ storage, clock });
  const publishChange = throttleBusy(jobs.live.publishChange);
  const outbox = createOutbox({ wake: jobs.wake, publishChange });

  const passwords = createPasswords();
  const accounts = createAccountService({ storage, clock, logger, passwords, hasPrices });
  const sessions = createSessionService({ storage, clock, logger, passwords, accounts, signUp });
  const shared = { storage, clock, outbox, publishChange };
  const orderFeatures = createOrderFeatures(shared);
  const { orders, filaments, printers } = orderFeatures;
  const agents = createPrintFeatures(shared, orderFeatures, { logger, config });
  // replaced by the actual address once the server listens
  const address = { publicUrl: publicUrl ?? `http://${config.host}:${config.port}` };
  const { rateLimitPerMinute } = config;
  const invoices = createInvoiceFeatures({
    ...{
      storage,
      clock,
      withIdempotency,
      outbox,
      publishChange,
      secretBox,
      stripe,
      orders,
      logger,
      rateLimitPerMinute,
    },
    publicUrl: () => address.publicUrl,
  });
  const sample = createSampleService({
    storage,
    clock,
    currencyOf: findCurrency,
    transactionalServices: (tx, clock) =>
      createOrderFeatures({ ...shared, storage: joinTransaction(storage, tx), clock }),
  });
  const leadFeatures = createLeadFeatures({
    ...{ storage, clock, logger, sign: signForms, outbox, publishChange, publicUrl },
    createOrder: async (tx, actor, order) => (await orders.createInTransaction(tx, actor, order)).order,
  });
  const webhooks = createWebhookService({
    publishChange,
    storage,
    clock,
    withIdempotency,
    guard,
    secretBox,
    worker,
    wake: jobs.wake,
    metrics: metrics?.deliveries,
    insertEvent,
  });

  const describe: Describe = async (accountId, event, body) => ({
    // a separate worker knows the console's URL only if PUBLIC_URL is set
    publicUrl: config.role === 'worker' ? publicUrl : address.publicUrl,
    currency:
      event === 'invoice.paid'
        ? await invoices.currencyOf(accountId, (JSON.parse(body) as EventEnvelope<'invoice.paid'>).data.document_id)
        : undefined,
  });
  const sweep = createSweep({ storage, clock, worker, logger, metrics: metrics?.deliveries, publishChange });
  const handlers = {
    drain: createDrain({
      ...{ storage, clock, sender, secretBox, worker, logger, publishChange, describe },
      metrics: metrics?.deliveries,
    }),
    async sweep() {
      await agents.reports.releaseHeld();
      return sweep();
    },
    async purge() {
      const now = clock();
      await storage.inTransaction(async (tx) => {
        const { db } = tx;
        await deleteEventsBefore(db, now - EVENT_LIFETIME_MS, HISTORY_LENGTH);
        await deleteKeysBefore(db, now - KEY_LIFETIME_MS);
        await deleteSessionsBefore(db, now);
        await leadFeatures.leads.purge(tx);
      });
    },
  };

  const routes = [
    ...orderRoutes(orders),
    ...filamentRoutes(filaments),
    ...printerRoutes(printers),
    ...webhookRoutes(webhooks),
    ...eventRoutes({ list: (accountId, filter) => listEvents(storage.read, accountId, filter) }),
    ...leadFeatures.routes,
    ...invoices.routes,
    ...accountRoutes(),
    ...summaryRoutes({ orders: orders.counts, filaments: filaments.counts, printers: printers.counts }),
  ];

  const https = publicUrl?.startsWith('https:') ?? false;
  const consoleApi = {
    openRoutes: sessionRoutes({ sessions, https }),
    routes: [
      // before the automation routes: /filaments/usage would match /filaments/{id}
      ...filamentConsoleRoutes(filaments),
      ...routes,
      ...printerConsoleRoutes(printers),
      ...agents.consoleRoutes,
      ...leadFeatures.consoleRoutes,
      ...invoices.consoleRoutes,
      ...consoleRoutes({ sessions, accounts, https }),
      ...deliveryConsoleRoutes(createEventLog({ storage, secretBox, describe })),
      ...liveRoutes(jobs.live),
      ...sampleRoutes(sample),
      ...dashboardRoutes({
        clock,
        orders: createOrderStats({ storage }),
        prints: (accountId, span, most) => countPrints(storage.read, accountId, span, most),
        materials: (accountId, span, most) => listUseByMaterial(storage.read, accountId, span, most),
        failingChannels: (accountId) => listFailingChannels(storage.read, accountId),
      }),
    ],
    authenticateSession: sessions.authenticate,
  };

  /** Routers with their own authentication. */
  const publicRouters: MountedApi[] = [agents.api, leadFeatures.api, ...invoices.publicRouters];

  return {
    accounts,
    sessions,
    consoleApi,
    publicRouters,
    orders,
    printers,
    filaments,
    sample,
    webhooks,
    routes,
    jobs,
    handlers,
    guard,
    address,
  };
}
