import { type Route, route } from '../http/route.ts';
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

const tag = 'Printers';

export const printerRoutes = (printers: PrinterService): Route[] => [
  route({
    method: 'get',
    path: '/printers',
    operationId: 'listPrinters',
    tag,
    summary: 'List printers',
    description: 'Newest first, including printers in groups. Unknown query parameters are rejected.',
    query: PrinterQuery,
    responses: { 200: { description: 'A page of printers', schema: PrinterList } },
    async handle({ actor, query }) {
      return { status: 200, body: toEnvelope(await printers.list(actor.accountId, query, query), query) };
    },
  }),
  route({
    method: 'get',
    path: '/printers/{id}',
    operationId: 'getPrinter',
    tag,
    summary: 'Read a printer',
    params: idParams,
    responses: { 200: { description: 'The printer', schema: PrinterRecord } },
    async handle({ actor, params }) {
      return { status: 200, body: await printers.get(actor.accountId, params.id) };
    },
  }),
  route({
    method: 'get',
    path: '/printer-groups',
    operationId: 'listPrinterGroups',
    tag,
    summary: 'List printer groups (farms)',
    description: 'Newest first.',
    query: PrinterGroupQuery,
    responses: { 200: { description: 'A page of printer groups', schema: PrinterGroupList } },
    async handle({ actor, query }) {
      return { status: 200, body: toEnvelope(await printers.listGroups(actor.accountId, query, query.sort), query) };
    },
  }),
  route({
    method: 'get',
    path: '/printer-groups/{id}',
    operationId: 'getPrinterGroup',
    tag,
    summary: 'Read a printer group',
    params: idParams,
    responses: { 200: { description: 'The printer group', schema: PrinterGroupRecord } },
    async handle({ actor, params }) {
      return { status: 200, body: await printers.getGroup(actor.accountId, params.id) };
    },
  }),
];
