import {
  ipKeyGenerator,
  type RateLimitExceededEventHandler,
  type RateLimitRequestHandler,
  rateLimit,
} from 'express-rate-limit';

/** Of an IPv6 address the network that one customer of a provider has. */
const IPV6_PREFIX = 64;

/**
 * For pages that people without an account reach.
 * @param perMinute requests of one address; 0: no limit
 * @param handler answers what is too much
 */
export const limitByAddress = (perMinute: number, handler: RateLimitExceededEventHandler): RateLimitRequestHandler =>
  rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    skip: () => perMinute === 0,
    standardHeaders: false,
    legacyHeaders: false,
    keyGenerator: (req) => ipKeyGenerator(req.ip ?? '', IPV6_PREFIX),
    validate: false,
    handler,
  });
