import type { EventName } from '../../events/catalogue.ts';
import type { AttemptError, ChannelFormat } from '../delivery/attempt.ts';

/** A channel as it is answered: never its secret, and of a chat address (itself a secret) only the host. */
export interface Subscription {
  id: string;
  name: string;
  url: string;
  format: ChannelFormat;
  events: EventName[];
  enabled: boolean;
  created_at: string;
  updated_at: string;
}

/** One finished attempt of a channel. */
export interface Attempt {
  id: string;
  event: EventName;
  status: 'succeeded' | 'failed';
  response_status: number | null;
  error: AttemptError | null;
  attempted_at: string;
  duration_ms: number;
  /** the channel's own counter, as sent in X-Svc-Sequence */
  sequence: number;
}

/** The contract: how many attempts a channel's history holds. */
export const HISTORY_LENGTH = 20;

/** The contract: how many channels an account has at most. The schema holds it: there are ten slots and no more. */
export const MAX_CHANNELS = 10;

/** Sealed values open only for the record and field they were sealed for. */
export const urlContext = (subscriptionId: string): string => `subscription:${subscriptionId}:url`;
export const secretContext = (subscriptionId: string): string => `subscription:${subscriptionId}:secret`;
