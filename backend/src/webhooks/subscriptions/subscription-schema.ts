import { z } from 'zod';
import { EVENT_NAMES, EVENTS, SELECTABLE_EVENTS } from '../../events/catalogue.ts';
import { numberCursor } from '../../shared/cursor.ts';
import { flag, listOf, pageQuery, text, timestamp, uuid, wholeNumberText } from '../../shared/schemas.ts';
import { ATTEMPT_ERRORS, type AttemptError, CHANNEL_FORMATS } from '../delivery/attempt.ts';
import type { Attempt, Subscription } from './subscription.ts';

/** The service checks names against the catalog, because unknown names have their own error code. */
const events = () =>
  z
    .array(z.string().meta({ enum: SELECTABLE_EVENTS }))
    .min(1)
    .max(100);

const url = () => text(2048, 1).describe('http or https, without user name and password');

export const NewSubscription = z
  .object({
    url: url(),
    events: events(),
    format: z.enum(CHANNEL_FORMATS).default('signed'),
    name: text(100).optional().describe('default: the host of the URL'),
    enabled: z.boolean().default(true),
    client_key: text(200, 1)
      .optional()
      .describe(
        'your own name for the channel, unique in the account: creating it again within 30 days of its deletion continues it',
      ),
  })
  .meta({
    id: 'NewWebhookSubscription',
    examples: [
      { url: 'http://127.0.0.1:8000/', events: ['order.created', 'order.status_changed'], name: 'My receiver' },
    ],
  });

export const SubscriptionPatch = z
  .object({ events: events(), url: url(), name: text(100), enabled: z.boolean() })
  .partial()
  .meta({
    id: 'WebhookSubscriptionPatch',
    examples: [{ events: ['order.status_changed', 'filament.low_stock'] }],
    description: 'Only the fields to change.',
  });

const subscriptionFields = {
  id: uuid(),
  name: z.string(),
  url: z.string().describe('of a chat format only the host: its path is a secret'),
  format: z.enum(CHANNEL_FORMATS),
  events: z.array(z.enum(SELECTABLE_EVENTS as [string, ...string[]])),
  enabled: z.boolean(),
  client_key: z.string().optional().describe('as chosen when it was created; absent if none was'),
  health: z.enum(['ok', 'failing']).describe('failing: the last attempt failed'),
  consecutive_failures: z.int().describe('failed attempts since the last one that succeeded'),
  last_success_at: z.iso.datetime().nullable(),
  last_error: z
    .enum(Object.keys(ATTEMPT_ERRORS) as [AttemptError, ...AttemptError[]])
    .nullable()
    .describe('why the last attempt failed; null if it succeeded'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const SubscriptionRecord = z.object(subscriptionFields).meta({ id: 'WebhookSubscription' }) satisfies z.ZodType<
  Omit<Subscription, 'events'>
>;

export const CreatedSubscription = z
  .object({
    ...subscriptionFields,
    secret: z.string().optional().describe('the HMAC key of a signed channel: in this answer and never again'),
  })
  .meta({ id: 'CreatedWebhookSubscription' });

export const SubscriptionList = listOf(SubscriptionRecord);
export const SubscriptionQuery = z.strictObject(pageQuery);

export const AttemptRecord = z
  .object({
    id: uuid().describe('as sent in X-Svc-Delivery'),
    event: z.enum(EVENT_NAMES as [string, ...string[]]),
    status: z.enum(['succeeded', 'failed']),
    response_status: z.int().nullable(),
    error: z.enum(Object.keys(ATTEMPT_ERRORS) as [AttemptError, ...AttemptError[]]).nullable(),
    attempted_at: z.iso.datetime(),
    duration_ms: z.int(),
    sequence: z.int().describe('as sent in X-Svc-Sequence'),
  })
  .meta({ id: 'DeliveryAttempt' }) satisfies z.ZodType<Omit<Attempt, 'event'>>;

/** For lists that always fit one page: a client that requests a second page gets an error. */
export const NoQuery = z.strictObject({});

export const AttemptList = listOf(AttemptRecord);

export const deliveryParams = z.object({ id: uuid(), delivery_id: uuid() });

export const SequenceQuery = z.strictObject({
  ...pageQuery,
  cursor: numberCursor(),
  after: wholeNumberText(0, 999_999_999_999_999, 'must be a whole number, the last X-Svc-Sequence you have')
    .default(0)
    .describe('the last X-Svc-Sequence you have'),
  event: z
    .enum(EVENT_NAMES as [string, ...string[]])
    .optional()
    .describe('only events of this name'),
  occurred_since: timestamp().optional().describe('only events that occurred at this time or later'),
  missed: flag()
    .default(false)
    .describe('only events that never arrived: each once, with its last attempt, for which it can be sent again'),
});

/** The envelope of every event with its own `data`, as sent, signed and stored. */
const Envelope = z
  .discriminatedUnion(
    'event',
    EVENT_NAMES.map((event) =>
      z.object({ event: z.literal(event), occurred_at: z.iso.datetime(), data: EVENTS[event].data }),
    ) as never,
  )
  .meta({ id: 'EventEnvelope' });

export const SequencedList = listOf(
  z
    .object({
      sequence: z.int(),
      delivery_id: uuid(),
      status: z.enum(['sending', 'succeeded', 'failed']),
      error: z.enum(Object.keys(ATTEMPT_ERRORS) as [AttemptError, ...AttemptError[]]).nullable(),
      event: Envelope,
    })
    .meta({ id: 'SequencedEvent' }),
);
