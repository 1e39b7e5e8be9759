import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../../../../common/src/clock.ts';

/** Attempts in a subscription's history (interface specification, "Limits"). */
export const HISTORY_LENGTH = 20;

/**
 * Maximum number of subscriptions per account (interface specification, "Limits"). The database enforces it with ten
 * slots.
 */
export const MAX_SUBSCRIPTIONS = 10;

/** How long a deleted subscription can be continued: as long as its events are kept. */
export const DELETED_KEPT_MS = 30 * DAY_MS;

/**
 * Deleted subscriptions of an account that wait to be continued: each costs a row for every event that it would have
 * had.
 */
export const MAX_DELETED_SUBSCRIPTIONS = 20;

/** How long a replaced secret can stay valid: a week. */
export const MAX_OVERLAP_HOURS = 168;

/** `pause_after_failures` at most. */
export const MAX_PAUSE_AFTER = 1000;

/** Encryption contexts: an encrypted value decrypts only for its own record and field. */
export const urlContext = (subscriptionId: string): string => `subscription:${subscriptionId}:url`;
export const secretContext = (subscriptionId: string): string => `subscription:${subscriptionId}:secret`;
export const previousSecretContext = (subscriptionId: string): string =>
  `subscription:${subscriptionId}:previous-secret`;
export const headerContext = (subscriptionId: string): string => `subscription:${subscriptionId}:header`;

/**
 * Creates a signing secret: 256 random bits behind a prefix that secret scanners detect. Standard base64, as the
 * Standard Webhooks libraries decode it; older base64url secrets remain valid, because signatures are keyed with the
 * text itself.
 */
export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
