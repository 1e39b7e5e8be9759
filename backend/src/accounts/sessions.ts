import type { Clock } from '../shared/clock.ts';
import { createToken, isWellFormedToken, sha256 } from '../shared/crypto.ts';
import { DomainError, invalid } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import type { Db } from '../storage/dialect.ts';
import { createLastUse } from '../storage/last-use.ts';
import type { Storage } from '../storage/open.ts';
import { type AccountService, normalizeEmail } from './account-service.ts';
import { type Account, countAccounts } from './account-store.ts';
import { createAttemptLimiter } from './attempt-limiter.ts';
import type { Passwords } from './passwords.ts';
import * as store from './session-store.ts';
import type { Actor } from './token.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Signed in again at least this often. */
const LIFETIME_MS = 30 * DAY_MS;
/** A session that nobody uses ends after this. */
const IDLE_MS = 14 * DAY_MS;
const LAST_USED_GRAIN_MS = 5 * 60_000;
const MAX_USER_AGENT = 300;

const WITHIN_MS = 15 * 60_000;
/** Wrong passwords for one account from one place: whoever guesses shuts out nobody who signs in from another. */
const MAX_FAILURES = 10;
/** Wrong passwords from one place, for whomever. */
const MAX_FAILURES_OF_A_CLIENT = 100;
const MAX_SIGN_UPS_OF_A_CLIENT = 20;

/** What a history row calls a change made by a person at the console. */
const CONSOLE = 'console';

export interface SignedIn {
  /** goes into the cookie, and is nowhere else */
  token: string;
  expiresAt: number;
  account: Account;
}

/** Whoever stands at the door. */
export interface Visitor {
  /** where the request comes from */
  client: string;
  userAgent: string;
  /** the session it came with, which a new one takes the place of */
  token: string | undefined;
}

export interface NewOwner {
  email: string;
  name: string;
  password: string;
  currency?: string | undefined;
}

export type SessionService = ReturnType<typeof createSessionService>;

