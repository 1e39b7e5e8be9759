import { setTimeout } from 'node:timers/promises';
import { createAccountService } from '../accounts/account-service.ts';
import { createDevices } from '../accounts/device-cookie.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { createSessionService } from '../accounts/sessions.ts';
import { hasPrices } from '../filaments/batch-store.ts';
import type { Limits } from './limits.ts';
import type { Parts, Shared } from './parts.ts';

/** Accounts, and the sessions of their owners. */
export function createAccountServices(
  { storage, clock }: Shared,
  { logger, config, signDevices }: Pick<Parts, 'logger' | 'config' | 'signDevices'>,
  limits: Limits['signIn'],
) {
  const passwords = createPasswords();
  const accounts = createAccountService({ storage, clock, logger, passwords, hasPrices });
  const sessions = createSessionService({
    storage,
    clock,
    logger,
    passwords,
    accounts,
    signUp: config.signUp,
    limits,
    devices: createDevices({ sign: signDevices, clock }),
    pause: setTimeout,
  });
  return { accounts, sessions };
}
