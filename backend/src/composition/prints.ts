import { version } from '../../../common/src/version.ts';
import { lockAccount } from '../accounts/account-store.ts';
import { createAgentApi } from '../prints/agent-api-routes.ts';
import { type AgentActor, createAgentService } from '../prints/agent-service.ts';
import { printConsoleRoutes } from '../prints/print-console-routes.ts';
import { createRefusedReportService } from '../prints/refused-report-service.ts';
import { agentRoutes } from '../prints/report-routes.ts';
import { createReportService } from '../prints/report-service.ts';
import type { Limits } from './limits.ts';
import type { createOrderFeatures } from './orders.ts';
import type { Parts, Shared } from './parts.ts';

/** Agents, and what their print reports do to orders and stock. */
export function createPrintFeatures(
  shared: Shared,
  { orders, filaments, printers }: ReturnType<typeof createOrderFeatures>,
  { logger, limits, publicUrl }: Pick<Parts, 'logger'> & { limits: Limits; publicUrl(): string },
) {
  const { storage, clock, outbox } = shared;
  const agents = createAgentService({ storage, clock, logger, printers });
  const reports = createReportService({ storage, clock, logger, outbox, orders, filaments, printers });
  const refused = createRefusedReportService({ storage, clock, accounts: { lockAccount }, printers, reports });
  const api = createAgentApi({
    routes: agentRoutes({ printers, reports, refused, clock }),
    authenticate: agents.authenticate,
    admitBody: (actor, { method, headers }, body) => agents.admit(actor as AgentActor, method, headers, body),
    rateLimit: limits.agents,
    failedAuthLimit: limits.failedAuth,
    publicUrl,
    version,
    logger,
  });
  return { reports, api, consoleRoutes: printConsoleRoutes({ agents, reports, refused }) };
}
