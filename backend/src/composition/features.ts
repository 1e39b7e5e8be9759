import { accountRoutes } from '../accounts/account-routes.ts';
import { createAccountService } from '../accounts/account-service.ts';
import { findCurrency, holdCurrency } from '../accounts/account-store.ts';
import { createTries } from '../accounts/attempt-limiter.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { ownerRoutes, sessionRoutes } from '../accounts/session-routes.ts';
import { deleteSessionsBefore } from '../accounts/session-store.ts';
import { createSessionService } from '../accounts/sessions.ts';
import type { Config } from '../config/config.ts';
import type { EventEnvelope } from '../events/catalogue.ts';
import { eventRoutes } from '../events/event-routes.ts';
import { deleteEventsBefore, insertEvent, listEvents } from '../events/event-store.ts';
import { createOutbox, type Outbox } from '../events/outbox.ts';
import { filamentOwnerRoutes } from '../filaments/filament-console-routes.ts';
import { filamentRoutes } from '../filaments/filament-routes.ts';
import { createFilamentService } from '../filaments/filament-service.ts';
import { hasPrices } from '../filaments/filament-store.ts';
import { createFilamentOwnerService } from '../filaments/owner-service.ts';
import type { Door } from '../http/app.ts';
import { liveRoutes } from '../http/live.ts';
import { deleteKeysBefore } from '../idempotency/idempotency-store.ts';
import { createOnce, KEY_LIFETIME_MS, type Once } from '../idempotency/with-idempotency.ts';
import { invoiceOwnerRoutes } from '../invoices/invoice-console-routes.ts';
import { invoiceRoutes } from '../invoices/invoice-routes.ts';
import { createInvoiceService } from '../invoices/invoice-service.ts';
import { payRoutes } from '../invoices/payments/pay-routes.tsx';
import { createPayService } from '../invoices/payments/pay-service.ts';
import { createPayments } from '../invoices/payments/payment.ts';
import { paymentRoutes } from '../invoices/payments/payment-routes.ts';
import { createProviderService } from '../invoices/payments/provider-service.ts';
import { noticeProvider } from '../invoices/payments/providers/notice.ts';
import type { PaymentProvider } from '../invoices/payments/providers/provider.ts';
import type { Announce, Jobs } from '../jobs/jobs.ts';
import { gatherBusy } from '../jobs/throttle.ts';
import { createFormTokens } from '../leads/form-token.ts';
import { leadOwnerRoutes, profileRoutes } from '../leads/lead-console-routes.ts';
import { leadRoutes } from '../leads/lead-routes.ts';
import { createLeadService } from '../leads/lead-service.ts';
import { createMastersRouter } from '../leads/profile/profile-public-routes.tsx';
import { createProfileService } from '../leads/profile/profile-service.ts';
import type { Metrics } from '../operator/metrics.ts';
import { orderRoutes } from '../orders/order-routes.ts';
import { createOrderService, type OrderService } from '../orders/order-service.ts';
import { createPrinterOwnerService } from '../printers/owner-service.ts';
import { printerOwnerRoutes } from '../printers/printer-console-routes.ts';
import { printerRoutes } from '../printers/printer-routes.ts';
import { createPrinterService, type PrinterService } from '../printers/printer-service.ts';
import { createAgentDoor } from '../prints/agent-api-routes.ts';
import { type AgentActor, createAgentService } from '../prints/agent-service.ts';
import { agentOwnerRoutes } from '../prints/print-console-routes.ts';
import { agentRoutes } from '../prints/report-routes.ts';
import { createReportService } from '../prints/report-service.ts';
import { figureRoutes } from '../reports/dashboard-routes.ts';
import { listFailingChannels } from '../reports/delivery-stats-store.ts';
import { listUseByMaterial } from '../reports/material-stats-store.ts';
import { createOrderFigures } from '../reports/order-stats.ts';
import { countPrints } from '../reports/print-stats-store.ts';
import { summaryRoutes } from '../reports/summary-routes.ts';
import { sampleRoutes } from '../sample/sample-console-routes.ts';
import { createSampleService } from '../sample/sample-service.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import type { SecretBox, Sign } from '../shared/crypto.ts';
import type { Logger } from '../shared/logger.ts';
import { version } from '../shared/version.ts';
import type { Storage, Tx } from '../storage/open.ts';
import { webhookOwnerRoutes } from '../webhooks/delivery/delivery-console-routes.ts';
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

/** What the features are made of. */
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

