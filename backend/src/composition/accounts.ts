import { setTimeout } from 'node:timers/promises';
import { createAccountService } from '../accounts/account-service.ts';
import { createDevices } from '../accounts/device-cookie.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { consoleRoutes, sessionRoutes } from '../accounts/session-routes.ts';
import { createSessionService } from '../accounts/sessions.ts';
import { hasPrices } from '../filaments/stock-store.ts';
import type { Limits } from './limits.ts';
import type { Parts, Shared } from './parts.ts';

/** Accounts, and the sessions of their owners. */
export function createAccountFeatures(
  { storage, clock, publishChange }: Shared,
  { logger, config, signDevices }: Pick<Parts, 'logger' | 'config' | 'signDevices'>,
  limits: Limits['signIn'],
) {
  const { signUp, publicUrl } = config;
  const passwords = createPasswords();
  const accounts = createAccountService({ storage, clock, logger, passwords, hasPrices });
  const sessions = createSessionService({
    ...{ storage, clock, logger, passwords, accounts, signUp, limits, publishChange },
    devices: createDevices(signDevices),
    pause: setTimeout,
  });
  const https = publicUrl?.startsWith('https:') ?? false;
  return {
    accounts,
    sessions,
    consoleAuth: {
      authenticateSession: sessions.authenticate,
      requireRecentPassword: sessions.requireRecentPassword,
    },
    openRoutes: sessionRoutes({ sessions, https }),
    consoleRoutes: consoleRoutes({ sessions, accounts, https }),
  };
}
