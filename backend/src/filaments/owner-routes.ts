import { REPLAYED, type Route, route, whenReplayed } from '../http/route.ts';
import { idParams } from '../wire.ts';
import type { FilamentOwnerService } from './owner-service.ts';
import { FilamentPatch, FilamentRecord, ledgerParams, StockTake, UndoRequest, Usage, UsageQuery } from './schema.ts';

const tag = 'Filaments';

/** Programs read stock, receive and use it; correcting what was entered or booked is the owner's. */
export const filamentOwnerRoutes = (filaments: FilamentOwnerService): Route[] => [
  route({
    method: 'get',
    path: '/filaments/usage',
    operationId: 'getFilamentUsage',
    tag,
    summary: 'Grams used per day',
    description:
      'By UTC day and filament, without what was undone. The twelve that were used most are told apart, the others are summed up.',
    query: UsageQuery,
    responses: { 200: { description: 'What was used, most used first', schema: Usage } },
    async handle({ actor, query }) {
      return {
        status: 200,
        body: await filaments.usage(actor.accountId, Number(query.days), query.filament_id),
      };
    },
  }),
  route({
    method: 'put',
    path: '/filaments/{id}',
    operationId: 'updateFilament',
    tag,
    summary: 'Change fields of a filament',
    description:
      'Writes the fields that are sent and leaves the others. A threshold raised to what remains, or above, sends `filament.low_stock`.',
    params: idParams,
    body: FilamentPatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated filament', schema: FilamentRecord } },
    async handle({ actor, params, body }) {
      return { status: 200, body: await filaments.update(actor, params.id, body) };
    },
  }),
  route({
    method: 'delete',
    path: '/filaments/{id}',
    operationId: 'deleteFilament',
    tag,
    summary: 'Delete a filament',
    description: 'With its batches and its ledger. Orders keep in their history what was used for them.',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    async handle({ actor, params }) {
      await filaments.remove(actor, params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/filaments/{id}/ledger/{entry_id}/undo',
    operationId: 'undoFilamentLedgerEntry',
    tag,
    summary: 'Undo a line of the ledger',
    description:
      'Books its opposite into the same batch, and that of all lines booked with it. A line is undone once; a receipt only while nothing of its ' +
      'batch is used. An order it was booked for gets its counter entry.',
    params: ledgerParams,
    body: UndoRequest,
    idempotent: true,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated filament', schema: FilamentRecord, headers: REPLAYED } },
    async handle({ actor, params, body, idempotency }) {
      const { result, replayed } = await filaments.undo(actor, params.id, params.entry_id, body, idempotency);
      return { status: 200, body: result, headers: whenReplayed(replayed) };
    },
  }),
  route({
    method: 'post',
    path: '/filaments/{id}/stock-take',
    operationId: 'takeStockOfFilament',
    tag,
    summary: 'Book what was weighed or counted',
    description:
      'The difference is booked as adjustments: what is missing is taken from the oldest batch on, what was found goes back to the batch used ' +
      'last and those before it, never above what they held. No batch is in the red afterwards.',
    params: idParams,
    body: StockTake,
    idempotent: true,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated filament', schema: FilamentRecord, headers: REPLAYED } },
    async handle({ actor, params, body, idempotency }) {
      const { result, replayed } = await filaments.stockTake(actor, params.id, body, idempotency);
      return { status: 200, body: result, headers: whenReplayed(replayed) };
    },
  }),
];
