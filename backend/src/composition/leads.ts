import type { Sign } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import { lockAccount } from '../accounts/account-store.ts';
import { createFormTokens } from '../leads/form-token.ts';
import { leadConsoleRoutes, profileRoutes } from '../leads/lead-console-routes.ts';
import { leadRoutes } from '../leads/lead-routes.ts';
import { createLeadService } from '../leads/lead-service.ts';
import { createProfileRouter, createWorkshopsRedirect } from '../leads/profile/profile-public-routes.tsx';
import { createProfileService } from '../leads/profile/profile-service.ts';
import type { OrderService } from '../orders/order-service.ts';
import type { RateLimit } from '../shared/rate-limit.ts';
import type { Shared } from './parts.ts';

/** Public profiles and their requests. */
export function createLeadFeatures({
  storage,
  clock,
  logger,
  sign,
  outbox,
  publicUrl,
  orders,
  formLimit,
}: Shared & {
  logger: Logger;
  sign: Sign;
  publicUrl: string | undefined;
  formLimit: RateLimit;
  orders: OrderService;
}) {
  const profiles = createProfileService({ storage, clock, accounts: { lockAccount } });
  const leads = createLeadService({ storage, clock, outbox, sign, orders });
  const tokens = createFormTokens({ sign, clock });
  return {
    leads,
    routes: leadRoutes(leads),
    consoleRoutes: [...leadConsoleRoutes(leads), ...profileRoutes(profiles)],
    pages: [
      { path: '/masters', router: createProfileRouter({ profiles, leads, tokens, formLimit, publicUrl, logger }) },
      { path: '/workshops', router: createWorkshopsRedirect() },
    ],
  };
}
