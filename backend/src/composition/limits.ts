import { createAddressLimit } from '../http/address-limit.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { RateLimit } from '../shared/rate-limit.ts';

const MINUTE_MS = 60_000;

export type Limits = ReturnType<typeof createLimits>;

/** All limits of requests. `RATE_LIMIT_PER_MINUTE=0` turns those per minute off, not those of passwords and forms. */
export function createLimits(
  { createRateLimit }: Pick<Jobs, 'createRateLimit'>,
  { rateLimitPerMinute }: { rateLimitPerMinute: number },
) {
  const perMinute = (name: string, max: number): RateLimit | undefined =>
    rateLimitPerMinute === 0 ? undefined : createRateLimit(name, { max, withinMs: MINUTE_MS });
  const ofAddress = (name: string, options: { max: number; withinMs: number }): RateLimit =>
    createAddressLimit(createRateLimit, name, options);
  const ofAddressPerMinute = (name: string, max: number): RateLimit | undefined =>
    rateLimitPerMinute === 0 ? undefined : ofAddress(name, { max, withinMs: MINUTE_MS });
  return {
    /** per account */
    api: perMinute('api', rateLimitPerMinute),
    console: perMinute('console', rateLimitPerMinute),
    agents: perMinute('agents', rateLimitPerMinute),
    /** per client address: requests whose token or session isn't valid */
    failedAuth: ofAddressPerMinute('failed-auth', 300),
    payPages: ofAddressPerMinute('pay-pages', 120),
    checkouts: ofAddressPerMinute('checkouts', 12),
    /** per client address: payment notifications that aren't authentic */
    refusedNotifications: ofAddressPerMinute('refused-notifications', 600),
    /** per client address: submitted forms, accepted or not */
    forms: ofAddress('forms', { max: 30, withinMs: 10 * MINUTE_MS }),
    signIn: {
      /** wrong passwords per account and client address, or per device that has signed in before */
      failures: createRateLimit('sign-in', { max: 10, withinMs: 15 * MINUTE_MS }),
      /** wrong passwords per client address, for all accounts */
      failuresOfClient: ofAddress('sign-in-client', { max: 100, withinMs: 15 * MINUTE_MS }),
      /** wrong passwords per account from unknown devices; above it, their attempts are delayed, not refused */
      failuresOfAccount: createRateLimit('sign-in-account', { max: 20, withinMs: 15 * MINUTE_MS }),
      signUps: ofAddress('sign-up', { max: 20, withinMs: 15 * MINUTE_MS }),
    },
  };
}
