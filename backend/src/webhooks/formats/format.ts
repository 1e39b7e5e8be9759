import type { EventName } from '../../events/catalog.ts';
import type { MessageContext } from './message.ts';

export interface Subscription {
  url: string;
  /** null for chat formats, whose URL is the secret */
  secret: string | null;
  /** the secret before this one, while both are valid */
  previousSecret?: string | null;
}

export interface Delivery {
  id: string;
  /** of the event: the same for every attempt */
  event_id: string;
  event: EventName;
  /** the stored JSON envelope, byte for byte */
  body: string;
  /** of the request that caused the event */
  traceparent: string | null;
  /** ms */
  attempted_at: number;
}

/** A format of subscriptions: our signed envelope, or the body of a chat service's incoming webhook. */
export interface Format {
  /** the subscription has a secret that its requests are signed with; otherwise the path of its URL is the secret */
  isSigned: boolean;
  render(
    subscription: Subscription,
    delivery: Delivery,
    context: MessageContext,
  ): { url: string; headers?: Record<string, string>; body: string };
}
