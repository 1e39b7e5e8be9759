import { LABEL_RESPONSE, LabelQuery, labelReply } from '../http/label.ts';
import { listReply } from '../http/list.ts';
import {
  ALREADY_DEDUCTED,
  created,
  ifUpdatedAt,
  type Route,
  routesOf,
  unlessKnown,
  whenAlreadyDeducted,
} from '../http/route.ts';
import { toETag } from '../shared/etag.ts';
import { toEnvelope, toPage } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import {
  BatchList,
  BatchRecord,
  batchParams,
  ConsumeRequest,
  FilamentList,
  FilamentPageQuery,
  FilamentPatch,
  FilamentQuery,
  FilamentRecord,
  LedgerList,
  LedgerQuery,
  ledgerParams,
  NewBatch,
  NewFilament,
  Stocktake,
  toConsumption,
  toInput,
  UndoRequest,
} from './filament-schema.ts';
import type { FilamentService } from './filament-service.ts';

const { get, post, put, remove } = routesOf('Filaments');

const ETAG = { ETag: 'the `updated_at` of this version in quotes, for If-Match' };

const OLDER_THAN_STOCKTAKE = {
  'X-Svc-Older-Than-Stocktake':
    'when the newest stocktake after the undone entry counted its batch: the undo has changed the stock that was counted then',
};

export const filamentRoutes = (filaments: FilamentService): Route[] => [
  get('/filaments', {
    operationId: 'listFilaments',
    summary: 'List filaments',
    description: 'Newest first. Unknown query parameters are rejected.',
    query: FilamentQuery,
    responses: { 200: { description: 'A page of filaments', schema: FilamentList } },
    handle: async ({ actor, query }) => toEnvelope(await filaments.list(actor.accountId, query, query), query),
  }),
  get('/filaments/{id}', {
    operationId: 'getFilament',
    summary: 'Read a filament',
    params: idParams,
    requestHeaders: { 'If-None-Match': 'an ETag; 304 if the filament is still that version' },
    responses: {
      200: { description: 'The filament', schema: FilamentRecord, headers: ETAG },
      304: { description: 'Not changed', headers: ETAG },
    },
    async reply({ actor, params, header }) {
      const filament = await filaments.get(actor.accountId, params.id);
      return unlessKnown(header('if-none-match'), filament.updated_at, filament);
    },
  }),
  post('/filaments', {
    operationId: 'createFilament',
    summary: 'Create a filament',
    description: 'With a `spool_count` its first batch is received at once.',
    body: NewFilament,
    idempotent: true,
    responses: {
      201: { description: 'The new filament', schema: FilamentRecord, headers: { Location: 'its URL' } },
    },
    reply: async ({ actor, body, idempotency }) =>
      created('filaments', await filaments.create(actor, toInput(body), idempotency)),
  }),
  post('/filaments/{id}/consume', {
    operationId: 'consumeFilament',
    summary: 'Deduct grams',
    description:
      "Oldest batch first, across as many batches as needed. If there isn't enough: 409 `insufficient_stock`, and nothing is deducted. With `allow_overdraw`, everything " +
      'is deducted anyway, the last batch goes negative and is marked for review; without a batch it is refused all the same: add one first. `filament.low_stock` is sent when the ' +
      'remaining grams reach the threshold. `X-Svc-Already-Deducted` says that a print report may have deducted the same print: use one of the two.',
    params: idParams,
    body: ConsumeRequest,
    idempotent: true,
    errors: ['insufficient_stock', 'version_conflict'],
    responses: { 200: { description: 'The updated filament', schema: FilamentRecord, headers: ALREADY_DEDUCTED } },
    async reply({ actor, params, body, idempotency, idempotencyOf }) {
      const { idempotency_key, ...use } = body;
      // a caller that can't set headers sends the key in the body; the header takes precedence
      const request = idempotency ?? (idempotency_key === undefined ? undefined : idempotencyOf(idempotency_key));
      const { result, replayed } = await filaments.consume(actor, params.id, toConsumption(use), request);
      const { already_deducted_grams, ...filament } = result;
      return { status: 200, body: filament, replayed, headers: whenAlreadyDeducted(already_deducted_grams) };
    },
  }),
  get('/filaments/{id}/batches', {
    operationId: 'listFilamentBatches',
    summary: "List a filament's batches, newest first",
    params: idParams,
    query: FilamentPageQuery,
    responses: { 200: { description: 'A page of its batches', schema: BatchList } },
    handle: async ({ actor, params, query }) =>
      toEnvelope(await filaments.batches(actor.accountId, params.id, query), query),
  }),
  post('/filaments/{id}/batches', {
    operationId: 'addFilamentBatch',
    summary: 'Receive spools',
    params: idParams,
    body: NewBatch,
    idempotent: true,
    errors: ['version_conflict'],
    responses: { 201: { description: 'The new batch', schema: BatchRecord, headers: { Location: 'its URL' } } },
    reply: async ({ actor, params, body, idempotency }) =>
      created(`filaments/${params.id}/batches`, await filaments.addBatch(actor, params.id, toInput(body), idempotency)),
  }),
  get('/filaments/{id}/batches/{batch_id}', {
    operationId: 'getFilamentBatch',
    summary: 'Read a batch',
    params: batchParams,
    responses: { 200: { description: 'The batch', schema: BatchRecord } },
    handle: ({ actor, params }) => filaments.batch(actor.accountId, params.id, params.batch_id),
  }),
  get('/filaments/{id}/ledger', {
    operationId: 'getFilamentLedger',
    summary: "List a filament's ledger, newest first",
    params: idParams,
    query: LedgerQuery,
    responses: { 200: { description: 'A page of its ledger', schema: LedgerList } },
    async reply({ actor, params, query }) {
      const page = toPage(query);
      return listReply(await filaments.ledger(actor.accountId, params.id, page), page);
    },
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
    responses: { 200: { description: 'The updated filament', schema: FilamentRecord, headers: ETAG } },
    async reply({ actor, params, body, header }) {
      const filament = await filaments.update(actor, params.id, body, header('if-match'));
      return { status: 200, body: filament, headers: { ETag: toETag(filament.updated_at) } };
    },
  }),
  remove('/filaments/{id}', {
    operationId: 'deleteFilament',
    summary: 'Delete a filament',
    description: 'With its batches and its ledger. Orders keep in their history what was used for them.',
    params: idParams,
    requestHeaders: ifUpdatedAt('filament'),
    errors: ['precondition_failed', 'version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params, header }) => filaments.remove(actor, params.id, header('if-match')),
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
  get('/filaments/{id}/label', {
    operationId: 'getFilamentLabel',
    summary: "Get a filament's label",
    description: 'A QR code of `FILAMENT-<id>`.',
    params: idParams,
    query: LabelQuery,
    responses: { 200: LABEL_RESPONSE },
    async reply({ actor, params, query }) {
      const { id, name, brand, type_name } = await filaments.get(actor.accountId, params.id);
      return labelReply(query.format, `FILAMENT-${id}`, [name, `${brand} ${type_name}`]);
    },
  }),
];
