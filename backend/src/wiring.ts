import { createPasswords } from './accounts/passwords.ts';
import { accountRoutes } from './accounts/routes.ts';
import { createAccountService } from './accounts/service.ts';
import { ownerRoutes, sessionRoutes } from './accounts/session-routes.ts';
import { deleteSessionsBefore } from './accounts/session-store.ts';
import { createSessionService } from './accounts/sessions.ts';
import { findCurrency, holdCurrency } from './accounts/store.ts';
import { createTries } from './accounts/tries.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import type { SecretBox, Sign } from './crypto.ts';
import type { EventEnvelope } from './events/catalogue.ts';
import { createOutbox, type Outbox } from './events/outbox.ts';
import { eventRoutes } from './events/routes.ts';
import { deleteEventsBefore, insertEvent, listEvents } from './events/store.ts';
import { listUseByMaterial } from './filaments/figures-store.ts';
import { filamentOwnerRoutes } from './filaments/owner-routes.ts';
import { createFilamentOwnerService } from './filaments/owner-service.ts';
import { filamentRoutes } from './filaments/routes.ts';
import { createFilamentService } from './filaments/service.ts';
import { hasPrices } from './filaments/store.ts';
import { createAgentDoor } from './http/agent-door.ts';
import type { Door } from './http/app.ts';
import { figureRoutes } from './http/figures.ts';
import { liveRoutes } from './http/live.ts';
import { summaryRoutes } from './http/summary.ts';
import { createOnce, KEY_LIFETIME_MS, type Once } from './idempotency/once.ts';
import { deleteKeysBefore } from './idempotency/store.ts';
import { invoiceOwnerRoutes } from './invoices/owner-routes.ts';
import { createPayService } from './invoices/pay-service.ts';
import { paymentRoutes } from './invoices/payment-routes.ts';
import { createPayments } from './invoices/payments.ts';
import { createProviderService } from './invoices/provider-service.ts';
import { noticeProvider } from './invoices/providers/notice.ts';
import type { PaymentProvider } from './invoices/providers/provider.ts';
import { payRoutes } from './invoices/public-routes.tsx';
import { invoiceRoutes } from './invoices/routes.ts';
import { createInvoiceService } from './invoices/service.ts';
import { gatherBusy } from './jobs/gather.ts';
import type { Announce, Jobs } from './jobs/jobs.ts';
import { createFormTokens } from './leads/form-token.ts';
import { leadOwnerRoutes, profileRoutes } from './leads/owner-routes.ts';
import { createProfileService } from './leads/profile-service.ts';
import { createMastersRouter } from './leads/public-routes.tsx';
import { leadRoutes } from './leads/routes.ts';
import { createLeadService } from './leads/service.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { createOrderFigures } from './orders/figures.ts';
import { orderRoutes } from './orders/routes.ts';
import { createOrderService, type OrderService } from './orders/service.ts';
import { type AgentActor, createAgentService } from './printers/agents/agent-service.ts';
import { countPrints } from './printers/agents/figures-store.ts';
import { agentOwnerRoutes } from './printers/agents/owner-routes.ts';
import { createReportService } from './printers/agents/report-service.ts';
import { agentRoutes } from './printers/agents/routes.ts';
import { printerOwnerRoutes } from './printers/owner-routes.ts';
import { createPrinterOwnerService } from './printers/owner-service.ts';
import { printerRoutes } from './printers/routes.ts';
import { createPrinterService, type PrinterService } from './printers/service.ts';
import { sampleRoutes } from './sample/owner-routes.ts';
import { createSampleService } from './sample/service.ts';
import type { Storage, Tx } from './storage/open.ts';
import { version } from './version.ts';
import { createDrain } from './webhooks/drain.ts';
import { listFailingChannels } from './webhooks/figures-store.ts';
import type { Describe } from './webhooks/formats/message.ts';
import type { Guard } from './webhooks/guard.ts';
import { createEventLog } from './webhooks/log.ts';
import { webhookOwnerRoutes } from './webhooks/owner-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { Sender } from './webhooks/sender.ts';
import { createWebhookService } from './webhooks/service.ts';
import { HISTORY_LENGTH } from './webhooks/subscription.ts';
import { createSweep, createWorkerName } from './webhooks/sweep.ts';

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
