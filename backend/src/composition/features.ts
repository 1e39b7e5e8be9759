import { accountConsoleRoutes } from '../accounts/account-console-routes.ts';
import { accountRoutes } from '../accounts/account-routes.ts';
import { sessionRoutes } from '../accounts/session-routes.ts';
import { eventRoutes } from '../events/event-routes.ts';
import { findEventSeq, listEvents } from '../events/event-store.ts';
import { filamentConsoleRoutes } from '../filaments/filament-console-routes.ts';
import { filamentRoutes } from '../filaments/filament-routes.ts';
import type { MountedApi } from '../http/app.ts';
import { withDryRun } from '../http/dry-run.ts';
import { liveRoutes } from '../http/live.ts';
import type { JobHandlers } from '../jobs/jobs.ts';
import { orderConsoleRoutes } from '../orders/order-console-routes.ts';
import { orderRoutes } from '../orders/order-routes.ts';
import { printerConsoleRoutes } from '../printers/printer-console-routes.ts';
import { printerRoutes } from '../printers/printer-routes.ts';
import { dashboardRoutes } from '../reports/dashboard-routes.ts';
import { listUseByMaterial } from '../reports/material-stats-store.ts';
import { createOrderStats } from '../reports/order-stats.ts';
import { countPrints } from '../reports/print-stats-store.ts';
import { type SummarySource, summaryRoutes } from '../reports/summary-routes.ts';
import { sampleRoutes } from '../sample/sample-console-routes.ts';
import { foldCounters } from '../storage/counters.ts';
import { createKeyLimits } from '../storage/idempotency/key-limits.ts';
import { createWithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import { refreshStatistics } from '../storage/statistics.ts';
import { listFailingSubscriptions } from '../webhooks/delivery/failing-store.ts';
import { webhookRoutes } from '../webhooks/subscriptions/subscription-routes.ts';
import { createAccountServices } from './accounts.ts';
import { createDryRun } from './dry-run.ts';
import { createInvoiceFeatures } from './invoices.ts';
import { createLeadFeatures } from './leads.ts';
import { createLimits } from './limits.ts';
import { createOrderFeatures } from './orders.ts';
import type { Parts, Shared } from './parts.ts';
import { createPrintFeatures } from './prints.ts';
import { createPurge } from './purge.ts';
import { createSample, createSimulations } from './sample.ts';
import { createShared } from './shared.ts';
import { createDescribe, createWebhookFeatures } from './webhooks.ts';

function createReportRoutes({ storage, clock }: Shared, counts: Pick<SummarySource, 'filaments' | 'printers'>) {
  const orders = createOrderStats({ storage });
  const consoleRoutes = dashboardRoutes({
    clock,
    orders,
    prints: (accountId, span, limit) => countPrints(storage.read, accountId, span, limit),
    materials: (accountId, span, limit) => listUseByMaterial(storage.read, accountId, span, limit),
    failingSubscriptions: (accountId) => listFailingSubscriptions(storage.read, accountId),
  });
  return { routes: summaryRoutes({ clock, orders: orders.summary, ...counts }), consoleRoutes };
}

/** The sweep and the purge, each measured, and what keeps reads fast. */
function createMaintenanceHandlers(
  shared: Shared,
  { metrics }: Parts,
  { releaseHeld }: { releaseHeld(): Promise<unknown> },
  { sweep: findWaiting, removeOld }: Pick<JobHandlers, 'sweep'> & { removeOld(): Promise<void> },
): Pick<JobHandlers, 'sweep' | 'refresh' | 'purge'> {
  const sweep = async () => {
    await releaseHeld();
    return findWaiting();
  };
  const refresh = async () => {
    await foldCounters(shared.storage);
    await refreshStatistics(shared.storage);
  };
  const purgeRows = createPurge(shared);
  const purge: JobHandlers['purge'] = async (isStopping) => {
    await purgeRows(isStopping);
    await removeOld();
  };
  if (!metrics) return { sweep, refresh, purge };
  return { sweep: metrics.measureTask('sweep', sweep), refresh, purge: metrics.measureTask('purge', purge) };
}

/** Builds every feature with plain calls and passes them the functions they need of each other. */
export function createFeatures(parts: Parts) {
  const { logger, storage, guard, secretBox, signForms, jobs, stripe, config } = parts;
  const { publicUrl } = config;
  const limits = createLimits(jobs, config);
  const shared = createShared(parts);
  const withIdempotency = createWithIdempotency({ ...shared, stored: createKeyLimits({ storage, logger }) });
  // replaced by the actual address once the server listens
  const url = `http://${config.host}:${config.port}`;
  const address = { publicUrl: publicUrl ?? url, local: url };
  const { accounts, sessions } = createAccountServices(shared, parts, limits.signIn);
  const orderFeatures = createOrderFeatures({ ...shared, withIdempotency });
  const { orders, filaments, printers } = orderFeatures;
  const reports = createReportRoutes(shared, { filaments: filaments.counts, printers: printers.counts });
  const agents = createPrintFeatures(shared, orderFeatures, { logger, limits, publicUrl: () => address.publicUrl });
  const invoices = createInvoiceFeatures({
    ...shared,
    withIdempotency,
    secretBox,
    stripe,
    orders,
    logger,
    limits,
    findCharacters: parts.findCharacters,
    fontFiles: config.invoiceFontFiles,
    publicUrl: () => address.publicUrl,
  });
  const leadFeatures = createLeadFeatures({
    ...shared,
    logger,
    sign: signForms,
    publicUrl,
    formLimit: limits.forms,
    orders,
  });
  const sample = createSample(shared, parts);
  const https = publicUrl?.startsWith('https:') ?? false;
  const { simulations, ...simulationApi } = createSimulations(shared, {
    ...{ logger, accounts, sessions, https },
    max: config.maxSimulations,
    server: () => address.local,
  });
  const describe = createDescribe(config, address, invoices.currencyOf);
  const { webhooks, ...webhookFeatures } = createWebhookFeatures(shared, parts, { withIdempotency, describe });
  const handlers = {
    drain: webhookFeatures.drain,
    ...createMaintenanceHandlers(shared, parts, agents.reports, {
      ...webhookFeatures,
      removeOld: simulations.removeOld,
    }),
  };

  const orderAndStockRoutes = [...orderRoutes(orders), ...filamentRoutes(filaments)];
  const otherRoutes = [
    ...printerRoutes(printers),
    ...webhookRoutes(webhooks),
    ...eventRoutes({
      list: (accountId, filter) => listEvents(storage.read, accountId, filter),
      findSeq: (accountId, id) => findEventSeq(storage.read, accountId, id),
    }),
    ...leadFeatures.routes,
    ...invoices.routes,
    ...accountRoutes(),
    ...reports.routes,
  ];
  const consoleApi = {
    openRoutes: [...sessionRoutes({ sessions, https }), ...simulationApi.openRoutes],
    routes: [
      ...filamentConsoleRoutes(filaments),
      ...orderAndStockRoutes,
      ...otherRoutes,
      ...orderConsoleRoutes(orders),
      ...printerConsoleRoutes(printers),
      ...agents.consoleRoutes,
      ...leadFeatures.consoleRoutes,
      ...invoices.consoleRoutes,
      ...accountConsoleRoutes({ sessions, accounts, https }),
      ...webhookFeatures.consoleRoutes,
      ...liveRoutes(jobs.live),
      ...sampleRoutes(sample),
      ...simulationApi.routes,
      ...reports.consoleRoutes,
    ],
    authenticateSession: sessions.authenticate,
  };
  /** Routers with their own authentication, or none. */
  const apis: MountedApi[] = [agents.api];
  const pages: MountedApi[] = [...leadFeatures.pages, ...invoices.pages];
  const routes = [...withDryRun(orderAndStockRoutes, createDryRun(shared)), ...otherRoutes];
  const services = { accounts, sessions, orders, printers, filaments, sample, simulations, webhooks, jobs };
  return { ...services, consoleApi, apis, pages, routes, handlers, guard, address, limits };
}