/** Who may come in through the console's door. */
export function createSessionService(deps: {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  passwords: Passwords;
  accounts: Pick<AccountService, 'createAccount'>;
  signUp: 'closed' | 'open';
}) {
  const { storage, clock, passwords, accounts } = deps;
  const failures = createAttemptLimiter({ clock, most: MAX_FAILURES, withinMs: WITHIN_MS });
  const failuresOfClient = createAttemptLimiter({ clock, most: MAX_FAILURES_OF_A_CLIENT, withinMs: WITHIN_MS });
  const signUps = createAttemptLimiter({ clock, most: MAX_SIGN_UPS_OF_A_CLIENT, withinMs: WITHIN_MS });

  const stillGood = () => ({ now: clock(), usedAfter: clock() - IDLE_MS });

  /**
   * @returns the account and the hash that the password fits, undefined when it is wrong
   * @throws DomainError rate_limited: too many wrong ones from there. A right one is not looked at then, or it could be found.
   */
  async function checkPassword(
    email: string,
    password: string,
    client: string,
  ): Promise<{ account: Account; hash: string } | undefined> {
    const pair = `${client} ${email}`;
    failuresOfClient.check(client);
    failures.check(pair);
    passwords.requireRoom();
    const takeBack = [failuresOfClient.note(client), failures.note(pair)];
    let isWrong = false;
    try {
      const found = await store.findPasswordHash(storage.read, email);
      isWrong = !(await passwords.matches(found?.hash, password));
      if (isWrong) return undefined;
      failures.forget(pair);
      return found;
    } finally {
      if (!isWrong) for (const undo of takeBack) undo();
    }
  }

  /** @param verified the hash the password was held against: one that was changed meanwhile lets nobody in */
  async function requireUnchanged(db: Db, accountId: string, verified: string): Promise<void> {
    if ((await store.lockPasswordHash(db, accountId)) !== verified) throw wrong();
  }

  const wrong = () => new DomainError('unauthorized', 'The email or password is incorrect.');

  async function insert(db: Db, account: Account, userAgent: string): Promise<SignedIn> {
    const token = createToken('ses');
    const at = clock();
    const expiresAt = at + LIFETIME_MS;
    await store.insertSession(db, {
      id: newId(),
      accountId: account.id,
      hash: sha256(token),
      userAgent: userAgent.slice(0, MAX_USER_AGENT),
      at,
      expiresAt,
    });
    return { token, expiresAt, account };
  }

  const open = (account: Account, visitor: Visitor, verified?: string): Promise<SignedIn> =>
    storage.inTransaction(async ({ db }) => {
      if (verified !== undefined) await requireUnchanged(db, account.id, verified);
      if (visitor.token !== undefined) await store.deleteSession(db, sha256(visitor.token));
      return insert(db, account, visitor.userAgent);
    });

  async function find(token: string | undefined): Promise<store.FoundSession | undefined> {
    if (token === undefined || !isWellFormedToken('ses', token)) return undefined;
    const found = await store.findSession(storage.read, sha256(token));
    const { now, usedAfter } = stillGood();
    return found && found.expiresAt > now && found.lastUsedAt > usedAfter ? found : undefined;
  }

  const noteUse = createLastUse(deps, 'session', LAST_USED_GRAIN_MS, ({ db }, { id }, now) =>
    store.touchSession(db, id, now),
  );

  return {
    find,

    /** Whether nobody has an account yet, and whether anybody may make one. */
    async signInOptions(): Promise<{ needsSetUp: boolean; signUp: boolean }> {
      return { needsSetUp: (await countAccounts(storage.read)) === 0, signUp: deps.signUp === 'open' };
    },

    /** @throws DomainError unauthorized (wrong), rate_limited (too many wrong ones from there) */
    async signIn(input: { email: string; password: string }, visitor: Visitor): Promise<SignedIn> {
      const found = await checkPassword(normalizeEmail(input.email), input.password, visitor.client);
      if (!found) throw wrong();
      return open(found.account, visitor, found.hash);
    },

    /** @throws DomainError not_found when accounts are made by the operator only; validation_error, rate_limited */
    async signUp(input: NewOwner, visitor: Visitor): Promise<SignedIn> {
      if (deps.signUp !== 'open') {
        throw new DomainError('not_found', 'On this server, only the operator can create accounts (SIGN_UP=closed).');
      }
      signUps.check(visitor.client);
      signUps.note(visitor.client);
      return open(await accounts.createAccount(input), visitor);
    },

    /** A new one-time code that makes the first owner; undefined when there is one already. */
    async createSetUpLink(): Promise<string | undefined> {
      if ((await countAccounts(storage.read)) > 0) return undefined;
      const code = createToken('set');
      await storage.inTransaction(({ db }) => store.insertSetUpLink(db, sha256(code), clock()));
      return code;
    },

    /** Makes the first owner. Of many at once, one does. @throws DomainError not_found: used, or no such code */
    async setUp(code: string, input: NewOwner, visitor: Visitor): Promise<SignedIn> {
      const gone = new DomainError(
        'not_found',
        'This setup link has already been used or belongs to a different Farmboard server. Sign in, or restart the service to get a new link.',
      );
      // before a password is hashed for whoever only guesses
      const mayBeOurs = isWellFormedToken('set', code) && (await store.hasSetUpLink(storage.read, sha256(code)));
      if (!mayBeOurs) throw gone;
      const account = await accounts.createAccount(input, async (tx) => {
        const isOurs = await store.useSetUpLink(tx.db, sha256(code));
        if (!isOurs || (await countAccounts(tx.db)) > 0) throw gone;
      });
      return open(account, visitor);
    },

    /** @throws DomainError unauthorized when nobody is signed in by it */
    async authenticate(token: string | undefined): Promise<Actor> {
      const session = await find(token);
      if (!session) throw new DomainError('unauthorized', "You aren't signed in. Sign in at /console.");
      noteUse(session);
      const { account } = session;
      return {
        accountId: account.id,
        accountName: account.name,
        email: account.email,
        tokenId: session.id,
        tokenName: CONSOLE,
        tokenExpiresAt: session.expiresAt,
      };
    },

    async signOut(token: string | undefined): Promise<void> {
      if (token === undefined || !isWellFormedToken('ses', token)) return;
      await storage.inTransaction(({ db }) => store.deleteSession(db, sha256(token)));
    },

    /** Ends every session of the account but the one that asks. */
    signOutElsewhere: (actor: Actor): Promise<void> =>
      storage.inTransaction(({ db }) => store.deleteSessionsOf(db, actor.accountId, actor.tokenId)),

    list: (accountId: string): Promise<store.SessionRecord[]> =>
      store.listSessions(storage.read, accountId, stillGood()),

    /**
     * Changes the password and ends every session; the one that asks goes on under a new token.
     * @throws DomainError validation_error, rate_limited
     */
    async changePassword(
      actor: Actor,
      input: { current: string; next: string },
      visitor: Pick<Visitor, 'client' | 'userAgent'>,
    ): Promise<SignedIn> {
      const found = await checkPassword(actor.email, input.current, visitor.client);
      if (!found) throw invalid('/current_password', 'Your current password is incorrect.');
      const passwordHash = await passwords.hash(input.next, '/new_password');
      return storage.inTransaction(async ({ db }) => {
        await requireUnchanged(db, actor.accountId, found.hash);
        await store.updatePassword(db, actor.accountId, passwordHash, clock());
        await store.deleteSessionsOf(db, actor.accountId);
        return insert(db, found.account, visitor.userAgent);
      });
    },
  };
}
