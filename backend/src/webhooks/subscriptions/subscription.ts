import { randomBytes } from 'node:crypto';
import type { EventName } from '../../events/catalogue.ts';
import type { AttemptError, ChannelFormat } from '../delivery/attempt.ts';

/**
 * A channel as returned by the API: without its secret, and with only the host of a chat URL, which is itself a secret.
 */
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

/** Attempts in a channel's history (interface specification, "Limits"). */
export const HISTORY_LENGTH = 20;

/**
 * Maximum number of channels per account (interface specification, "Limits"). The database enforces it with ten slots.
 */
export const MAX_CHANNELS = 10;

/** Encryption contexts: an encrypted value decrypts only for its own record and field. */
export const urlContext = (subscriptionId: string): string => `subscription:${subscriptionId}:url`;
export const secretContext = (subscriptionId: string): string => `subscription:${subscriptionId}:secret`;

/**
 * Creates a signing secret: 256 random bits behind a prefix that secret scanners detect. Standard base64, as the
 * Standard Webhooks libraries decode it; older base64url secrets remain valid, because signatures are keyed with the
 * text itself.
 */
export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
