import { accountRoutes } from '../accounts/account-routes.ts';
import { createAccountService } from '../accounts/account-service.ts';
import { findCurrency, holdCurrency, lockAccount } from '../accounts/account-store.ts';
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
import { filamentConsoleRoutes } from '../filaments/filament-console-routes.ts';
import { filamentRoutes } from '../filaments/filament-routes.ts';
import { createFilamentService } from '../filaments/filament-service.ts';
import { hasPrices } from '../filaments/filament-store.ts';
import type { MountedApi } from '../http/app.ts';
import { liveRoutes } from '../http/live.ts';
import type { Route } from '../http/route.ts';
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
import {
  holdGroup,
  holdPrinter,
  listPrintersOf,
  lockPrinterForReport,
  printerExists,
} from '../printers/printer-store.ts';
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
import { insertDeliveries } from '../webhooks/delivery/delivery-store.ts';
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

/** What every feature uses. */
interface Shared {
  storage: Storage;
  clock: Clock;
  outbox: Outbox;
  publishChange: PublishChange;
}

/** A storage whose transactions all join this one, so that several changes commit together. */
const joinTransaction = (storage: Storage, tx: Tx): Storage => ({ ...storage, inTransaction: (work) => work(tx) });

/**
 * Orders, stock and printers, which depend on each other. Built on a joined transaction, their changes commit together.
 */
