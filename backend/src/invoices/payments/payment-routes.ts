import express, { type NextFunction, type Request, type Response, Router } from 'express';
import { limitByAddress } from '../../http/address-limit.ts';
import { sendProblem } from '../../http/respond.ts';
import { DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ProviderService } from './provider-service.ts';
import { Forged, PROVIDER_KINDS, type ProviderKind } from './providers/provider.ts';

const MAX_BODY_BYTES = 100_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The same answer for everything that isn't authentic: an unknown provider, a wrong signature, an old message. */
const refused = () => new DomainError('malformed_request', 'This payment notification was not accepted.');

const rawBody = express.raw({ limit: MAX_BODY_BYTES, type: () => true, inflate: false });

/** `POST /payments/<kind>/<provider id>`, where providers report payments. Every account has its own secrets. */
export function paymentRoutes({
  providers,
  perMinute,
  logger,
}: {
  providers: Pick<ProviderService, 'receiveNotification'>;
  /** requests per minute and address; providers may send in bursts. 0: no limit */
  perMinute: number;
  logger: Logger;
}): Router {
  const router = Router({ caseSensitive: true });
  const limit = limitByAddress(perMinute, (_req, _res, next) =>
    next(new DomainError('rate_limited', 'Too many payment notifications. Send this one again later.')),
  );

  for (const kind of PROVIDER_KINDS) {
    router.post(`/${kind}/:id`, limit, rawBody, (req: Request, res: Response, next: NextFunction) => {
      take(kind, req).then((result) => void res.status(200).json({ result }), next);
    });
    router.all(`/${kind}/:id`, (_req: Request, res: Response, next: NextFunction) => {
      res.setHeader('Allow', 'POST');
      next(new DomainError('method_not_allowed', 'Send payment notifications by POST.'));
    });
  }

  async function take(kind: ProviderKind, req: Request): Promise<string> {
    const id = String(req.params.id);
    // an empty body is parsed to {}
    const raw = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    if (!UUID.test(id)) throw refused();
    try {
      return await providers.receiveNotification(kind, id, raw, req.headers);
    } catch (error) {
      throw error instanceof Forged ? refused() : error;
    }
  }

  router.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    sendProblem(res, error, String(res.getHeader('X-Request-Id')), logger);
  });
  return router;
}
