import { z } from 'zod';
import { EVENT_NAMES, EVENTS, SELECTABLE_EVENTS } from '../../events/catalog.ts';
import { EXAMPLE_IDS } from '../../http/examples.ts';
import { numberCursor } from '../../shared/cursor.ts';
import { listOf, pageQuery } from '../../shared/pagination.ts';
import { flag, text, timestamp, uuid, wholeNumber, wholeNumberText } from '../../shared/schemas.ts';
import { ATTEMPT_ERROR_CODES } from '../delivery/attempt.ts';
import { SUBSCRIPTION_FORMATS } from '../formats/formats.ts';
import { SubscriptionFilter, Warnings } from './filter.ts';
import { NewHeader, ShownHeader } from './header.ts';
import { MAX_OVERLAP_HOURS, MAX_PAUSE_AFTER } from './subscription.ts';

/** The service checks names against the catalog, because unknown names have their own error code. */
const events = () =>
  z
    .array(z.string().meta({ enum: SELECTABLE_EVENTS }))
    .min(1)
    .max(100);

const url = () => text(2048, 1).describe('an http or https URL without user name and password');

const pauseAfterFailures = wholeNumber(1, MAX_PAUSE_AFTER)
  .nullable()
  .describe(
    'disables the subscription when so many attempts have failed in a row, until it is enabled again; null: it stays enabled',
  )
  .meta({ example: null });

export const NewSubscription = z
  .object({
    url: url(),
    events: events(),
    format: z.enum(SUBSCRIPTION_FORMATS).default('signed'),
    name: text(100).optional().describe('default: the host name of the URL'),
    enabled: z.boolean().default(true),
    filter: SubscriptionFilter.optional(),
    pause_after_failures: pauseAfterFailures.optional(),
    header: NewHeader.optional(),
    client_key: text(200, 1)
      .optional()
      .describe(
        'a key of your choice, unique in the account; creating a subscription with the key of one deleted less than 30 days ago continues that subscription',
      ),
  })
  .meta({
    id: 'NewWebhookSubscription',
    examples: [
      { url: 'http://127.0.0.1:8000/', events: ['order.created', 'order.status_changed'], name: 'My receiver' },
    ],
  });
export type NewSubscription = z.output<typeof NewSubscription>;

export const SubscriptionPatch = z
  .object({
    events: events(),
    url: url(),
    name: text(100),
    enabled: z.boolean(),
    filter: SubscriptionFilter,
    pause_after_failures: pauseAfterFailures,
    header: NewHeader,
  })
  .partial()
  .meta({
    id: 'WebhookSubscriptionPatch',
    examples: [{ events: ['order.status_changed', 'filament.low_stock'] }],
    description: 'Only the fields to change.',
  });
export type SubscriptionPatch = z.output<typeof SubscriptionPatch>;

