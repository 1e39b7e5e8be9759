import { createAccountService } from '../accounts/account-service.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { consoleRoutes, sessionRoutes } from '../accounts/session-routes.ts';
import { createSessionService } from '../accounts/sessions.ts';
import { hasPrices } from '../filaments/stock-store.ts';
import type { Parts, Shared } from './parts.ts';

/** Accounts, and the sessions of their owners. */
export function createAccountFeatures(
  { storage, clock }: Shared,
  { logger, config }: Pick<Parts, 'logger' | 'config'>,
) {
  const { signUp, publicUrl } = config;
  const passwords = createPasswords();
  const accounts = createAccountService({ storage, clock, logger, passwords, hasPrices });
  const sessions = createSessionService({ storage, clock, logger, passwords, accounts, signUp });
  const https = publicUrl?.startsWith('https:') ?? false;
  return {
    accounts,
    sessions,
    openRoutes: sessionRoutes({ sessions, https }),
    consoleRoutes: consoleRoutes({ sessions, accounts, https }),
  };
}
