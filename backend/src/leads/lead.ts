import { DAY_MS, HOUR_MS } from '../../../common/src/clock.ts';
import { NETWORK_FACTOR } from '../shared/rate-limit.ts';

export const LEAD_STATES = ['new', 'answered', 'archived'] as const;
export type LeadState = (typeof LEAD_STATES)[number];

/** In characters per field; in bytes for all fields together. */
export const MAX_TEXT = { description: 12_000, contact: 300, client_email: 254, budget: 200, deadline: 200 } as const;
export const MAX_TEXT_BYTES = 16_000;

export const MAX_FILE_BYTES = 20_000_000;
/** For all files of an account. They are stored in the database and copied with every backup. */
export const MAX_ACCOUNT_BYTES = 500_000_000;

/** How many requests are accepted per sender address, and per account. */
export const PER_CLIENT = { max: 5, withinMs: HOUR_MS } as const;
/** Per IPv6 /48, which may be one customer of a provider or several. */
export const PER_NETWORK = { max: PER_CLIENT.max * NETWORK_FACTOR, withinMs: HOUR_MS } as const;
export const PER_ACCOUNT = { max: 50, withinMs: DAY_MS } as const;

export const LEAD_SORTS = ['-created_at', 'created_at'] as const;
export type LeadSort = (typeof LEAD_SORTS)[number];