/** A storage whose transactions are all this one, so that many changes become one. */
const joined = (storage: Storage, tx: Tx): Storage => ({ ...storage, inTransaction: (work) => work(tx) });

/** The book: orders, stock and printers, which know of each other. */
function wireBook({
  storage,
  clock,
  outbox,
  announce,
  printers,
}: {
  storage: Storage;
  clock: Clock;
  outbox: Outbox;
  announce: Announce;
  printers: PrinterService;
}) {
  const once = createOnce({ storage, clock });
  const shared = { announce, storage, clock, once };
  const orders = createOrderService({ ...shared, append: outbox.append, printerExists: printers.exists });
  const printerOwner = createPrinterOwnerService({ ...shared, printerChanged: orders.printerChanged });
  const stock = {
    ...shared,
    append: outbox.append,
    recordConsumption: orders.recordConsumption,
    orderExists: orders.orderExists,
  };
  const filaments = createFilamentService({ ...stock, printerExists: printers.exists, holdCurrency });
  const filamentOwner = createFilamentOwnerService(stock);
  return { orders, filaments, printerOwner, filamentOwner };
}

/** Programs beside the printers, and what their reports do to the book. */
function wireAgents(
  shared: { storage: Storage; clock: Clock; outbox: Outbox; announce: Announce; printers: PrinterService },
  { orders, filaments }: ReturnType<typeof wireBook>,
  { logger, config }: Pick<Parts, 'logger' | 'config'>,
) {
  const { storage, clock, outbox, announce, printers } = shared;
  const { exists: printerExists, groupExists } = printers;
  const agents = createAgentService({ storage, clock, logger, announce, printerExists, groupExists });
  const reports = createReportService({
    storage,
    clock,
    logger,
    announce,
    append: outbox.append,
    orders,
    filamentExists: filaments.filamentExists,
    lockFilament: filaments.lockFilament,
    printerExists,
    within: (tx) => wireBook({ ...shared, storage: joined(storage, tx) }),
  });
  const door = createAgentDoor({
    routes: agentRoutes({ agents, reports, clock }),
    authenticate: agents.authenticate,
    admitBody: (actor, { method, headers }, body) => agents.admit(actor as AgentActor, method, headers, body),
    rateLimitPerMinute: config.rateLimitPerMinute,
    version,
    logger,
  });
  return { reports, door, ownerRoutes: agentOwnerRoutes({ agents, reports }) };
}

/** How often a form may be sent by one address, whatever comes of it. */
const FORM_TRIES = { most: 30, withinMs: 10 * 60_000 };

/** The public profiles, and the requests that come from them. */
function wireLeads({
  storage,
  clock,
  logger,
  sign,
  outbox,
  announce,
  publicUrl,
  createOrder,
}: {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  sign: Sign;
  outbox: Outbox;
  announce: Announce;
  publicUrl: string | undefined;
  createOrder: Parameters<typeof createLeadService>[0]['createOrder'];
}) {
  const profiles = createProfileService({ storage, clock, announce });
  const leads = createLeadService({ storage, clock, append: outbox.append, sign, createOrder, announce });
  const tokens = createFormTokens({ sign, clock });
  const tries = createTries({ clock, ...FORM_TRIES });
  return {
    leads,
    routes: leadRoutes(leads),
    ownerRoutes: [...leadOwnerRoutes(leads), ...profileRoutes(profiles)],
    door: { path: '/masters', router: createMastersRouter({ profiles, leads, tokens, tries, publicUrl, logger }) },
  };
}

