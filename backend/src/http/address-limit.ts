import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { DomainError } from '../shared/errors.ts';
import { type CreateRateLimit, NETWORK_FACTOR, type RateLimit, type Usage } from '../shared/rate-limit.ts';
import { clientOf, networkOf } from './client.ts';

/**
 * A limit whose keys are clients as `clientOf` names them. What is within the limit of an IPv6 address also counts for
 * its /48 network.
 */
export function createAddressLimit(
  create: CreateRateLimit,
  name: string,
  options: { max: number; withinMs: number },
): RateLimit {
  const own = create(name, options);
  const shared = create(`${name}-48`, { ...options, max: options.max * NETWORK_FACTOR });

  /** The usage of the network where that is used up; otherwise of the address. */
  async function ask(client: string, of: (limit: RateLimit, key: string) => Promise<Usage>): Promise<Usage> {
    const usage = await of(own, client);
    const network = networkOf(client);
    if (usage.isOver || network === undefined) return usage;
    const together = await of(shared, network);
    return together.isOver ? together : usage;
  }

  return {
    ...own,
    count: (client) => ask(client, (limit, key) => limit.count(key)),
    read: (client) => ask(client, (limit, key) => limit.read(key)),
    async undo(client) {
      const network = networkOf(client);
      const wasCounted = network !== undefined && !(await own.read(client)).isOver;
      await Promise.all([own.undo(client), ...(wasCounted ? [shared.undo(network)] : [])]);
    },
  };
}

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
