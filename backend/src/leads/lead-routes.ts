import { type Route, route } from '../http/route.ts';
import { toEnvelope } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import { LeadList, LeadQuery, LeadRecord } from './lead-schema.ts';
import type { LeadService } from './lead-service.ts';

const tag = 'Requests';

/** Automation API routes for reading requests. */
export const leadRoutes = (leads: Pick<LeadService, 'list' | 'get'>): Route[] => [
  route({
    method: 'get',
    path: '/leads',
    operationId: 'listLeads',
    tag,
    summary: 'List requests from the public profile',
    description: 'Newest first. Unknown query parameters are rejected.',
    query: LeadQuery,
    responses: { 200: { description: 'A page of requests', schema: LeadList } },
    async handle({ actor, query }) {
      return { status: 200, body: toEnvelope(await leads.list(actor.accountId, query, query), query) };
    },
  }),
  route({
    method: 'get',
    path: '/leads/{id}',
    operationId: 'getLead',
    tag,
    summary: 'Read a request',
    params: idParams,
    responses: { 200: { description: 'The request', schema: LeadRecord } },
    async handle({ actor, params }) {
      return { status: 200, body: await leads.get(actor.accountId, params.id) };
    },
  }),
];
