import { type Clock, DAY_MS } from '../../../common/src/clock.ts';
import { createToken, isWellFormedToken, sha256 } from '../../../common/src/crypto.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { requireRecentPassword } from '../shared/recent-password.ts';
import { logDone, logRefused } from '../shared/security-log.ts';
import type { Db } from '../storage/dialect.ts';
import { createLastUse } from '../storage/last-use.ts';
import type { Tx } from '../storage/transaction.ts';
import { type AccountService, normalizeEmail } from './account-service.ts';
import type { Account } from './account-store.ts';
import * as accountStore from './account-store.ts';
import {
  type CheckedPassword,
  checkPassword,
  type PasswordCheckDeps,
  requireWithin,
  type SignInContext,
} from './password-check.ts';
import * as store from './session-store.ts';
import type { Actor } from './token.ts';

/** A session ends after this even if it is used. */
const LIFETIME_MS = 30 * DAY_MS;
/** A session ends after this without use. */
const IDLE_MS = 14 * DAY_MS;
const LAST_USED_INTERVAL_MS = 5 * 60_000;
const MAX_USER_AGENT = 300;
/** Of an account: a further sign-in ends the one that was not used for longest. */
const MAX_SESSIONS = 1_000;

/** Author of changes made in the console, as recorded in histories. */
const CONSOLE = 'console';

export interface SignedIn {
  id: string;
  /** value of the cookie; only its hash is stored */
  token: string;
  createdAt: number;
  expiresAt: number;
  account: Account;
  /** value of the cookie that recognizes this browser */
  device: string;
}

export interface NewOwner {
  email: string;
  name: string;
  password: string;
  currency?: string | undefined;
}

interface SessionDeps extends PasswordCheckDeps {
  clock: Clock;
  accounts: Pick<AccountService, 'createAccount' | 'accountOf'>;
  signUp: 'closed' | 'open';
}

export type SessionService = ReturnType<typeof createSessionService>;

