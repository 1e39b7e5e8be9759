import { type Route, routesOf } from '../http/route.ts';
import { toEnvelope } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import { InvoiceDetailRecord, InvoiceList, InvoiceQuery } from './invoice-schema.ts';
import type { InvoiceService } from './invoice-service.ts';

const { get } = routesOf('Invoices');

export const invoiceRoutes = (invoices: Pick<InvoiceService, 'list' | 'get'>): Route[] => [
  get('/invoices', {
    operationId: 'listInvoices',
    summary: 'List invoices',
    description: 'Newest first. All amounts are minor units of the invoice’s currency.',
    query: InvoiceQuery,
    responses: { 200: { description: 'A page of invoices', schema: InvoiceList } },
    handle: async ({ actor, query }) => toEnvelope(await invoices.list(actor.accountId, query, query), query),
  }),
  get('/invoices/{id}', {
    operationId: 'getInvoice',
    summary: 'Read an invoice, its lines and payments',
    params: idParams,
    responses: { 200: { description: 'The invoice', schema: InvoiceDetailRecord } },
    handle: ({ actor, params }) => invoices.get(actor.accountId, params.id),
  }),
];
