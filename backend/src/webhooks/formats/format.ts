import type { EventName } from '../../events/catalogue.ts';
import type { MessageContext } from './message.ts';

export interface Channel {
  url: string;
  /** null for chat formats, whose URL is the secret */
  secret: string | null;
}

export interface Delivery {
  id: string;
  event: EventName;
  /** the stored JSON envelope, byte for byte */
  body: string;
  /** of the request that caused the event */
  traceparent: string | null;
}

/** A format of channels: our signed envelope, or the body of a chat service's incoming webhook. */
export interface Format {
  /** the channel has a secret that its requests are signed with; otherwise the path of its URL is the secret */
  isSigned: boolean;
  render(
    channel: Channel,
    delivery: Delivery,
    context: MessageContext,
  ): { url: string; headers?: Record<string, string>; body: string };
}
