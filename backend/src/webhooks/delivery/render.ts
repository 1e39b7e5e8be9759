import type { Delivery, Subscription } from '../formats/format.ts';
import { FORMATS, type SubscriptionFormat } from '../formats/formats.ts';
import type { MessageContext } from '../formats/message.ts';

export interface RenderedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Renders the complete request of a delivery. */
export function render(
  subscription: Subscription & { format: SubscriptionFormat },
  delivery: Delivery & { sequence: number },
  context: MessageContext = {},
): RenderedRequest {
  const { url, headers, body } = FORMATS[subscription.format].render(subscription, delivery, context);
  return {
    url,
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Farmboard',
      'X-Svc-Event': delivery.event,
      'X-Svc-Delivery': delivery.id,
      'X-Svc-Sequence': String(delivery.sequence),
      ...headers,
    },
  };
}
