import { type Route, routesOf } from '../http/route.ts';
import { toEnvelope } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import { LeadList, LeadQuery, LeadRecord } from './lead-schema.ts';
import type { LeadService } from './lead-service.ts';

const { get } = routesOf('Requests');

/** Automation API routes for reading requests. */
export const leadRoutes = (leads: Pick<LeadService, 'list' | 'get'>): Route[] => [
  get('/leads', {
    operationId: 'listLeads',
    summary: 'List requests from the public profile',
    description: 'Newest first. Unknown query parameters are rejected.',
    query: LeadQuery,
    responses: { 200: { description: 'A page of requests', schema: LeadList } },
    handle: async ({ actor, query }) => toEnvelope(await leads.list(actor.accountId, query, query), query),
  }),
  get('/leads/{id}', {
    operationId: 'getLead',
    summary: 'Read a request',
    params: idParams,
    responses: { 200: { description: 'The request', schema: LeadRecord } },
    handle: ({ actor, params }) => leads.get(actor.accountId, params.id),
  }),
];
