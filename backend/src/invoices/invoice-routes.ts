import { type Route, route } from '../http/route.ts';
import { toEnvelope } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import { InvoiceDetailRecord, InvoiceList, InvoiceQuery } from './invoice-schema.ts';
import type { InvoiceService } from './invoice-service.ts';

const tag = 'Invoices';

export const invoiceRoutes = (invoices: Pick<InvoiceService, 'list' | 'get'>): Route[] => [
  route({
    method: 'get',
    path: '/invoices',
    operationId: 'listInvoices',
    tag,
    summary: 'List invoices',
    description: 'Newest first. All amounts are minor units of the invoice’s currency.',
    query: InvoiceQuery,
    responses: { 200: { description: 'A page of invoices', schema: InvoiceList } },
    async handle({ actor, query }) {
      return { status: 200, body: toEnvelope(await invoices.list(actor.accountId, query, query), query) };
    },
  }),
  route({
    method: 'get',
    path: '/invoices/{id}',
    operationId: 'getInvoice',
    tag,
    summary: 'Read an invoice, its lines and payments',
    params: idParams,
    responses: { 200: { description: 'The invoice', schema: InvoiceDetailRecord } },
    async handle({ actor, params }) {
      return { status: 200, body: await invoices.get(actor.accountId, params.id) };
    },
  }),
];
