import { type Clock, DAY_MS } from '../../../common/src/clock.ts';
import { sha256 } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import { DEFAULT_CURRENCY, isCurrency } from '../shared/currency.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { checkNames, quote } from '../shared/names.ts';
import { requireRecentPassword } from '../shared/recent-password.ts';
import { logDone } from '../shared/security-log.ts';
import { createSharedRead } from '../shared/shared-read.ts';
import { type Db, isUniqueViolation } from '../storage/dialect.ts';
import { createLastUse } from '../storage/last-use.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import * as store from './account-store.ts';
import { createUnmatchedHash, type Passwords } from './passwords.ts';
import { type Actor, createAccessToken, isAccessToken } from './token.ts';

const LAST_USED_INTERVAL_MS = 60_000;

const DEFAULT_TOKEN_DAYS = 365;

/**
 * Email addresses are compared whatever their case and however their letters are composed, so that one person does not
 * get two accounts by accident.
 */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase().normalize('NFC');

/** An email address. White space and what cannot be seen would make two addresses look the same. */
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const NOT_IN_EMAIL = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** @throws DomainError validation_error */
function checkCurrency(currency: string): string {
  if (!isCurrency(currency)) {
    throw invalid('/currency', `${JSON.stringify(currency)} is not a currency code of ISO 4217, such as EUR.`);
  }
  return currency;
}

interface AccountDeps {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  passwords: Passwords;
  /** whether amounts are stored in the account's currency, which then cannot change */
  hasPrices(db: Db, accountId: string): Promise<boolean>;
}

interface NewAccount {
  email: string;
  name: string;
  password: string;
  /** default RUB */
  currency?: string | undefined;
}

interface NewToken {
  name: string;
  /** until it expires; null: never; default 365 */
  days?: number | null | undefined;
  /** default false */
  isReadOnly?: boolean | undefined;
}

