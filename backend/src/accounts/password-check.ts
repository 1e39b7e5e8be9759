import { sha256 } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import { DomainError } from '../shared/errors.ts';
import type { RateLimit, Usage } from '../shared/rate-limit.ts';
import { logRefused } from '../shared/security-log.ts';
import type { Storage } from '../storage/open.ts';
import type { Account } from './account-store.ts';
import * as accountStore from './account-store.ts';
import type { Devices } from './device-cookie.ts';
import type { Passwords } from './passwords.ts';

/** How long a sign-in from an unknown device waits while the account gets many wrong passwords. */
const DELAY_MS = 5_000;

/** Where a sign-in request comes from. */
export interface SignInContext {
  /** the client's address */
  client: string;
  userAgent: string;
  /** the browser's current session, which a new one replaces */
  token: string | undefined;
  /** the cookie of a browser that has signed in before */
  device: string | undefined;
}

interface SignInLimits {
  /** wrong passwords per account and client, or per device that has signed in before */
  failures: RateLimit;
  /** wrong passwords per client, for all accounts */
  failuresOfClient: RateLimit;
  /** wrong passwords per account from unknown devices; above it, their attempts are delayed */
  failuresOfAccount: RateLimit;
  /** sign-ups per client */
  signUps: RateLimit;
}

export interface PasswordCheckDeps {
  storage: Storage;
  logger: Logger;
  passwords: Passwords;
  devices: Devices;
  limits: SignInLimits;
  /** resolves after this many ms */
  pause(ms: number): Promise<unknown>;
}

/** @throws DomainError rate_limited with the time until the next attempt is allowed */
export function requireWithin({ isOver, retryAfter }: Usage): void {
  if (!isOver) return;
  const minutes = Math.ceil(retryAfter / 60);
  throw new DomainError('rate_limited', `Too many attempts. Try again in ${minutes} min.`, { retryAfter });
}

/** An attempt to enter the password of an account. */
interface Attempt {
  email: string;
  password: string;
  context: SignInContext;
}

export interface CheckedPassword {
  account: Account;
  /** the hash that the password matches */
  hash: string;
}

/**
 * Checks a password; counts and logs a wrong one. A right one resets what was counted for this account and client or
 * device.
 * @returns undefined if it is wrong
 * @throws DomainError rate_limited: too many failures from this client. The password is then not checked, so that
 * guessing cannot succeed. Failures elsewhere never refuse it: they delay unknown devices.
 */
export async function checkPassword(
  deps: PasswordCheckDeps,
  attempt: Attempt,
  refusal: 'sign_in_refused' | 'password_refused',
): Promise<CheckedPassword | undefined> {
  const stored = await accountStore.findPasswordHash(deps.storage.read, attempt.email);
  const counts = countsOf(deps, attempt, stored);
  // the email isn't logged: people type passwords into the wrong field
  const refuse = (reason: string, accountId?: string) =>
    logRefused(deps.logger, refusal, { reason, account_id: accountId, client: attempt.context.client });
  try {
    const isRight = await checkCounted(deps, counts, attempt, stored?.hash);
    if (!stored || !isRight) {
      refuse('wrong_password', stored?.account.id);
      return undefined;
    }
    for (const { limit, key, isForgotten } of counts) if (isForgotten) await limit.reset(key);
    return stored;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'rate_limited') refuse('rate_limited');
    throw error;
  }
}

/** @returns whether the password is right */
async function checkCounted(
  { passwords, pause }: PasswordCheckDeps,
  counts: readonly FailureCount[],
  { password, context: { client } }: Attempt,
  stored: string | undefined,
): Promise<boolean> {
  let isWrong = false;
  passwords.requireCapacity(client);
  const counted: FailureCount[] = [];
  try {
    // counted before the attempt, so that concurrent attempts count too
    for (const count of counts) {
      counted.push(count);
      const usage = await count.limit.count(count.key);
      if (!count.delays) requireWithin(usage);
      else if (usage.isOver) await pause(DELAY_MS);
    }
    passwords.requireCapacity(client);
    const isRight = await passwords.verify(stored, password, client);
    isWrong = !isRight;
    return isRight;
  } finally {
    if (!isWrong) await Promise.all(counted.map(({ limit, key }) => limit.undo(key)));
  }
}

interface FailureCount {
  limit: RateLimit;
  key: string;
  /** above the limit, an attempt is delayed rather than refused */
  delays?: true;
  /** a right password resets it */
  isForgotten?: true;
}

/**
 * What counts a wrong password. The client's own limit is first: above it, nothing is counted for the email addresses
 * that it names, of which there is no end.
 */
function countsOf(
  { devices, limits }: PasswordCheckDeps,
  { email, context: { client, device } }: Attempt,
  stored: CheckedPassword | undefined,
): FailureCount[] {
  const account = sha256(email);
  const known = stored && devices.recognize(device, { accountId: stored.account.id, hash: stored.hash });
  if (known) return [{ limit: limits.failures, key: `device ${known}`, isForgotten: true }];
  return [
    { limit: limits.failuresOfClient, key: client },
    { limit: limits.failures, key: `${client} ${account}`, isForgotten: true },
    { limit: limits.failuresOfAccount, key: account, delays: true },
  ];
}
