import { z } from 'zod';
import { type Route, route } from '../../http/route.ts';
import { idParams, toEnvelope } from '../../wire.ts';
import type { AgentService } from './agent-service.ts';
import type { ReportService } from './report-service.ts';
import {
  AgentRecord,
  CreatedAgent,
  NewAgent,
  ReportList,
  ReportQuery,
  ReportRecord,
  RulesPatch,
  RulesRecord,
} from './schema.ts';

const tag = 'Agents';

/** Agents are made, watched and ended by the owner, who also chooses what their reports do. */
export const agentOwnerRoutes = ({ agents, reports }: { agents: AgentService; reports: ReportService }): Route[] => [
  route({
    method: 'get',
    path: '/agents',
    operationId: 'listAgents',
    tag,
    summary: 'The live agents of all printers and groups, without their tokens',
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
    summary: 'Make an agent of a printer or a printer group',
    description: 'Its token is in this answer and in no other. It is for the door at /agent/v1 alone.',
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
    description: 'Its next request is refused. What it reported stays.',
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
    summary: 'The last report of every printer',
    description: 'A printer that was never reported on is not in it.',
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
    summary: 'What was reported of a printer, newest first',
    params: idParams,
    query: ReportQuery,
    responses: { 200: { description: 'A page of reports', schema: ReportList } },
    async handle({ actor, params, query }) {
      return { status: 200, body: toEnvelope(await reports.list(actor.accountId, params.id, query), query) };
    },
  }),
  route({
    method: 'get',
    path: '/printers/{id}/rules',
    operationId: 'getPrinterRules',
    tag,
    summary: 'What is done with the reports of a printer',
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
    summary: 'Choose what is done with the reports of a printer',
    description: 'Writes the fields that are sent and leaves the others. Everything is off to begin with.',
    params: idParams,
    body: RulesPatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'Its rules from now on', schema: RulesRecord } },
    async handle({ actor, params, body }) {
      return { status: 200, body: await reports.setRules(actor, params.id, body) };
    },
  }),
];