function createOrderFeatures({ storage, clock, outbox, publishChange }: Shared) {
  const { append } = outbox;
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
  shared: Shared,
  { orders, filaments }: ReturnType<typeof createOrderFeatures>,
  { logger, config }: Pick<Parts, 'logger' | 'config'>,
) {
  const { storage, clock, outbox, publishChange } = shared;
  const agents = createAgentService({ storage, clock, logger, publishChange, holdPrinter, holdGroup, listPrintersOf });
  const reports = createReportService({
    storage,
    clock,
    logger,
    publishChange,
    append: outbox.append,
    orders,
    filaments,
    printerExists,
    lockPrinterForReport,
    listPrintersOf,
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
}: Shared & {
  logger: Logger;
  sign: Sign;
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
function createInvoiceFeatures(
  deps: Shared & {
    withIdempotency: WithIdempotency;
    secretBox: SecretBox;
    stripe: PaymentProvider;
    orders: OrderService;
    logger: Logger;
    rateLimitPerMinute: number;
    publicUrl(): string;
  },
) {
  const { outbox, orders, stripe, logger, rateLimitPerMinute, ...shared } = deps;
  const payments = createPayments({ ...shared, append: outbox.append });
  const readOrder = async (accountId: string, id: string) => (await orders.get(accountId, id)).order;
  const { holdOrder } = orders;
  const currencyOf = findCurrency;
  const invoices = createInvoiceService({ ...shared, payments, readOrder, holdOrder, currencyOf });
  const providers = createProviderService({ ...shared, payments, bodies: { stripe, notice: noticeProvider } });
  const pay = createPayService({ ...shared, providers, logger });
  // turning off the rate limit also turns off these limits
  const perMinute = (limit: number) => (rateLimitPerMinute === 0 ? 0 : limit);
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

type InvoiceFeatures = ReturnType<typeof createInvoiceFeatures>;

/** Accounts, and the sessions of their owners. */
function createAccountFeatures({ storage, clock }: Shared, { logger, config }: Pick<Parts, 'logger' | 'config'>) {
  const { signUp, publicUrl } = config;
  const passwords = createPasswords();
  const accounts = createAccountService({ storage, clock, logger, passwords, hasPrices });
  const sessions = createSessionService({ storage, clock, logger, passwords, accounts, signUp });
  const https = publicUrl?.startsWith('https:') ?? false;
  return {
    accounts,
    sessions,
    openRoutes: sessionRoutes({ sessions, https }),
    consoleRoutes: consoleRoutes({ sessions, accounts, https }),
  };
}

/** Webhook channels, their deliveries, and the jobs that send them. */
function createWebhookFeatures(
  { storage, clock, publishChange }: Shared,
  { logger, guard, secretBox, sender, jobs, metrics }: Parts,
  { withIdempotency, describe }: { withIdempotency: WithIdempotency; describe: Describe },
) {
  const shared = { storage, clock, publishChange, worker: createWorkerName(), metrics: metrics?.deliveries };
  const { wake } = jobs;
  const webhooks = createWebhookService({
    ...shared,
    logger,
    withIdempotency,
    guard,
    secretBox,
    wake,
    lockAccount,
    insertEvent,
  });
  return {
    webhooks,
    drain: createDrain({ ...shared, sender, secretBox, logger, describe }),
    sweep: createSweep({ ...shared, logger }),
    consoleRoutes: deliveryConsoleRoutes(createEventLog({ storage, secretBox, describe, listEvents })),
  };
}

/** The sample farm, which is created in one transaction and at times in the past. */
const createSample = (shared: Shared) =>
  createSampleService({
    storage: shared.storage,
    clock: shared.clock,
    currencyOf: findCurrency,
    lockAccount,
    transactionalServices: (tx, clock) =>
      createOrderFeatures({ ...shared, storage: joinTransaction(shared.storage, tx), clock }),
  });

/** What messages to Slack and Discord say besides the event. */
const createDescribe =
  (config: Config, address: { publicUrl: string }, currencyOf: InvoiceFeatures['currencyOf']): Describe =>
  async (accountId, event, body) => ({
    // a separate worker knows the console's URL only if PUBLIC_URL is set
    publicUrl: config.role === 'worker' ? config.publicUrl : address.publicUrl,
    currency:
      event === 'invoice.paid'
        ? await currencyOf(accountId, (JSON.parse(body) as EventEnvelope<'invoice.paid'>).data.document_id)
        : undefined,
  });

/** Deletes what has expired. */
const createPurge =
  ({ storage, clock }: Shared, purgeLeads: (tx: Tx) => Promise<void>) =>
  (): Promise<void> => {
    const now = clock();
    return storage.inTransaction(async (tx) => {
      const { db } = tx;
      await deleteEventsBefore(db, now - EVENT_LIFETIME_MS, HISTORY_LENGTH);
      await deleteKeysBefore(db, now - KEY_LIFETIME_MS);
      await deleteSessionsBefore(db, now);
      await purgeLeads(tx);
    });
  };

const createDashboardRoutes = ({ storage, clock }: Shared): Route[] =>
  dashboardRoutes({
    clock,
    orders: createOrderStats({ storage }),
    prints: (accountId, span, limit) => countPrints(storage.read, accountId, span, limit),
    materials: (accountId, span, limit) => listUseByMaterial(storage.read, accountId, span, limit),
    failingChannels: (accountId) => listFailingChannels(storage.read, accountId),
  });

/** Builds every feature with plain calls and passes them the functions they need of each other. */
export function createFeatures(parts: Parts) {
  const { logger, storage, guard, secretBox, signForms, jobs, stripe, config } = parts;
  const { publicUrl, rateLimitPerMinute } = config;
  const clock = systemClock;
  const publishChange = throttleBusy(jobs.live.publishChange);
  const shared = {
    storage,
    clock,
    outbox: createOutbox({ insertDeliveries, wake: jobs.wake, publishChange }),
    publishChange,
  };
  const withIdempotency = createWithIdempotency({ storage, clock });
  // replaced by the actual address once the server listens
  const address = { publicUrl: publicUrl ?? `http://${config.host}:${config.port}` };

  const { accounts, sessions, ...accountFeatures } = createAccountFeatures(shared, parts);
  const orderFeatures = createOrderFeatures(shared);
  const { orders, filaments, printers } = orderFeatures;
  const agents = createPrintFeatures(shared, orderFeatures, parts);
  const invoices = createInvoiceFeatures({
    ...shared,
    ...{ withIdempotency, secretBox, stripe, orders, logger, rateLimitPerMinute },
    publicUrl: () => address.publicUrl,
  });
  const leadFeatures = createLeadFeatures({
    ...shared,
    ...{ logger, sign: signForms, publicUrl },
    createOrder: async (tx, actor, order) => (await orders.createInTransaction(tx, actor, order)).order,
  });
  const sample = createSample(shared);
  const describe = createDescribe(config, address, invoices.currencyOf);
  const { webhooks, ...webhookFeatures } = createWebhookFeatures(shared, parts, { withIdempotency, describe });
  const handlers = {
    drain: webhookFeatures.drain,
    async sweep() {
      await agents.reports.releaseHeld();
      return webhookFeatures.sweep();
    },
    purge: createPurge(shared, leadFeatures.leads.purge),
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
  const consoleApi = {
    openRoutes: accountFeatures.openRoutes,
    routes: [
      // before the automation routes: /filaments/usage would match /filaments/{id}
      ...filamentConsoleRoutes(filaments),
      ...routes,
      ...printerConsoleRoutes(printers),
      ...agents.consoleRoutes,
      ...leadFeatures.consoleRoutes,
      ...invoices.consoleRoutes,
      ...accountFeatures.consoleRoutes,
      ...webhookFeatures.consoleRoutes,
      ...liveRoutes(jobs.live),
      ...sampleRoutes(sample),
      ...createDashboardRoutes(shared),
    ],
    authenticateSession: sessions.authenticate,
  };
  /** Routers with their own authentication. */
  const publicRouters: MountedApi[] = [agents.api, leadFeatures.api, ...invoices.publicRouters];
  const services = { accounts, sessions, orders, printers, filaments, sample, webhooks };
  return { ...services, consoleApi, publicRouters, routes, jobs, handlers, guard, address };
}
