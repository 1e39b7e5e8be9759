import { z } from 'zod';
import { type Route, route } from '../http/route.ts';
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

const tag = 'Agents';

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
  route({
    method: 'get',
    path: '/agents',
    operationId: 'listAgents',
    tag,
    summary: 'List agents, without their tokens',
    responses: { 200: { description: 'The agents', schema: z.object({ items: z.array(AgentRecord) }) } },
    async handle({ actor }) {
      return { status: 200, body: { items: await agents.list(actor.accountId) } };
    },
  }),
  route({
    method: 'post',
    path: '/agents',
    operationId: 'createAgent',
    tag,
    summary: 'Create an agent for a printer or a printer group',
    description: 'The response contains its token, only once. The token is valid for /agent/v1 only.',
    needsPassword: true,
    body: NewAgent,
    responses: { 201: { description: 'The agent with its token', schema: CreatedAgent } },
    async handle({ actor, body }) {
      const { agent, token } = await agents.create(actor, body);
      return { status: 201, body: { ...agent, token } };
    },
  }),
  route({
    method: 'delete',
    path: '/agents/{id}',
    operationId: 'revokeAgent',
    tag,
    summary: 'Revoke an agent',
    description: 'Takes effect with its next request. Its reports stay.',
    params: idParams,
    responses: { 204: { description: 'Revoked' } },
    async handle({ actor, params }) {
      await agents.revoke(actor, params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/print-reports',
    operationId: 'listLastPrintReports',
    tag,
    summary: 'List the latest report of each printer',
    description: 'Printers without reports are left out.',
    responses: { 200: { description: 'The reports', schema: z.object({ items: z.array(ReportRecord) }) } },
    async handle({ actor }) {
      return { status: 200, body: { items: await reports.last(actor.accountId) } };
    },
  }),
  route({
    method: 'get',
    path: '/printers/{id}/reports',
    operationId: 'listPrintReports',
    tag,
    summary: "List a printer's reports, newest first",
    params: idParams,
    query: ReportQuery,
    responses: { 200: { description: 'A page of reports', schema: ReportList } },
    async handle({ actor, params, query }) {
      return { status: 200, body: toEnvelope(await reports.list(actor.accountId, params.id, query), query) };
    },
  }),
  route({
    method: 'get',
    path: '/refused-reports',
    operationId: 'countRefusedReports',
    tag,
    summary: 'Count the refused reports of each printer',
    description: 'Printers without any are left out.',
    responses: { 200: { description: 'The counts', schema: RefusedCounts } },
    async handle({ actor }) {
      return { status: 200, body: { items: await refused.counts(actor.accountId) } };
    },
  }),
  route({
    method: 'get',
    path: '/printers/{id}/refused-reports',
    operationId: 'listRefusedReports',
    tag,
    summary: "List a printer's refused reports, newest first",
    description:
      'The last 100 that were refused, for 30 days. Includes those of the agents of its group that do not say which printer they are from.',
    params: idParams,
    responses: { 200: { description: 'The refused reports', schema: RefusedReportList } },
    async handle({ actor, params }) {
      return { status: 200, body: { items: await refused.list(actor.accountId, params.id) } };
    },
  }),
  route({
    method: 'post',
    path: '/printers/{id}/refused-reports/{refused_report_id}/retry',
    operationId: 'retryRefusedReport',
    tag,
    summary: 'Process a refused report again',
    description:
      'As one of this printer, under its event_id. If it is accepted, it is a report like any other and no longer listed here; if not, it stays with the new reason.',
    params: refusedParams,
    errors: ['idempotency_conflict', 'version_conflict'],
    responses: stored,
    async handle({ actor, params }) {
      return toReply(await refused.retry(actor.accountId, params.id, params.refused_report_id));
    },
  }),
  route({
    method: 'delete',
    path: '/printers/{id}/refused-reports/{refused_report_id}',
    operationId: 'dismissRefusedReport',
    tag,
    summary: 'Dismiss a refused report',
    description: 'Deletes it. It cannot be processed any more, unless it is sent again.',
    params: refusedParams,
    responses: { 204: { description: 'Dismissed' } },
    async handle({ actor, params }) {
      await refused.dismiss(actor.accountId, params.id, params.refused_report_id);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/printers/{id}/rules',
    operationId: 'getPrinterRules',
    tag,
    summary: "Get a printer's report rules",
    params: idParams,
    responses: { 200: { description: 'Its rules', schema: RulesRecord } },
    async handle({ actor, params }) {
      return { status: 200, body: await reports.rules(actor.accountId, params.id) };
    },
  }),
  route({
    method: 'put',
    path: '/printers/{id}/rules',
    operationId: 'updatePrinterRules',
    tag,
    summary: "Update a printer's report rules",
    description: 'Changes only the fields sent. All rules are off by default.',
    params: idParams,
    body: RulesPatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'Its rules from now on', schema: RulesRecord } },
    async handle({ actor, params, body }) {
      return { status: 200, body: await reports.updateRules(actor, params.id, body) };
    },
  }),
];
