import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { DomainError } from '../shared/errors.ts';
import type { RateLimit } from '../shared/rate-limit.ts';
import { clientOf } from './client.ts';

/**
 * Limits requests by client address, for pages without sign-in.
 * @param limit undefined: no limit
 * @param refuse answers requests over the limit; `Retry-After` is set
 */
export const limitByAddress =
  (limit: RateLimit | undefined, refuse: (req: Request, res: Response, next: NextFunction) => void): RequestHandler =>
  (req: Request, res: Response, next: NextFunction) => {
    if (!limit) return next();
    limit.count(clientOf(req)).then(({ isOver, retryAfter }) => {
      if (!isOver) return next();
      res.setHeader('Retry-After', String(retryAfter));
      refuse(req, res, next);
    }, next);
  };

/**
 * Counts a refused request of a client address.
 * @param limit undefined: no limit
 * @returns the error to answer with: the given one, above the limit `rate_limited` with the given detail
 */
export async function countRefusal(
  limit: RateLimit | undefined,
  req: Request,
  error: DomainError,
  detail: string,
): Promise<DomainError> {
  const usage = await limit?.count(clientOf(req));
  return usage?.isOver ? new DomainError('rate_limited', detail, { retryAfter: usage.retryAfter }) : error;
}
