import { randomBytes } from 'node:crypto';
import type { EventName } from '../../events/catalogue.ts';
import { DAY_MS } from '../../shared/clock.ts';
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
  /** chosen by the client that created it; absent if it chose none */
  client_key?: string | undefined;
  /** failing: its last attempt failed */
  health: 'ok' | 'failing';
  consecutive_failures: number;
  last_success_at: string | null;
  /** why its last attempt failed; null if it succeeded */
  last_error: AttemptError | null;
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

/** How long a deleted channel can be continued: as long as its events are kept. */
export const DELETED_KEPT_MS = 30 * DAY_MS;

/** Deleted channels of an account that wait to be continued: each costs a row for every event that it would have had. */
export const MAX_DELETED_CHANNELS = 20;

/** Encryption contexts: an encrypted value decrypts only for its own record and field. */
export const urlContext = (subscriptionId: string): string => `subscription:${subscriptionId}:url`;
export const secretContext = (subscriptionId: string): string => `subscription:${subscriptionId}:secret`;
export const headerContext = (subscriptionId: string): string => `subscription:${subscriptionId}:header`;

/**
 * Creates a signing secret: 256 random bits behind a prefix that secret scanners detect. Standard base64, as the
 * Standard Webhooks libraries decode it; older base64url secrets remain valid, because signatures are keyed with the
 * text itself.
 */
export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