/** Invoices, and those through whom they are paid. */
function wireInvoices(deps: {
  storage: Storage;
  clock: Clock;
  once: Once;
  outbox: Outbox;
  announce: Announce;
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
  const { orderExists } = orders;
  const currencyOf = findCurrency;
  const invoices = createInvoiceService({ ...shared, payments, readOrder, orderExists, currencyOf });
  const providers = createProviderService({ ...shared, payments, bodies: { stripe, notice: noticeProvider } });
  const pay = createPayService({ ...shared, providers, logger });
  // what turns off the limits of programs turns off these too
  const perMinute = (most: number) => (rateLimitPerMinute === 0 ? 0 : most);
  return {
    currencyOf: invoices.currencyOf,
    routes: invoiceRoutes(invoices),
    ownerRoutes: invoiceOwnerRoutes(invoices, providers),
    doors: [
      { path: '/pay', router: payRoutes({ pay, perMinute: perMinute(120), logger }) },
      { path: '/payments', router: paymentRoutes({ providers, perMinute: perMinute(600), logger }) },
    ],
  };
}

/** Every feature in plain calls: what it needs of another is handed to it here. */
export function wire({ logger, storage, guard, secretBox, signForms, jobs, sender, stripe, metrics, config }: Parts) {
  const { signUp, publicUrl } = config;
  const clock = systemClock;
  const worker = createWorkerName();
  const once = createOnce({ storage, clock });
  const announce = gatherBusy(jobs.live.announce);
  const outbox = createOutbox({ wake: jobs.wake, announce });

  const passwords = createPasswords();
  const accounts = createAccountService({ storage, clock, logger, passwords, hasPrices });
  const sessions = createSessionService({ storage, clock, logger, passwords, accounts, signUp });
  const printers = createPrinterService({ storage });
  const shared = { storage, clock, outbox, announce, printers };
  const book = wireBook(shared);
  const { orders, filaments, printerOwner, filamentOwner } = book;
  const agents = wireAgents(shared, book, { logger, config });
  // known for certain once it listens
  const address = { publicUrl: publicUrl ?? `http://${config.host}:${config.port}` };
  const { rateLimitPerMinute } = config;
  const invoices = wireInvoices({
    ...{ storage, clock, once, outbox, announce, secretBox, stripe, orders, logger, rateLimitPerMinute },
    publicUrl: () => address.publicUrl,
  });
  const sample = createSampleService({
    storage,
    clock,
    currencyOf: findCurrency,
    within: (tx, clock) => wireBook({ ...shared, storage: joined(storage, tx), clock }),
  });
  const masters = wireLeads({
    ...{ storage, clock, logger, sign: signForms, outbox, announce, publicUrl },
    createOrder: async (tx, actor, order) => {
      const book = wireBook({ ...shared, storage: joined(storage, tx) });
      return (await book.orders.create(actor, order, undefined)).result.order;
    },
  });
  const webhooks = createWebhookService({
    announce,
    storage,
    clock,
    once,
    guard,
    secretBox,
    worker,
    wake: jobs.wake,
    metrics: metrics?.deliveries,
    insertEvent,
  });

  const describe: Describe = async (accountId, event, body) => ({
    // a worker alone does not know where the console is, unless it is told
    publicUrl: config.role === 'worker' ? publicUrl : address.publicUrl,
    currency:
      event === 'invoice.paid'
        ? await invoices.currencyOf(accountId, (JSON.parse(body) as EventEnvelope<'invoice.paid'>).data.document_id)
        : undefined,
  });
  const sweep = createSweep({ storage, clock, worker, logger, metrics: metrics?.deliveries, announce });
  const handlers = {
    drain: createDrain({
      ...{ storage, clock, sender, secretBox, worker, logger, announce, describe },
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
        await masters.leads.purge(tx);
      });
    },
  };

  const routes = [
    ...orderRoutes(orders),
    ...filamentRoutes(filaments),
    ...printerRoutes(printers),
    ...webhookRoutes(webhooks),
    ...eventRoutes({ list: (accountId, filter) => listEvents(storage.read, accountId, filter) }),
    ...masters.routes,
    ...invoices.routes,
    ...accountRoutes(),
    ...summaryRoutes({ orders: orders.counts, filaments: filaments.counts, printers: printers.counts }),
  ];

  const https = publicUrl?.startsWith('https:') ?? false;
  const consoleDoor = {
    openRoutes: sessionRoutes({ sessions, https }),
    routes: [
      // before the interface's own: /filaments/usage would be taken for the id of a filament
      ...filamentOwnerRoutes(filamentOwner),
      ...routes,
      ...printerOwnerRoutes(printerOwner),
      ...agents.ownerRoutes,
      ...masters.ownerRoutes,
      ...invoices.ownerRoutes,
      ...ownerRoutes({ sessions, accounts, https }),
      ...webhookOwnerRoutes(createEventLog({ storage, secretBox, describe })),
      ...liveRoutes(jobs.live),
      ...sampleRoutes(sample),
      ...figureRoutes({
        clock,
        orders: createOrderFigures({ storage }),
        prints: (accountId, span, most) => countPrints(storage.read, accountId, span, most),
        materials: (accountId, span, most) => listUseByMaterial(storage.read, accountId, span, most),
        failingChannels: (accountId) => listFailingChannels(storage.read, accountId),
      }),
    ],
    authenticateSession: sessions.authenticate,
  };

  /** Doors with an authentication of their own. */
  const doors: Door[] = [agents.door, masters.door, ...invoices.doors];

  return {
    accounts,
    sessions,
    consoleDoor,
    doors,
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