export type AccountService = ReturnType<typeof createAccountService>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createAccountService({ storage, clock, logger, passwords, hasPrices }: AccountDeps) {
  const recordUse = createLastUse({ storage, clock, logger }, 'token', LAST_USED_INTERVAL_MS, ({ db }, { id }, now) =>
    store.touchToken(db, id, now),
  );
  // an integration sends many requests at once with one token
  const readActor = createSharedRead((hash) => store.findActor(storage.read, hash));

  /** @throws DomainError not_found */
  async function accountOf(email: string): Promise<store.Account> {
    const account = await store.findAccountByEmail(storage.read, normalizeEmail(email));
    if (!account) throw new DomainError('not_found', `No account found for ${email}.`);
    return account;
  }

  return {
    accountOf,

    count: (): Promise<number> => store.countAccounts(storage.read),

    /**
     * Creates an account.
     * @param before a check in the same transaction; throws to cancel
     * @throws DomainError validation_error: an invalid email, name, password or currency, or an email that is in use
     */
    async createAccount(input: NewAccount, before?: (tx: Tx) => Promise<void>): Promise<store.Account> {
      const account = toAccount(input);
      const passwordHash = await passwords.hash(input.password, [input.email, input.name]);
      try {
        await storage.inTransaction(async (tx) => {
          await before?.(tx);
          await store.insertAccount(tx.db, { ...account, passwordHash, at: clock() });
        });
      } catch (error) {
        if (isUniqueViolation(error)) throw invalid('/email', `An account for ${account.email} already exists.`);
        throw error;
      }
      return account;
    },

    /** Creates an account that nobody has a password of. @throws DomainError validation_error */
    async createUnlocked(tx: Tx, input: Omit<NewAccount, 'password'>): Promise<store.Account> {
      const account = toAccount(input);
      await store.insertAccount(tx.db, { ...account, passwordHash: createUnmatchedHash(), at: clock() });
      return account;
    },

    /** The account's currency, and whether it can no longer change. */
    async currency(accountId: string): Promise<{ currency: string; isFixed: boolean }> {
      const currency = await store.findCurrency(storage.read, accountId);
      return { currency, isFixed: await hasPrices(storage.read, accountId) };
    },

    /** @throws DomainError validation_error: not a currency, or prices are stored in another one */
    setCurrency: (accountId: string, currency: string): Promise<void> =>
      storage.inTransaction(async ({ db }) => {
        checkCurrency(currency);
        const before = await store.lockCurrency(db, accountId);
        if (currency === before) return;
        if (await hasPrices(db, accountId)) {
          throw invalid(
            '/currency',
            `Prices are stored in ${before}, so the currency of this account can't be changed.`,
          );
        }
        await store.updateCurrency(db, accountId, currency, clock());
      }),

    /**
     * Creates an access token. Its text is returned only here, because only its hash is stored.
     * @throws DomainError not_found; validation_error if the account has an active token with that name;
     * password_required, unless the token is read-only
     */
    async createToken(
      caller: Pick<Actor, 'email' | 'passwordCheckedAt'>,
      { days = DEFAULT_TOKEN_DAYS, isReadOnly = false, ...input }: NewToken,
    ): Promise<string> {
      if (!isReadOnly) requireRecentPassword(caller, clock());
      const account = await accountOf(caller.email);
      const name = input.name.trim();
      if (name === '' || name.length > 100) throw invalid('/name', 'A token name must be 1 to 100 characters long.');
      checkNames(['name'], input);
      const token = createAccessToken();
      const at = clock();
      const record = {
        id: newId(),
        accountId: account.id,
        name,
        hash: sha256(token),
        hint: token.slice(-4),
        isReadOnly,
        at,
        expiresAt: days === null ? null : at + days * DAY_MS,
      };
      try {
        await storage.inTransaction(({ db }) => store.insertToken(db, record));
      } catch (error) {
        if (isUniqueViolation(error)) {
          throw invalid(
            '/name',
            `${account.email} already has a token named ${name}. Revoke it or choose another name.`,
          );
        }
        throw error;
      }
      logDone(logger, 'token_created', { account_id: account.id, token_id: record.id });
      return token;
    },

    async listTokens(email: string): Promise<store.TokenRecord[]> {
      return store.listTokens(storage.read, (await accountOf(email)).id);
    },

    /** Revokes a token by name; the next request with it is refused. @throws DomainError not_found */
    async revokeToken(email: string, name: string): Promise<void> {
      const account = await accountOf(email);
      const revoked = await storage.inTransaction(({ db }) => store.revokeToken(db, account.id, name.trim(), clock()));
      if (!revoked) throw new DomainError('not_found', `${account.email} has no token named ${name}.`);
    },

    /** Revokes a token by id. @throws DomainError not_found */
    async revokeTokenById(accountId: string, id: string): Promise<void> {
      const revoked = await storage.inTransaction(({ db }) => store.revokeTokenById(db, accountId, id, clock()));
      if (!revoked) throw notFound();
      logDone(logger, 'token_revoked', { account_id: accountId, token_id: id });
    },

    /**
     * Authenticates an `Authorization` header.
     * @throws DomainError unauthorized: missing, malformed, unknown, revoked or expired
     */
    async authenticate(header: string | undefined): Promise<Actor> {
      const { actor, lastUsedAt } = checkActor(await readActor(sha256(readToken(header))), clock());
      recordUse({ id: actor.tokenId, lastUsedAt });
      return actor;
    },
  };
}

/** @throws DomainError validation_error */
function toAccount(input: Omit<NewAccount, 'password'>): store.Account {
  const email = normalizeEmail(input.email);
  if (!EMAIL.test(email) || NOT_IN_EMAIL.test(email))
    throw invalid('/email', `${quote(input.email)} is not a valid email address.`);
  if (input.name.trim() === '') throw invalid('/name', "The name can't be blank.");
  checkNames(['name'], input);
  const currency = checkCurrency(input.currency ?? DEFAULT_CURRENCY);
  return { id: newId(), email, name: input.name.trim(), currency };
}

const unauthorized = (detail: string) => new DomainError('unauthorized', detail);

/** @throws DomainError unauthorized */
function readToken(header: string | undefined): string {
  if (header === undefined) throw unauthorized('Send an access token in the Authorization header: Bearer pat_…');
  const [, token] = /^Bearer (\S+)$/i.exec(header) ?? [];
  if (token && isAccessToken(token)) return token;
  throw unauthorized('The Authorization header must be "Bearer " followed by an access token that starts with pat_.');
}

/** @throws DomainError unauthorized */
function checkActor(found: Awaited<ReturnType<typeof store.findActor>>, now: number) {
  if (!found) throw unauthorized('This access token is invalid or has been revoked.');
  const { tokenExpiresAt } = found.actor;
  if (tokenExpiresAt !== null && tokenExpiresAt <= now) throw unauthorized('This access token has expired.');
  return found;
}
