import { listReply } from '../../http/list.ts';
import { ifUpdatedAt, type Route, routesOf } from '../../http/route.ts';
import { toEnvelope, toPage } from '../../shared/pagination.ts';
import { idParams } from '../../shared/schemas.ts';
import { HISTORY_LENGTH } from './subscription.ts';
import {
  AttemptList,
  AttemptRecord,
  CreatedSubscription,
  deliveryParams,
  NewSecret,
  NewSubscription,
  NoQuery,
  RecreatedSubscription,
  SequencedList,
  SequenceQuery,
  SubscriptionList,
  SubscriptionPatch,
  SubscriptionQuery,
  SubscriptionRecord,
  UpdatedSubscription,
} from './subscription-schema.ts';
import type { WebhookService } from './subscription-service.ts';

const { get, post, put, remove } = routesOf('Webhooks');
export const webhookRoutes = (webhooks: WebhookService): Route[] => [
  get('/webhook-subscriptions', {
    operationId: 'listWebhookSubscriptions',
    summary: 'List webhook subscriptions, without secrets',
    query: SubscriptionQuery,
    responses: { 200: { description: 'The subscriptions, newest first', schema: SubscriptionList } },
    handle: async ({ actor, query }) => toEnvelope(await webhooks.list(actor.accountId, query), query),
  }),
  post('/webhook-subscriptions', {
    operationId: 'createWebhookSubscription',
    summary: 'Create a webhook subscription',
    description:
      "For a signed subscription, the response contains its `secret`, only once; repeating the request with the same Idempotency-Key doesn't return it again. An account can have up to 10 subscriptions. With the `client_key` of a subscription that was deleted in the last 30 days, that subscription is continued: it has the same ID and a new secret, its sequence goes on, and the events it missed are in it as failed deliveries (`unsubscribed`). The key of a subscription that exists is an error, with its `id`.",
    body: NewSubscription,
    idempotent: true,
    errors: ['unknown_event', 'blocked_address', 'channel_limit_reached', 'client_key_in_use', 'password_required'],
    responses: {
      201: {
        description: 'The new subscription',
        schema: CreatedSubscription,
        headers: { Location: 'its URL', 'Cache-Control': 'no-store' },
      },
    },
    async reply({ actor, body, idempotency }) {
      const { result, replayed } = await webhooks.create(actor, body, idempotency);
      const headers = { Location: `/api/v1/webhook-subscriptions/${result.id}`, 'Cache-Control': 'no-store' };
      return { status: 201, body: result, replayed, headers };
    },
  }),
  get('/webhook-subscriptions/{id}', {
    operationId: 'getWebhookSubscription',
    summary: 'Read a webhook subscription, without its secret',
    params: idParams,
    responses: { 200: { description: 'The subscription', schema: SubscriptionRecord } },
    handle: ({ actor, params }) => webhooks.get(actor.accountId, params.id),
  }),
  put('/webhook-subscriptions/{id}', {
    operationId: 'updateWebhookSubscription',
    summary: 'Update a webhook subscription',
    description:
      'Disabling a subscription discards its pending deliveries (`channel_disabled`). Enabling it again ends a pause, and the response names the first event that was missed.',
    params: idParams,
    body: SubscriptionPatch,
    requestHeaders: ifUpdatedAt('subscription'),
    errors: ['unknown_event', 'blocked_address', 'precondition_failed', 'version_conflict', 'password_required'],
    responses: { 200: { description: 'The updated subscription', schema: UpdatedSubscription } },
    handle: ({ actor, params, body, header }) => webhooks.update(actor, params.id, body, header('if-match')),
  }),
  remove('/webhook-subscriptions/{id}', {
    operationId: 'deleteWebhookSubscription',
    summary: 'Delete a webhook subscription and its history',
    description: 'The history of a subscription with a `client_key` is kept for 30 days, in case it is created again.',
    params: idParams,
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params }) => webhooks.remove(actor, params.id),
  }),
  post('/webhook-subscriptions/{id}/secret', {
    operationId: 'recreateWebhookSecret',
    summary: 'Replace the signing secret',
    description:
      'The response contains the new secret, only once. The old one stops working immediately, or after `overlap_hours`. While both are valid, `X-Svc-Signature` is made with the old one and `webhook-signature` lists both; replacing the secret again ends the older one.',
    params: idParams,
    body: NewSecret,
    optionalBody: true,
    idempotent: true,
    errors: ['validation_error', 'password_required'],
    responses: {
      200: {
        description: 'The subscription with its new secret',
        schema: RecreatedSubscription,
        headers: { 'Cache-Control': 'no-store' },
      },
    },
    async reply({ actor, params, body, idempotency }) {
      const { result, replayed } = await webhooks.recreateSecret(actor, params.id, body, idempotency);
      return { status: 200, body: result, replayed, headers: { 'Cache-Control': 'no-store' } };
    },
  }),
  post('/webhook-subscriptions/{id}/test', {
    operationId: 'testWebhookSubscription',
    summary: 'Send a test event',
    description:
      "Sends `webhook.test` and returns the attempt, even if the receiver failed: check its `status`. Orders aren't affected.",
    params: idParams,
    idempotent: true,
    responses: { 200: { description: 'The attempt', schema: AttemptRecord } },
    handle: ({ actor, params, idempotency }) => webhooks.sendTest(actor, params.id, idempotency),
  }),
  get('/webhook-subscriptions/{id}/deliveries', {
    operationId: 'listWebhookDeliveries',
    summary: 'List the last 20 attempts, newest first',
    description: 'There is only one page.',
    params: idParams,
    query: NoQuery,
    responses: { 200: { description: 'The attempts', schema: AttemptList } },
    async handle({ actor, params }) {
      const items = await webhooks.attempts(actor.accountId, params.id);
      return { items, total: items.length, page: 1, per_page: HISTORY_LENGTH };
    },
  }),
  post('/webhook-subscriptions/{id}/deliveries/{delivery_id}/resend', {
    operationId: 'resendWebhookDelivery',
    summary: 'Resend the event of an attempt',
    description: 'Creates a new attempt. Nothing is retried automatically.',
    params: deliveryParams,
    idempotent: true,
    responses: { 200: { description: 'The new attempt', schema: AttemptRecord } },
    handle: ({ actor, params, idempotency }) => webhooks.resend(actor, params.id, params.delivery_id, idempotency),
  }),
  get('/webhook-subscriptions/{id}/events', {
    operationId: 'listWebhookSequence',
    summary: "List a subscription's events after a sequence number, in order, with bodies",
    description: 'For receivers that notice a gap in X-Svc-Sequence. Kept for 30 days.',
    params: idParams,
    query: SequenceQuery,
    responses: { 200: { description: 'The events', schema: SequencedList } },
    async reply({ actor, params, query }) {
      const { after, event, missed, occurred_since: since } = query;
      const occurredSince = since === undefined ? undefined : Date.parse(since);
      const page = toPage(query);
      const filter = { ...page, event, missed, after, occurredSince };
      return listReply(await webhooks.eventsAfter(actor.accountId, params.id, filter), page);
    },
  }),
];
