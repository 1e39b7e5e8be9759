import { z } from 'zod';
import { EVENT_NAMES, EVENTS } from '../../events/catalog.ts';
import type { WebhookDocument } from '../../http/route.ts';

/** Describes the requests of the signed format for the OpenAPI document. */
export const webhookDocuments = (): WebhookDocument[] =>
  EVENT_NAMES.map((event) => ({
    event,
    summary: `Sent when ${EVENTS[event].when}`,
    headers: {
      'X-Svc-Event': 'the event name',
      'X-Svc-Signature':
        "`sha256=` and the hexadecimal HMAC-SHA256 of the raw body, keyed with the subscription's signing secret",
      'X-Svc-Delivery': 'identifies this attempt',
      'X-Svc-Sequence': "the subscription's own event number, without gaps",
    },
    optionalHeaders: {
      'webhook-id': 'Standard Webhooks: identifies the event, the same for every attempt; with a secret in base64',
      'webhook-timestamp': 'Standard Webhooks: the time of the attempt in seconds since 1970',
      'webhook-signature':
        'Standard Webhooks: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; two of them, separated by a space, while a replaced secret is still valid',
      traceparent: 'W3C Trace Context: the trace of the request that caused the event, if that request carried one',
    },
    body: z.object({ event: z.literal(event), occurred_at: z.iso.datetime(), data: EVENTS[event].data }),
  }));
