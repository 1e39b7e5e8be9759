import { toHeaderValue } from '../http/header.ts';
import { LABEL_RESPONSE, LabelQuery, labelReply } from '../http/label.ts';
import { listReply } from '../http/list.ts';
import { type Route, type RouteRequest, routesOf, unlessKnown } from '../http/route.ts';
import { toETag } from '../shared/etag.ts';
import { toPage } from '../shared/pagination.ts';
import { OrderRecord } from './order-fields.ts';
import {
  ExternalOrder,
  externalParams,
  HistoryList,
  HistoryQuery,
  NewOrder,
  OrderList,
  OrderPatch,
  OrderQuery,
  orderParams,
  StatusChange,
  StatusResults,
  toFilter,
} from './order-schema.ts';
import type { OrderService } from './order-service.ts';

const { get, post, put, remove } = routesOf('Orders');
const ETAG = { ETag: 'identifies this version of the order, for If-Match' };
const IF_MATCH = { 'If-Match': 'the ETag of the version you are changing; 412 if the order has changed since' };

/** `Prefer: handling=strict` (RFC 7240), alone or among other preferences. */
const prefersStrict = (request: Pick<RouteRequest<unknown, unknown, unknown>, 'header'>): boolean =>
  (request.header('prefer') ?? '')
    .split(',')
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference));

const urlOf = (id: string): string => `/api/v1/print-jobs/${id}`;

