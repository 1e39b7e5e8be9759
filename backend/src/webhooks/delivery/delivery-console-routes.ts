import { z } from 'zod';
import { EVENT_NAMES } from '../../events/catalog.ts';
import { EXAMPLE_IDS } from '../../http/examples.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { listOf, pageQuery, toEnvelope } from '../../shared/pagination.ts';
import { idParams, uuid } from '../../shared/schemas.ts';
import { ATTEMPT_ERROR_CODES } from './attempt.ts';
import type { EventLogService } from './delivery-log.ts';

const { get } = routesOf('Events');

const TEST_EVENT = `{"event":"webhook.test","occurred_at":"2026-11-22T09:30:00.000Z","data":{"subscription_id":"${EXAMPLE_IDS.subscription}","message":"A test of this webhook channel."}}`;

const eventName = () => z.enum(EVENT_NAMES);

const LogQuery = z.strictObject({ ...pageQuery, event: eventName().optional().describe('only events with this name') });

const LoggedDelivery = z
  .object({
    id: uuid()
      .nullable()
      .describe('as sent in `X-Svc-Delivery`; null until it is sent')
      .meta({ example: EXAMPLE_IDS.delivery }),
    subscription_id: uuid(),
    subscription_name: z.string().meta({ example: 'n8n' }),
    status: z.enum(['pending', 'sending', 'succeeded', 'failed']),
    response_status: z.int().nullable(),
    error: z.enum(ATTEMPT_ERROR_CODES).nullable(),
    attempted_at: z.iso.datetime().nullable(),
    duration_ms: z.int().nullable().meta({ example: 38 }),
    sequence: z.int().nullable().describe('as sent in `X-Svc-Sequence`').meta({ example: 42 }),
  })
  .meta({ id: 'LoggedDelivery' });

const EventLogEntry = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.event }),
    event: eventName().meta({ example: 'webhook.test' }),
    subject: z
      .string()
      .describe('what the event is about, such as `order:<id>`; events about the same subject are sent in order')
      .meta({ example: `order:${EXAMPLE_IDS.order}` }),
    occurred_at: z.iso.datetime(),
    body: z
      .string()
      .describe('the JSON body, byte for byte as signed subscriptions receive it')
      .meta({ example: TEST_EVENT }),
    deliveries: z.array(LoggedDelivery),
  })
  .meta({ id: 'EventLogEntry' });

const SentRequest = z
  .object({
    headers: z
      .record(z.string(), z.string())
      .meta({ example: { 'Content-Type': 'application/json', 'X-Svc-Event': 'webhook.test' } }),
    body: z.string().meta({ example: TEST_EVENT }),
    signature: z
      .enum(['shown', 'unknown', 'none'])
      .describe(
        "`unknown`: the subscription was changed since then, so its secret may differ; `none`: chat formats aren't signed",
      ),
  })
  .meta({ id: 'SentRequest' });

/** Console-only routes: the event log and the request of each attempt. */
export const deliveryConsoleRoutes = (log: EventLogService): Route[] => [
  get('/event-log', {
    operationId: 'listEventLog',
    summary: 'List events of the last 30 days with their deliveries, newest first',
    query: LogQuery,
    responses: { 200: { description: 'A page of events', schema: listOf(EventLogEntry) } },
    handle: async ({ actor, query }) => toEnvelope(await log.list(actor.accountId, query.event, query), query),
  }),
  get('/deliveries/{id}', {
    operationId: 'getSentRequest',
    summary: 'Get the request of an attempt: headers and body',
    params: idParams,
    responses: { 200: { description: 'The request', schema: SentRequest } },
    handle: ({ actor, params }) => log.request(actor.accountId, params.id),
  }),
];