const subscriptionFields = {
  id: uuid().meta({ example: EXAMPLE_IDS.subscription }),
  name: z.string().meta({ example: 'n8n' }),
  url: z.string().describe('for chat formats only the host, because the path is a secret'),
  format: z.enum(SUBSCRIPTION_FORMATS),
  events: z.array(z.enum(SELECTABLE_EVENTS)).meta({ example: ['order.created', 'order.status_changed'] }),
  enabled: z.boolean(),
  filter: SubscriptionFilter,
  header: ShownHeader,
  client_key: z
    .string()
    .optional()
    .describe('as set when the subscription was created; absent if none was set')
    .meta({ example: 'n8n:5d41402a/Wq3k9dX/0f1e2d3c' }),
  health: z.enum(['ok', 'failing']).describe('`failing`: the last attempt failed'),
  consecutive_failures: z
    .int()
    .describe('number of failed attempts since the last successful one')
    .meta({ example: 0 }),
  last_success_at: z.iso.datetime().nullable(),
  last_error: z
    .enum(ATTEMPT_ERROR_CODES)
    .nullable()
    .describe('the reason why the last attempt failed; null if it succeeded')
    .meta({ example: null }),
  pause_after_failures: pauseAfterFailures,
  paused_at: z.iso
    .datetime()
    .nullable()
    .describe('since when the subscription is disabled because of `pause_after_failures`; null if it is not')
    .meta({ example: null }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const SubscriptionRecord = z.object(subscriptionFields).meta({ id: 'WebhookSubscription' });
/** Without its secret, and with only the host of a chat URL, which is itself a secret. */
export type Subscription = z.output<typeof SubscriptionRecord>;

export const UpdatedSubscription = SubscriptionRecord.extend({
  warnings: Warnings,
  first_missed_event: z
    .object({
      id: uuid().meta({ example: EXAMPLE_IDS.event }),
      event: z.enum(SELECTABLE_EVENTS),
      occurred_at: z.iso.datetime(),
    })
    .nullable()
    .optional()
    .describe(
      'only if this change has enabled the subscription: the first event that was not sent while it was disabled, for `from` of `GET /events`; null if there is none',
    ),
}).meta({ id: 'UpdatedWebhookSubscription' });
export type UpdatedSubscription = z.output<typeof UpdatedSubscription>;

export const CreatedSubscription = z
  .object({
    ...subscriptionFields,
    warnings: Warnings,
    secret: z
      .string()
      .optional()
      .describe('the signing secret (HMAC key) of a signed subscription; in this response only')
      .meta({ example: 'whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU=' }),
  })
  .meta({ id: 'CreatedWebhookSubscription' });

export const NewSecret = z
  .object({
    overlap_hours: wholeNumber(0, MAX_OVERLAP_HOURS)
      .default(0)
      .describe(
        'how long the old secret stays valid: `X-Svc-Signature` is made with the old one, and `webhook-signature` lists both',
      ),
  })
  .meta({ id: 'NewWebhookSecret', examples: [{ overlap_hours: 24 }] });
export type NewSecret = z.output<typeof NewSecret>;

export const RecreatedSubscription = CreatedSubscription.extend({
  previous_secret_valid_until: z.iso
    .datetime()
    .optional()
    .describe('until when the old secret is valid; absent if it is not any more'),
}).meta({ id: 'RecreatedWebhookSubscription' });

export const SubscriptionList = listOf(SubscriptionRecord);
export const SubscriptionQuery = z.strictObject(pageQuery);

export const AttemptRecord = z
  .object({
    id: uuid().describe('as sent in `X-Svc-Delivery`').meta({ example: EXAMPLE_IDS.delivery }),
    event: z.enum(EVENT_NAMES).meta({ example: 'order.status_changed' }),
    status: z.enum(['succeeded', 'failed']),
    response_status: z.int().nullable(),
    error: z.enum(ATTEMPT_ERROR_CODES).nullable(),
    attempted_at: z.iso.datetime(),
    duration_ms: z.int().meta({ example: 38 }),
    sequence: z.int().describe('as sent in `X-Svc-Sequence`').meta({ example: 42 }),
  })
  .meta({ id: 'DeliveryAttempt' });
/** One finished attempt of a subscription. */
export type Attempt = z.output<typeof AttemptRecord>;

/** For lists that always fit one page: a client that requests a second page gets an error. */
export const NoQuery = z.strictObject({});

export const AttemptList = listOf(AttemptRecord);

export const deliveryParams = z.object({ id: uuid(), delivery_id: uuid().meta({ example: EXAMPLE_IDS.delivery }) });

export const SequenceQuery = z.strictObject({
  ...pageQuery,
  cursor: numberCursor(),
  after: wholeNumberText(0, 999_999_999_999_999, 'must be a whole number, the last X-Svc-Sequence you have')
    .default(0)
    .describe('the last `X-Svc-Sequence` that you have processed')
    .meta({ example: 41 }),
  event: z.enum(EVENT_NAMES).optional().describe('only events with this name'),
  occurred_since: timestamp().optional().describe('only events that occurred at or after this time'),
  missed: flag()
    .default(false)
    .describe('only events that were never delivered, each once, with its last attempt, which can be sent again'),
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
      sequence: z.int().meta({ example: 42 }),
      delivery_id: uuid().meta({ example: EXAMPLE_IDS.delivery }),
      status: z.enum(['sending', 'succeeded', 'failed']).meta({ example: 'succeeded' }),
      error: z.enum(ATTEMPT_ERROR_CODES).nullable(),
      event: Envelope,
    })
    .meta({ id: 'SequencedEvent' }),
);
