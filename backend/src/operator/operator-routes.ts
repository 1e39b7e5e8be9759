import { createHash, timingSafeEqual } from 'node:crypto';
import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import type { QueueDashboard } from '../jobs/jobs.ts';
import { DomainError } from '../shared/errors.ts';
import { parseTraceparent, traceIdOf } from '../shared/traceparent.ts';

/** Path of the queue dashboard. */
export const BOARD_PATH = '/operator/queues';

export interface OperatorDeps {
  secret: string;
  /** renders the metrics page */
  page(): Promise<{ type: string; text: string }>;
  /** the queue dashboard; undefined without a queue */
  board: QueueDashboard | undefined;
}

/** Digests have equal length, so comparing them does not reveal the length of the secret. */
const digest = (text: string) => createHash('sha256').update(text).digest();

/** Reads the secret from the Authorization header: `Bearer SECRET`, or the password of Basic for browsers. */
function sentSecret(authorization: string | undefined): string | undefined {
  const [, scheme, value] = /^(bearer|basic) +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (!scheme || !value) return undefined;
  if (scheme.toLowerCase() === 'bearer') return value;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

/** Routes for the operator, authenticated by OPERATOR_SECRET. Read-only. */
export function createOperatorRouter({ secret, page, board }: OperatorDeps): Router {
  const expected = digest(secret);
  const router = Router({ caseSensitive: true });

  router.use(['/metrics', '/operator'], (req: Request, res: Response, next: NextFunction) => {
    const sent = sentSecret(req.headers.authorization);
    if (sent === undefined || !timingSafeEqual(digest(sent), expected)) {
      res.setHeader('WWW-Authenticate', 'Basic realm="Farmboard operator", charset="UTF-8"');
      next(
        new DomainError('unauthorized', 'Operators only: send OPERATOR_SECRET as a Bearer token or as the password.'),
      );
      return;
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      next(new DomainError('method_not_allowed', 'This page is read-only: use GET or HEAD.'));
      return;
    }
    res.setHeader('Cache-Control', 'no-store');
    next();
  });

  router.get('/metrics', (_req, res, next) => {
    page().then(({ type, text }) => void res.type(type).send(text), next);
  });
  if (board) {
    router.use(
      BOARD_PATH,
      (_req: Request, res: Response, next: NextFunction) => {
        // the dashboard sets inline styles; its fonts from another host are blocked
        res.setHeader(
          'Content-Security-Policy',
          "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
        );
        next();
      },
      board,
    );
  }
  return router;
}

/** The template of the matched route; pages of the queue dashboard share one label. */
function labelOf({ baseUrl, route }: Request): string {
  if (baseUrl.startsWith(BOARD_PATH)) return BOARD_PATH;
  return route ? `${baseUrl}${String(route.path)}`.replace(/:(\w+)/g, '{$1}') : 'none';
}

/** A request that has ended. */
export interface ObservedRequest {
  method: string;
  /** the template of its route; `none` if it matched none */
  route: string;
  /** 499 if the client disconnected before the response */
  status: number;
  seconds: number;
  requestId: string;
  /** undefined if it carried no valid `traceparent` */
  traceId: string | undefined;
}

/** Observes requests by route template: labels with ids would create a time series each. */
export function observeRequests(observers: ((request: ObservedRequest) => void)[]): RequestHandler {
  return (req, res, next) => {
    const startedAt = process.hrtime.bigint();
    res.on('close', () => {
      const request = {
        method: req.method,
        route: labelOf(req),
        // as nginx reports it
        status: res.writableFinished ? res.statusCode : 499,
        seconds: Number(process.hrtime.bigint() - startedAt) / 1e9,
        requestId: String(res.getHeader('X-Request-Id')),
        traceId: traceIdOf(parseTraceparent(req.headers.traceparent)),
      };
      for (const observe of observers) observe(request);
    });
    next();
  };
}
