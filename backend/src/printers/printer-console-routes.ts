import { created, ifUpdatedAt, type Route, routesOf } from '../http/route.ts';
import { idParams } from '../shared/schemas.ts';
import {
  NewPrinter,
  NewPrinterGroup,
  PrinterGroupOrder,
  PrinterGroupPatch,
  PrinterGroupRecord,
  PrinterOrder,
  PrinterPatch,
  PrinterRecord,
} from './printer-schema.ts';
import type { PrinterService } from './printer-service.ts';

const { post, put, remove } = routesOf('Printers');

/** Console routes for setting up printers, which are read-only in the specification. */
export const printerConsoleRoutes = (printers: PrinterService): Route[] => [
  post('/printers', {
    operationId: 'createPrinter',
    summary: 'Add a printer',
    body: NewPrinter,
    idempotent: true,
    responses: { 201: { description: 'The new printer', schema: PrinterRecord, headers: { Location: 'its URL' } } },
    reply: async ({ actor, body, idempotency }) => created('printers', await printers.create(actor, body, idempotency)),
  }),
  put('/printers/{id}', {
    operationId: 'updatePrinter',
    summary: 'Update a printer',
    description: 'Changes only the fields sent.',
    params: idParams,
    body: PrinterPatch,
    requestHeaders: ifUpdatedAt('printer'),
    errors: ['precondition_failed', 'version_conflict'],
    responses: { 200: { description: 'The updated printer', schema: PrinterRecord } },
    handle: ({ actor, params, body, header }) => printers.update(actor, params.id, body, header('if-match')),
  }),
  remove('/printers/{id}', {
    operationId: 'deletePrinter',
    summary: 'Delete a printer',
    description: 'Its orders stay but are no longer assigned to a printer.',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params }) => printers.remove(actor, params.id),
  }),
  put('/printer-order', {
    operationId: 'placePrinters',
    summary: 'Reorder printers',
    description:
      'Numbers the printers from 1 in the given order (`sort_order`) and moves them to the group, in one step. Other printers are unchanged.',
    body: PrinterOrder,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Reordered' } },
    handle: ({ actor, body }) => printers.place(actor, body),
  }),
  put('/printer-group-order', {
    operationId: 'placePrinterGroups',
    summary: 'Reorder printer groups',
    description: 'Numbers the groups from 1 in the given order (`sort_order`).',
    body: PrinterGroupOrder,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Reordered' } },
    handle: ({ actor, body }) => printers.placeGroups(actor, body.ids),
  }),
  post('/printer-groups', {
    operationId: 'createPrinterGroup',
    summary: 'Add a printer group',
    body: NewPrinterGroup,
    idempotent: true,
    responses: {
      201: { description: 'The new printer group', schema: PrinterGroupRecord, headers: { Location: 'its URL' } },
    },
    reply: async ({ actor, body, idempotency }) =>
      created('printer-groups', await printers.createGroup(actor, body, idempotency)),
  }),
  put('/printer-groups/{id}', {
    operationId: 'updatePrinterGroup',
    summary: 'Update a printer group',
    description: 'Changes only the fields sent.',
    params: idParams,
    body: PrinterGroupPatch,
    requestHeaders: ifUpdatedAt('group'),
    errors: ['precondition_failed', 'version_conflict'],
    responses: { 200: { description: 'The updated printer group', schema: PrinterGroupRecord } },
    handle: ({ actor, params, body, header }) => printers.updateGroup(actor, params.id, body, header('if-match')),
  }),
  remove('/printer-groups/{id}', {
    operationId: 'deletePrinterGroup',
    summary: 'Delete a printer group',
    description: 'Its printers stay but no longer belong to a group.',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params }) => printers.removeGroup(actor, params.id),
  }),
];
