import type { NextFunction, Request, RequestHandler, Response } from 'express';

const METHODS = 'GET, HEAD, POST, PUT, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, traceparent, X-Request-Id';
const RESPONSE_HEADERS =
  'ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-Svc-Already-Deducted, X-Svc-Ignored-Fields, X-Svc-Interface, X-Svc-Older-Than-Stocktake, X-Svc-Stale, X-Svc-Status-Reset';
const MAX_AGE_SECONDS = '600';

/**
 * CORS for an API with bearer tokens: allows the listed origins only. Cookies are never accepted, since there is no
 * `Access-Control-Allow-Credentials`. Preflights carry no token, so they are answered before authentication.
 */
export function allowOrigins(allowed: readonly string[]): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const { origin } = req.headers;
    if (allowed.length > 0) res.setHeader('Vary', 'Origin');
    const isAllowed = origin !== undefined && (allowed.includes(origin) || allowed.includes('*'));
    if (isAllowed) {
      res.setHeader('Access-Control-Allow-Origin', origin);
      res.setHeader('Access-Control-Expose-Headers', RESPONSE_HEADERS);
    }
    const isPreflight =
      req.method === 'OPTIONS' && origin !== undefined && req.headers['access-control-request-method'] !== undefined;
    if (!isPreflight) {
      next();
      return;
    }
    if (isAllowed) {
      res.setHeader('Access-Control-Allow-Methods', METHODS);
      res.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
      res.setHeader('Access-Control-Max-Age', MAX_AGE_SECONDS);
    }
    res.statusCode = 204;
    res.end();
  };
}
