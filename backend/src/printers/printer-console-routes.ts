import { ifUpdatedAt, REPLAYED, type Route, route, whenReplayed } from '../http/route.ts';
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

const tag = 'Printers';

/** Console routes for setting up printers, which are read-only in the specification. */
export const printerConsoleRoutes = (printers: PrinterService): Route[] => [
  route({
    method: 'post',
    path: '/printers',
    operationId: 'createPrinter',
    tag,
    summary: 'Add a printer',
    body: NewPrinter,
    idempotent: true,
    responses: {
      201: { description: 'The new printer', schema: PrinterRecord, headers: { Location: 'its URL', ...REPLAYED } },
    },
    async handle({ actor, body, idempotency }) {
      const { result, replayed } = await printers.create(actor, body, idempotency);
      const headers = { Location: `/api/v1/printers/${result.id}`, ...whenReplayed(replayed) };
      return { status: 201, body: result, headers };
    },
  }),
  route({
    method: 'put',
    path: '/printers/{id}',
    operationId: 'updatePrinter',
    tag,
    summary: 'Update a printer',
    description: 'Changes only the fields sent.',
    params: idParams,
    body: PrinterPatch,
    requestHeaders: ifUpdatedAt('printer'),
    errors: ['precondition_failed', 'version_conflict'],
    responses: { 200: { description: 'The updated printer', schema: PrinterRecord } },
    async handle({ actor, params, body, header }) {
      return { status: 200, body: await printers.update(actor, params.id, body, header('if-match')) };
    },
  }),
  route({
    method: 'delete',
    path: '/printers/{id}',
    operationId: 'deletePrinter',
    tag,
    summary: 'Delete a printer',
    description: 'Its orders stay but are no longer assigned to a printer.',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    async handle({ actor, params }) {
      await printers.remove(actor, params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'put',
    path: '/printer-order',
    operationId: 'placePrinters',
    tag,
    summary: 'Reorder printers',
    description:
      'Numbers the printers from 1 in the given order (`sort_order`) and moves them to the group, in one step. Other printers are unchanged.',
    body: PrinterOrder,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Reordered' } },
    async handle({ actor, body }) {
      await printers.place(actor, body);
      return { status: 204 };
    },
  }),
  route({
    method: 'put',
    path: '/printer-group-order',
    operationId: 'placePrinterGroups',
    tag,
    summary: 'Reorder printer groups',
    description: 'Numbers the groups from 1 in the given order (`sort_order`).',
    body: PrinterGroupOrder,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Reordered' } },
    async handle({ actor, body }) {
      await printers.placeGroups(actor, body.ids);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/printer-groups',
    operationId: 'createPrinterGroup',
    tag,
    summary: 'Add a printer group',
    body: NewPrinterGroup,
    idempotent: true,
    responses: {
      201: {
        description: 'The new printer group',
        schema: PrinterGroupRecord,
        headers: { Location: 'its URL', ...REPLAYED },
      },
    },
    async handle({ actor, body, idempotency }) {
      const { result, replayed } = await printers.createGroup(actor, body, idempotency);
      const headers = { Location: `/api/v1/printer-groups/${result.id}`, ...whenReplayed(replayed) };
      return { status: 201, body: result, headers };
    },
  }),
  route({
    method: 'put',
    path: '/printer-groups/{id}',
    operationId: 'updatePrinterGroup',
    tag,
    summary: 'Update a printer group',
    description: 'Changes only the fields sent.',
    params: idParams,
    body: PrinterGroupPatch,
    requestHeaders: ifUpdatedAt('group'),
    errors: ['precondition_failed', 'version_conflict'],
    responses: { 200: { description: 'The updated printer group', schema: PrinterGroupRecord } },
    async handle({ actor, params, body, header }) {
      return { status: 200, body: await printers.updateGroup(actor, params.id, body, header('if-match')) };
    },
  }),
  route({
    method: 'delete',
    path: '/printer-groups/{id}',
    operationId: 'deletePrinterGroup',
    tag,
    summary: 'Delete a printer group',
    description: 'Its printers stay but no longer belong to a group.',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    async handle({ actor, params }) {
      await printers.removeGroup(actor, params.id);
      return { status: 204 };
    },
  }),
];
