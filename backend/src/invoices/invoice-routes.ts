import { type Route, routesOf } from '../http/route.ts';
import { toEnvelope } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import { refused } from './invoice.ts';
import { InvoiceDetailRecord, InvoiceList, InvoiceQuery } from './invoice-schema.ts';
import type { InvoiceService } from './invoice-service.ts';

const { get } = routesOf('Invoices');

/** @param pdfOf the stored PDF of an issued invoice */
export const invoiceRoutes = (
  invoices: Pick<InvoiceService, 'list' | 'get'>,
  pdfOf: (id: string) => Promise<Buffer>,
): Route[] => [
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
  get('/invoices/{id}/pdf', {
    operationId: 'getInvoicePdf',
    summary: 'Download an invoice as a PDF',
    description:
      'The file that the customer gets, the same bytes at every download. A draft has none: 409 `invoice_state`.',
    params: idParams,
    errors: ['invoice_state'],
    responses: {
      200: {
        description: 'The PDF',
        types: ['application/pdf'],
        headers: { 'Content-Disposition': 'inline, with a file name', 'Cache-Control': '`private, no-store`' },
      },
    },
    async reply({ actor, params }) {
      const { number } = await invoices.get(actor.accountId, params.id);
      if (number === null) throw refused('A draft has no PDF, because it has no number yet. Issue it first.');
      return {
        status: 200,
        bytes: await pdfOf(params.id),
        headers: {
          'Content-Type': 'application/pdf',
          'Content-Disposition': `inline; filename="invoice-${number}.pdf"`,
          'Cache-Control': 'private, no-store',
        },
      };
    },
  }),
];