export const orderRoutes = (orders: OrderService): Route[] => [
  get('/print-jobs/{id}', {
    operationId: 'getOrder',
    summary: 'Read an order',
    params: orderParams,
    requestHeaders: { 'If-None-Match': 'an ETag; 304 if the order is still that version' },
    responses: {
      200: { description: 'The order', schema: OrderRecord, headers: ETAG },
      304: { description: 'Not changed', headers: ETAG },
    },
    async reply({ actor, params, header }) {
      const { order, version } = await orders.get(actor.accountId, params.id);
      return unlessKnown(header('if-none-match'), version, order);
    },
  }),
  get('/print-jobs', {
    operationId: 'listOrders',
    summary: 'List orders',
    description:
      'Newest first. `closed` orders are hidden unless `workflow_status=closed` or `include_closed=true`. Unknown query parameters are rejected.',
    query: OrderQuery,
    responses: { 200: { description: 'A page of orders', schema: OrderList } },
    async reply({ actor, query }) {
      const page = toPage(query);
      return listReply(await orders.list(actor.accountId, toFilter(query), page), page);
    },
  }),
  post('/print-jobs', {
    operationId: 'createOrder',
    summary: 'Create an order',
    description:
      'Sends `order.created`. Read-only and unknown fields are ignored and listed in `X-Svc-Ignored-Fields`.',
    body: NewOrder,
    idempotent: true,
    errors: ['validation_error', 'external_id_in_use'],
    responses: {
      201: { description: 'The new order', schema: OrderRecord, headers: { ...ETAG, Location: 'its URL' } },
    },
    async reply({ actor, body, idempotency }) {
      const { result, replayed } = await orders.create(actor, body, idempotency);
      return {
        status: 201,
        body: result.order,
        replayed,
        headers: { Location: urlOf(result.order.id), ETag: toETag(result.version) },
      };
    },
  }),
  post('/print-jobs/status', {
    operationId: 'setOrderStatuses',
    summary: 'Set the status of several orders',
    description:
      'Each order is changed as if it were sent alone, with its own `order.status_changed`; one that is refused is named in its result and does not affect the others. An unknown `workflow_status` is an error (422) and changes nothing.',
    body: StatusChange,
    idempotent: true,
    errors: ['version_conflict'],
    responses: { 200: { description: 'A result for each ID, in the order sent', schema: StatusResults } },
    handle: ({ actor, body, idempotency }) => orders.setStatuses(actor, body, idempotency),
  }),
  get('/print-jobs/by-external-id/{source}/{external_id}', {
    operationId: 'getOrderByExternalId',
    summary: 'Read an order by its ID in another system',
    params: externalParams,
    responses: { 200: { description: 'The order', schema: OrderRecord, headers: ETAG } },
    async reply({ actor, params }) {
      const { order, version } = await orders.getByExternalId(actor.accountId, params);
      return { status: 200, body: order, headers: { ETag: toETag(version) } };
    },
  }),
  put('/print-jobs/by-external-id/{source}/{external_id}', {
    operationId: 'putOrderByExternalId',
    summary: 'Create an order by its ID in another system, or update it',
    description:
      'Exactly one order for each `source` and `external_id`, however often and in whatever order it is sent: creates it ' +
      '(sends `order.created`), or changes the fields sent, never its `workflow_status`. An `external_updated_at` ' +
      'before the stored one changes nothing: the response is 200 with `X-Svc-Stale`.',
    params: externalParams,
    body: ExternalOrder,
    errors: ['validation_error'],
    responses: {
      200: {
        description: 'The updated order',
        schema: OrderRecord,
        headers: { ...ETAG, 'X-Svc-Stale': '`1` when nothing was written because a newer state is stored' },
      },
      201: { description: 'The new order', schema: OrderRecord, headers: { ...ETAG, Location: 'its URL' } },
    },
    async reply({ actor, params, body }) {
      const { order, version, outcome } = await orders.putByExternalId(actor, params, body);
      const headers = { ETag: toETag(version) };
      if (outcome === 'created')
        return { status: 201, body: order, headers: { ...headers, Location: urlOf(order.id) } };
      return { status: 200, body: order, headers: { ...headers, ...(outcome === 'stale' && { 'X-Svc-Stale': '1' }) } };
    },
  }),
  put('/print-jobs/{id}', {
    operationId: 'updateOrder',
    summary: 'Update an order',
    description:
      'Changes only the fields sent. An unknown `workflow_status` resets the order to `negotiation` without an error; ' +
      'the response then contains `X-Svc-Status-Reset`. `order.status_changed` is sent if the stored status changed.',
    params: orderParams,
    body: OrderPatch,
    requestHeaders: {
      ...IF_MATCH,
      Prefer: '`handling=strict`: an unknown `workflow_status` is rejected with 422 and nothing is changed',
    },
    errors: ['precondition_failed', 'unknown_workflow_status', 'version_conflict'],
    responses: {
      200: {
        description: 'The updated order',
        schema: OrderRecord,
        headers: {
          ...ETAG,
          'X-Svc-Status-Reset':
            'the received status, percent-encoded and cut at 64 characters, when it reset the order',
          'Preference-Applied': '`handling=strict` when it was asked for',
        },
      },
    },
    async reply(request) {
      const strict = prefersStrict(request);
      const { order, version, resetReceived } = await orders.update(request.actor, request.params.id, request.body, {
        strict,
        ifMatch: request.header('if-match'),
      });
      return {
        status: 200,
        body: order,
        headers: {
          ETag: toETag(version),
          ...(resetReceived === undefined ? {} : { 'X-Svc-Status-Reset': toHeaderValue(resetReceived) }),
          ...(strict ? { 'Preference-Applied': 'handling=strict' } : {}),
        },
      };
    },
  }),
  remove('/print-jobs/{id}', {
    operationId: 'deleteOrder',
    summary: 'Delete an order and its history',
    params: orderParams,
    requestHeaders: IF_MATCH,
    errors: ['precondition_failed', 'version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params, header }) => orders.remove(actor, params.id, header('if-match')),
  }),
  get('/print-jobs/{id}/history', {
    operationId: 'getOrderHistory',
    summary: "List an order's history, newest first",
    params: orderParams,
    query: HistoryQuery,
    responses: { 200: { description: 'A page of its history', schema: HistoryList } },
    async reply({ actor, params, query }) {
      const page = toPage(query);
      return listReply(await orders.history(actor.accountId, params.id, page), page);
    },
  }),
  get('/print-jobs/{id}/label', {
    operationId: 'getOrderLabel',
    summary: "Get an order's label",
    description:
      "A QR code of `ORDER-<id>`, as on the labels that the console prints. A scanner's text can stand for the ID in paths.",
    params: orderParams,
    query: LabelQuery,
    responses: { 200: LABEL_RESPONSE },
    async reply({ actor, params, query }) {
      const { order } = await orders.get(actor.accountId, params.id);
      const facts = `${order.quantity_pieces} × ${order.material_name}`;
      return labelReply(query.format, `ORDER-${order.id}`, [order.model_name, facts, order.due_date]);
    },
  }),
];
