import {
  ipKeyGenerator,
  type RateLimitExceededEventHandler,
  type RateLimitRequestHandler,
  rateLimit,
} from 'express-rate-limit';

/** IPv6 clients are grouped by the /64 network that providers assign to one customer. */
const IPV6_PREFIX = 64;

/**
 * Rate limit by client address, for pages without sign-in.
 * @param perMinute requests per address and minute; 0 turns the limit off
 * @param handler responds to requests over the limit
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
