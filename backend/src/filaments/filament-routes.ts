import { listReply } from '../http/list.ts';
import { ALREADY_DEDUCTED, created, type Route, routesOf, whenAlreadyDeducted } from '../http/route.ts';
import { toEnvelope, toPage } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import {
  BatchList,
  BatchRecord,
  batchParams,
  ConsumeRequest,
  FilamentList,
  FilamentPageQuery,
  FilamentQuery,
  FilamentRecord,
  LedgerList,
  LedgerQuery,
  NewBatch,
  NewFilament,
  toConsumption,
  toInput,
} from './filament-schema.ts';
import type { FilamentService } from './filament-service.ts';

const { get, post } = routesOf('Filaments');
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
    responses: { 200: { description: 'The filament', schema: FilamentRecord } },
    handle: ({ actor, params }) => filaments.get(actor.accountId, params.id),
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
];
