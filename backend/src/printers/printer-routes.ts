import { type Route, routesOf } from '../http/route.ts';
import { toEnvelope } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import {
  PrinterGroupList,
  PrinterGroupQuery,
  PrinterGroupRecord,
  PrinterList,
  PrinterQuery,
  PrinterRecord,
} from './printer-schema.ts';
import type { PrinterService } from './printer-service.ts';

const { get } = routesOf('Printers');

export const printerRoutes = (printers: PrinterService): Route[] => [
  get('/printers', {
    operationId: 'listPrinters',
    summary: 'List printers',
    description: 'Newest first, including printers in groups. Unknown query parameters are rejected.',
    query: PrinterQuery,
    responses: { 200: { description: 'A page of printers', schema: PrinterList } },
    handle: async ({ actor, query }) => toEnvelope(await printers.list(actor.accountId, query, query), query),
  }),
  get('/printers/{id}', {
    operationId: 'getPrinter',
    summary: 'Read a printer',
    params: idParams,
    responses: { 200: { description: 'The printer', schema: PrinterRecord } },
    handle: ({ actor, params }) => printers.get(actor.accountId, params.id),
  }),
  get('/printer-groups', {
    operationId: 'listPrinterGroups',
    summary: 'List printer groups (farms)',
    description: 'Newest first.',
    query: PrinterGroupQuery,
    responses: { 200: { description: 'A page of printer groups', schema: PrinterGroupList } },
    handle: async ({ actor, query }) =>
      toEnvelope(await printers.listGroups(actor.accountId, query, query.sort), query),
  }),
  get('/printer-groups/{id}', {
    operationId: 'getPrinterGroup',
    summary: 'Read a printer group',
    params: idParams,
    responses: { 200: { description: 'The printer group', schema: PrinterGroupRecord } },
    handle: ({ actor, params }) => printers.getGroup(actor.accountId, params.id),
  }),
];
