import { ifUpdatedAt, type Route, routesOf } from '../http/route.ts';
import { idParams } from '../shared/schemas.ts';
import {
  FilamentPatch,
  FilamentRecord,
  ledgerParams,
  Stocktake,
  UndoRequest,
  Usage,
  UsageQuery,
} from './filament-schema.ts';
import type { FilamentService } from './filament-service.ts';

const { get, post, put, remove } = routesOf('Filaments');

const OLDER_THAN_STOCKTAKE = {
  'X-Svc-Older-Than-Stocktake':
    'when the newest stocktake after the undone entry counted its batch: the undo has changed the stock that was counted then',
};

/** Console routes for correcting stock. Programs can only read, receive and consume it. */
export const filamentConsoleRoutes = (filaments: FilamentService): Route[] => [
  get('/filaments/usage', {
    operationId: 'getFilamentUsage',
    summary: 'Grams used per day',
    description:
      'By UTC day and filament, excluding undone entries. The twelve most used filaments are listed, all others are summed up.',
    query: UsageQuery,
    responses: { 200: { description: 'Usage, most used first', schema: Usage } },
    handle: ({ actor, query }) => filaments.usage(actor.accountId, query.days, query.filament_id),
  }),
  put('/filaments/{id}', {
    operationId: 'updateFilament',
    summary: 'Update a filament',
    description:
      'Changes only the fields sent. `spool_weight_grams` can be corrected until grams are deducted or counted, and again once all of that is undone. Raising the threshold to the remaining grams or more sends `filament.low_stock`.',
    params: idParams,
    body: FilamentPatch,
    requestHeaders: ifUpdatedAt('filament'),
    errors: ['precondition_failed', 'version_conflict'],
    responses: { 200: { description: 'The updated filament', schema: FilamentRecord } },
    handle: ({ actor, params, body, header }) => filaments.update(actor, params.id, body, header('if-match')),
  }),
  remove('/filaments/{id}', {
    operationId: 'deleteFilament',
    summary: 'Delete a filament',
    description: 'With its batches and its ledger. Orders keep in their history what was used for them.',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params }) => filaments.remove(actor, params.id),
  }),
  post('/filaments/{id}/ledger/{entry_id}/undo', {
    operationId: 'undoFilamentLedgerEntry',
    summary: 'Undo a ledger entry',
    description:
      'Adds the opposite entry to the same batch, and to the batches of all entries made with it. An entry can be undone once, a receipt only while none of its ' +
      "batch has been used. If it belonged to an order, the order's history gets the reversal. An entry that is older than a stocktake (`later_stocktake` in the ledger) can be undone, too, " +
      'but changes the stock that was counted.',
    params: ledgerParams,
    body: UndoRequest,
    idempotent: true,
    errors: ['version_conflict'],
    responses: {
      200: { description: 'The updated filament', schema: FilamentRecord, headers: OLDER_THAN_STOCKTAKE },
    },
    async reply({ actor, params, body, idempotency }) {
      const { result, replayed } = await filaments.undo(actor, params.id, params.entry_id, body, idempotency);
      const { older_than_stocktake: countedAt, ...filament } = result;
      const older: Record<string, string> = countedAt === undefined ? {} : { 'X-Svc-Older-Than-Stocktake': countedAt };
      return { status: 200, body: filament, replayed, headers: older };
    },
  }),
  post('/filaments/{id}/stocktake', {
    operationId: 'takeStockOfFilament',
    summary: 'Enter a stocktake',
    description:
      'The difference is recorded as adjustments: missing grams are deducted from the oldest batch first, surplus grams are returned to the batch used ' +
      'last and those before it. Full spools may hold up to 10 % more than their labels say: `used_grams` is then negative. Afterwards, no batch is overdrawn. A count that matches is ' +
      'recorded, too, as an adjustment of 0 g.',
    params: idParams,
    body: Stocktake,
    idempotent: true,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated filament', schema: FilamentRecord } },
    handle: ({ actor, params, body, idempotency }) => filaments.stocktake(actor, params.id, body, idempotency),
  }),
];