/** Sign-in, sessions and passwords of the console. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createSessionService(deps: SessionDeps) {
  const { storage, clock, logger, passwords, devices, limits, accounts } = deps;
  const recordUse = createLastUse(deps, 'session', LAST_USED_INTERVAL_MS, ({ db }, { id }, now) =>
    store.touchSession(db, id, now),
  );

  const validityLimits = (): store.ValidityLimits => ({ now: clock(), usedAfter: clock() - IDLE_MS });

  async function find(token: string | undefined): Promise<store.FoundSession | undefined> {
    if (token === undefined || !isWellFormedToken('ses', token)) return undefined;
    const found = await store.findSession(storage.read, sha256(token));
    const { now, usedAfter } = validityLimits();
    return found && found.expiresAt > now && found.lastUsedAt > usedAfter ? found : undefined;
  }

  async function insertSession(tx: Tx, { account, hash }: CheckedPassword, userAgent: string): Promise<SignedIn> {
    const at = clock();
    const token = createToken('ses');
    const expiresAt = at + LIFETIME_MS;
    const id = newId();
    await store.insertSession(tx.db, {
      id,
      accountId: account.id,
      hash: sha256(token),
      userAgent: userAgent.slice(0, MAX_USER_AGENT),
      at,
      expiresAt,
    });
    announceEnd(tx, await store.keepLastUsed(tx.db, account.id, MAX_SESSIONS));
    const device = devices.issue({ accountId: account.id, hash });
    return { id, token, createdAt: at, expiresAt, account, device };
  }

  async function openIn(tx: Tx, account: Account, context: SignInContext, verified?: string): Promise<SignedIn> {
    const { db } = tx;
    const hash = await lockHash(db, account.id, verified);
    if (context.token !== undefined) announceEnd(tx, await store.deleteSession(db, sha256(context.token)));
    return insertSession(tx, { account, hash }, context.userAgent);
  }

  const openSession = (account: Account, context: SignInContext, verified?: string): Promise<SignedIn> =>
    storage.inTransaction((tx) => openIn(tx, account, context, verified));

  /** Ends what the statement deletes, and logs it. @param by the session that asked for it @returns how many ended */
  async function endSessions(
    event: 'signed_out' | 'sessions_ended',
    remove: (tx: Tx) => Promise<store.EndedSession[]>,
    by?: string,
  ): Promise<number> {
    const ended = await storage.inTransaction(async (tx) => {
      const sessions = await remove(tx);
      announceEnd(tx, sessions);
      return sessions;
    });
    for (const { id, account_id } of ended) logDone(logger, event, { account_id, session_id: id, by_session: by });
    return ended.length;
  }

  /** Logs the sign-in that opened a session. @returns the session */
  function signedIn(session: SignedIn, { client }: SignInContext): SignedIn {
    logDone(logger, 'signed_in', { account_id: session.account.id, session_id: session.id, client });
    return session;
  }

  async function signInNewOwner(account: Account, context: SignInContext): Promise<SignedIn> {
    logDone(logger, 'account_created', { account_id: account.id, client: context.client });
    return signedIn(await openSession(account, context), context);
  }

  /** @throws DomainError validation_error at the pointer if the password is wrong; rate_limited */
  async function requirePassword(actor: Actor, password: string, pointer: string, context: SignInContext) {
    const found = await checkPassword(deps, { email: actor.email, password, context }, 'password_refused');
    if (!found) throw invalid(pointer, 'Your current password is incorrect.');
    return found;
  }

  /** Sets the password and ends all sessions. */
  async function replacePassword(tx: Tx, accountId: string, passwordHash: string): Promise<void> {
    await accountStore.updatePassword(tx.db, accountId, passwordHash, clock());
    announceEnd(tx, await store.deleteSessionsOf(tx.db, accountId));
  }

  return {
    find,

    /** Whether setup is needed because there is no account, and whether anyone may sign up. */
    async signInOptions(): Promise<{ needsSetup: boolean; signUp: boolean }> {
      return { needsSetup: (await accountStore.countAccounts(storage.read)) === 0, signUp: deps.signUp === 'open' };
    },

    /** @throws DomainError unauthorized (wrong email or password), rate_limited (too many failures) */
    async signIn(input: { email: string; password: string }, context: SignInContext): Promise<SignedIn> {
      const email = normalizeEmail(input.email);
      const found = await checkPassword(deps, { email, password: input.password, context }, 'sign_in_refused');
      if (!found) throw wrongCredentials();
      return signedIn(await openSession(found.account, context, found.hash), context);
    },

    /** @throws DomainError not_found if only the operator creates accounts; validation_error, rate_limited */
    async signUp(input: NewOwner, context: SignInContext): Promise<SignedIn> {
      if (deps.signUp !== 'open') {
        throw new DomainError('not_found', 'On this server, only the operator can create accounts (SIGN_UP=closed).');
      }
      const usage = await limits.signUps.count(context.client);
      if (usage.isOver) logRefused(logger, 'sign_up_refused', { reason: 'rate_limited', client: context.client });
      requireWithin(usage);
      const account = await accounts.createAccount(input);
      return signInNewOwner(account, context);
    },

    /** Creates a one-time code for creating the first owner; undefined if an account exists. */
    async createSetupLink(): Promise<string | undefined> {
      if ((await accountStore.countAccounts(storage.read)) > 0) return undefined;
      const code = createToken('set');
      await storage.inTransaction(({ db }) => store.insertSetupLink(db, sha256(code), clock()));
      return code;
    },

    /**
     * Creates the first owner; of concurrent requests, one succeeds. @throws DomainError not_found if the code is
     * unknown or used
     */
    async createFirstOwner(code: string, input: NewOwner, context: SignInContext): Promise<SignedIn> {
      const invalidLink = new DomainError(
        'not_found',
        'This setup link has already been used or belongs to a different Farmboard server. Sign in, or restart the service to get a new link.',
      );
      // check first, so that guesses do not cost a password hash
      const isKnownCode = isWellFormedToken('set', code) && (await store.hasSetupLink(storage.read, sha256(code)));
      if (!isKnownCode) throw invalidLink;
      const account = await accounts.createAccount(input, async (tx) => {
        const wasUsed = await store.consumeSetupLink(tx.db, sha256(code));
        if (!wasUsed || (await accountStore.countAccounts(tx.db)) > 0) throw invalidLink;
      });
      return signInNewOwner(account, context);
    },

    /** @throws DomainError unauthorized if there is no valid session */
    async authenticate(token: string | undefined): Promise<Actor> {
      const session = await find(token);
      if (!session) throw new DomainError('unauthorized', "You aren't signed in. Sign in at /console.");
      recordUse(session);
      return toActor(session);
    },

    /**
     * Checks the password again. The session continues with a new token, so that a copy of the old one gains nothing.
     * @throws DomainError validation_error if it is wrong, rate_limited
     */
    async confirmPassword(actor: Actor, password: string, context: SignInContext): Promise<SignedIn> {
      const found = await requirePassword(actor, password, '/password', context);
      const session = await openSession(found.account, context, found.hash);
      logDone(logger, 'password_confirmed', { account_id: actor.accountId, client: context.client });
      return session;
    },

    /** Opens a session of an account that nobody has a password of, beside the one that the request may have. */
    openUnlocked: (tx: Tx, account: Account, { client, userAgent, device }: SignInContext): Promise<SignedIn> =>
      openIn(tx, account, { client, userAgent, device, token: undefined }),

    /** Ends every session of an account. */
    async endAll(tx: Tx, accountId: string): Promise<void> {
      announceEnd(tx, await store.deleteSessionsOf(tx.db, accountId));
    },

    async signOut(token: string | undefined): Promise<void> {
      if (token === undefined || !isWellFormedToken('ses', token)) return;
      await endSessions('signed_out', ({ db }) => store.deleteSession(db, sha256(token)));
    },

    /** Ends one session of the account. @throws DomainError not_found, password_required */
    async end(actor: Actor, id: string): Promise<void> {
      requireRecentPassword(actor, clock());
      const { accountId, tokenId } = actor;
      const ended = await endSessions(
        'sessions_ended',
        ({ db }) => store.deleteSessionById(db, accountId, id),
        tokenId,
      );
      if (ended === 0) throw notFound();
    },

    /** Ends every other session of the account. @throws DomainError password_required */
    async signOutElsewhere(actor: Actor): Promise<void> {
      requireRecentPassword(actor, clock());
      const { accountId, tokenId } = actor;
      await endSessions('sessions_ended', ({ db }) => store.deleteSessionsOf(db, accountId, tokenId), tokenId);
    },

    list: (accountId: string): Promise<store.SessionRecord[]> =>
      store.listSessions(storage.read, accountId, validityLimits()),

    /**
     * Changes the password and ends every session; the current one continues with a new token.
     * @throws DomainError validation_error, rate_limited
     */
    async changePassword(
      actor: Actor,
      input: { current: string; next: string },
      context: SignInContext,
    ): Promise<SignedIn> {
      const found = await requirePassword(actor, input.current, '/current_password', context);
      const passwordHash = await passwords.hash(input.next, [actor.email, actor.accountName], '/new_password');
      const session = await storage.inTransaction(async (tx) => {
        await lockHash(tx.db, actor.accountId, found.hash);
        await replacePassword(tx, actor.accountId, passwordHash);
        return insertSession(tx, { account: found.account, hash: passwordHash }, context.userAgent);
      });
      logDone(logger, 'password_changed', { account_id: actor.accountId, client: context.client });
      return session;
    },

    /**
     * Sets a password without the old one, and ends all sessions. Only for the operator.
     * @throws DomainError not_found, validation_error
     */
    async resetPassword(email: string, password: string): Promise<void> {
      const account = await accounts.accountOf(email);
      const passwordHash = await passwords.hash(password, [account.email, account.name], '/password');
      await storage.inTransaction((tx) => replacePassword(tx, account.id, passwordHash));
    },
  };
}

const wrongCredentials = () => new DomainError('unauthorized', 'The email or password is incorrect.');

/**
 * @param verified the hash that was checked; if it changed meanwhile, sign-in fails
 * @returns the hash, locked until the transaction ends
 */
async function lockHash(db: Db, accountId: string, verified?: string): Promise<string> {
  const hash = await accountStore.lockPasswordHash(db, accountId);
  if (hash === undefined || (verified !== undefined && hash !== verified)) throw wrongCredentials();
  return hash;
}

/** Ends the streams of ended sessions in every process, after the commit. */
function announceEnd(tx: Tx, ended: store.EndedSession[]): void {
  for (const { id, account_id } of ended) tx.changed(account_id, { kind: 'session', id });
}

const toActor = ({ id, account, expiresAt, passwordCheckedAt }: store.FoundSession): Actor => ({
  accountId: account.id,
  accountName: account.name,
  email: account.email,
  tokenId: id,
  tokenName: CONSOLE,
  tokenExpiresAt: expiresAt,
  passwordCheckedAt,
});
