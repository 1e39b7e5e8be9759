import { z } from 'zod';
import { type Route, routesOf } from '../http/route.ts';
import { toEnvelope } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import type { AgentService } from './agent-service.ts';
import type { RefusedReportService } from './refused-report-service.ts';
import { stored, toReply } from './report-routes.ts';
import {
  AgentRecord,
  CreatedAgent,
  NewAgent,
  RefusedCounts,
  RefusedReportList,
  ReportList,
  ReportQuery,
  ReportRecord,
  RulesPatch,
  RulesRecord,
  refusedParams,
} from './report-schema.ts';
import type { ReportService } from './report-service.ts';

const { get, post, put, remove } = routesOf('Agents');

/** Console routes for agents, print reports and report rules. */
export const printConsoleRoutes = ({
  agents,
  reports,
  refused,
}: {
  agents: AgentService;
  reports: ReportService;
  refused: RefusedReportService;
}): Route[] => [
  get('/agents', {
    operationId: 'listAgents',
    summary: 'List agents, without their tokens',
    responses: { 200: { description: 'The agents', schema: z.object({ items: z.array(AgentRecord) }) } },
    handle: async ({ actor }) => ({ items: await agents.list(actor.accountId) }),
  }),
  post('/agents', {
    operationId: 'createAgent',
    summary: 'Create an agent for a printer or a printer group',
    description: 'The response contains its token, only once. The token is valid for /agent/v1 only.',
    body: NewAgent,
    errors: ['password_required'],
    responses: { 201: { description: 'The agent with its token', schema: CreatedAgent } },
    async handle({ actor, body }) {
      const { agent, token } = await agents.create(actor, body);
      return { ...agent, token };
    },
  }),
  remove('/agents/{id}', {
    operationId: 'revokeAgent',
    summary: 'Revoke an agent',
    description: 'Takes effect with its next request. Its reports stay.',
    params: idParams,
    responses: { 204: { description: 'Revoked' } },
    handle: ({ actor, params }) => agents.revoke(actor, params.id),
  }),
  get('/print-reports', {
    operationId: 'listLastPrintReports',
    summary: 'List the latest report of each printer',
    description: 'Printers without reports are left out.',
    responses: { 200: { description: 'The reports', schema: z.object({ items: z.array(ReportRecord) }) } },
    handle: async ({ actor }) => ({ items: await reports.last(actor.accountId) }),
  }),
  get('/printers/{id}/reports', {
    operationId: 'listPrintReports',
    summary: "List a printer's reports, newest first",
    params: idParams,
    query: ReportQuery,
    responses: { 200: { description: 'A page of reports', schema: ReportList } },
    handle: async ({ actor, params, query }) =>
      toEnvelope(await reports.list(actor.accountId, params.id, query), query),
  }),
  get('/refused-reports', {
    operationId: 'countRefusedReports',
    summary: 'Count the refused reports of each printer',
    description: 'Printers without any are left out.',
    responses: { 200: { description: 'The counts', schema: RefusedCounts } },
    handle: async ({ actor }) => ({ items: await refused.counts(actor.accountId) }),
  }),
  get('/printers/{id}/refused-reports', {
    operationId: 'listRefusedReports',
    summary: "List a printer's refused reports, newest first",
    description:
      'The last 100 that were refused, for 30 days. Includes those of the agents of its group that do not say which printer they are from.',
    params: idParams,
    responses: { 200: { description: 'The refused reports', schema: RefusedReportList } },
    handle: async ({ actor, params }) => ({ items: await refused.list(actor.accountId, params.id) }),
  }),
  post('/printers/{id}/refused-reports/{refused_report_id}/retry', {
    operationId: 'retryRefusedReport',
    summary: 'Process a refused report again',
    description:
      'As one of this printer, under its event_id. If it is accepted, it is a report like any other and no longer listed here; if not, it stays with the new reason.',
    params: refusedParams,
    errors: ['idempotency_conflict', 'version_conflict'],
    responses: stored,
    reply: async ({ actor, params }) =>
      toReply(await refused.retry(actor.accountId, params.id, params.refused_report_id)),
  }),
  remove('/printers/{id}/refused-reports/{refused_report_id}', {
    operationId: 'dismissRefusedReport',
    summary: 'Dismiss a refused report',
    description: 'Deletes it. It cannot be processed any more, unless it is sent again.',
    params: refusedParams,
    responses: { 204: { description: 'Dismissed' } },
    handle: ({ actor, params }) => refused.dismiss(actor.accountId, params.id, params.refused_report_id),
  }),
  get('/printers/{id}/rules', {
    operationId: 'getPrinterRules',
    summary: "Get a printer's report rules",
    params: idParams,
    responses: { 200: { description: 'Its rules', schema: RulesRecord } },
    handle: ({ actor, params }) => reports.rules(actor.accountId, params.id),
  }),
  put('/printers/{id}/rules', {
    operationId: 'updatePrinterRules',
    summary: "Update a printer's report rules",
    description: 'Changes only the fields sent. All rules are off by default.',
    params: idParams,
    body: RulesPatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'Its rules from now on', schema: RulesRecord } },
    handle: ({ actor, params, body }) => reports.updateRules(actor, params.id, body),
  }),
];
