import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Logger } from '../../../../common/src/logger.ts';
import { countRefusal } from '../../http/address-limit.ts';
import { readRaw } from '../../http/body.ts';
import { clientOf } from '../../http/client.ts';
import { sendProblem } from '../../http/respond.ts';
import { DomainError } from '../../shared/errors.ts';
import type { RateLimit } from '../../shared/rate-limit.ts';
import { logRefused } from '../../shared/security-log.ts';
import type { ProviderService } from './provider-service.ts';
import { Forged, PROVIDER_KINDS, type ProviderKind } from './providers/provider.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The same answer for everything that isn't authentic: an unknown provider, a wrong signature, an old message. */
const refused = () => new DomainError('malformed_request', 'This payment notification was not accepted.');

/** `POST /payments/<kind>/<provider id>`, where providers report payments. Every account has its own secrets. */
export function paymentRoutes({
  providers,
  limit,
  logger,
}: {
  providers: Pick<ProviderService, 'receiveNotification'>;
  /** refused notifications per address, so that no one can use up what a provider needs; undefined: no limit */
  limit: RateLimit | undefined;
  logger: Logger;
}): Router {
  const router = Router({ caseSensitive: true });
  for (const kind of PROVIDER_KINDS) {
    router.post(`/${kind}/:id`, (req: Request, res: Response, next: NextFunction) => {
      take(kind, req, res).then(
        (result) => void res.status(200).json({ result }),
        (error: unknown) => {
          if (!(error instanceof Forged)) return next(error);
          const { id } = req.params;
          logRefused(logger, 'notification_refused', {
            kind,
            provider_id: UUID.test(String(id)) ? String(id) : undefined,
            client: clientOf(req),
            request_id: String(res.getHeader('X-Request-Id')),
          });
          countRefusal(
            limit,
            req,
            refused(),
            'Too many payment notifications were rejected. Wait as Retry-After says.',
          ).then(next);
        },
      );
    });
    router.all(`/${kind}/:id`, (_req: Request, res: Response, next: NextFunction) => {
      res.setHeader('Allow', 'POST');
      next(new DomainError('method_not_allowed', 'Send payment notifications by POST.'));
    });
  }

  async function take(kind: ProviderKind, req: Request, res: Response): Promise<string> {
    const id = String(req.params.id);
    if (!UUID.test(id)) throw new Forged();
    return providers.receiveNotification(kind, id, await readRaw(req, res), req.headers);
  }

  router.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    sendProblem(res, error, String(res.getHeader('X-Request-Id')), logger);
  });
  return router;
}
