import type { Logger } from '../../../common/src/logger.ts';
import type { ObservedRequest } from '../operator/operator-routes.ts';

/**
 * Writes one line for a share of all requests. It has neither the path nor the address: paths contain IDs, search texts
 * and the tokens of payment links.
 * @param sample from 0 to 1
 * @param random the draw for each request, from 0 to below 1; only tests set it
 */
export const createAccessLog =
  (logger: Logger, sample: number, random: () => number = Math.random) =>
  ({ method, route, status, seconds, requestId, traceId }: ObservedRequest): void => {
    if (random() >= sample) return;
    logger.info(
      { method, route, status, duration_ms: Math.round(seconds * 1000), request_id: requestId, trace_id: traceId },
      'request ended',
    );
  };
