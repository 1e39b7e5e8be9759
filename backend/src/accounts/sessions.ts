import { verify } from '@node-rs/argon2';
import type { Clock } from '../clock.ts';
import { createToken, isWellFormedToken, sha256 } from '../crypto.ts';
import { DomainError, invalid } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Storage } from '../storage/open.ts';
import type { AccountService } from './service.ts';
import * as store from './session-store.ts';
import { type Account, countAccounts } from './store.ts';
import type { Actor } from './token.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Signed in again at least this often. */
const LIFETIME_MS = 30 * DAY_MS;
/** A session that nobody uses ends after this. */
const IDLE_MS = 14 * DAY_MS;
const LAST_USED_GRAIN_MS = 5 * 60_000;
const MOST_USER_AGENT = 300;

/** A guesser gets this many tries at one address within the time; whoever knows the password is let in all the same. */
const MOST_FAILURES = 10;
const FAILURES_WITHIN_MS = 15 * 60_000;

/** What a history row calls a change made by a person at the console. */
const CONSOLE = 'console';

export interface SignedIn {
  /** goes into the cookie, and is nowhere else */
  token: string;
  expiresAt: number;
  account: Account;
}

export type SessionService = ReturnType<typeof createSessionService>;

/** Who may come in through the console's door. */
export function createSessionService(deps: {
  storage: Storage;
  clock: Clock;
  accounts: Pick<AccountService, 'createAccount' | 'hashPassword'>;
  signUp: 'closed' | 'open';
}) {
  const { storage, clock, accounts } = deps;
  /** address → when its last failures were */
  const failures = new Map<string, number[]>();
  let nobody: Promise<string> | undefined;

  const recentFailures = (email: string): number[] =>
    (failures.get(email) ?? []).filter((at) => at > clock() - FAILURES_WITHIN_MS);

  function noteFailure(email: string): void {
    // whoever tries addresses by the thousand must not fill the memory
    if (failures.size > 10_000) failures.clear();
    failures.set(email, [...recentFailures(email), clock()]);
  }

  /** @returns the account when the password is right. Takes as long for an address that has none. */
  async function checkPassword(email: string, password: string): Promise<Account | undefined> {
    nobody ??= accounts.hashPassword(createToken('nobody'));
    const found = await store.findPasswordHash(storage.read, email);
    const isRight = await verify(found?.hash ?? (await nobody), password);
    return isRight ? found?.account : undefined;
  }

  async function open(account: Account, userAgent: string): Promise<SignedIn> {
    const token = createToken('ses');
    const at = clock();
    const expiresAt = at + LIFETIME_MS;
    await storage.inTransaction(({ db }) =>
      store.insertSession(db, {
        id: newId(),
        accountId: account.id,
        hash: sha256(token),
        userAgent: userAgent.slice(0, MOST_USER_AGENT),
        at,
        expiresAt,
      }),
    );
    return { token, expiresAt, account };
  }

  async function find(token: string | undefined): Promise<store.FoundSession | undefined> {
    if (token === undefined || !isWellFormedToken('ses', token)) return undefined;
    const found = await store.findSession(storage.read, sha256(token));
    const now = clock();
    return found && found.expiresAt > now && found.lastUsedAt > now - IDLE_MS ? found : undefined;
  }

  return {
    find,

    /** Whether nobody has an account yet, and anybody may make one. */
    async doors(): Promise<{ needsSetUp: boolean; signUp: boolean }> {
      return { needsSetUp: (await countAccounts(storage.read)) === 0, signUp: deps.signUp === 'open' };
    },

    /** @throws DomainError unauthorized (wrong), rate_limited (too many wrong ones for this address) */
    async signIn(input: { email: string; password: string }, userAgent: string): Promise<SignedIn> {
      const email = input.email.trim().toLowerCase();
      if (recentFailures(email).length >= MOST_FAILURES) {
        throw new DomainError('rate_limited', 'Too many wrong passwords for this address. Try again in 15 minutes.');
      }
      const account = await checkPassword(email, input.password);
      if (!account) {
        noteFailure(email);
        throw new DomainError('unauthorized', 'The e-mail address or the password is wrong.');
      }
      failures.delete(email);
      return open(account, userAgent);
    },

    /** @throws DomainError not_found when accounts are made by the operator only; validation_error */
    async signUp(input: { email: string; name: string; password: string }, userAgent: string): Promise<SignedIn> {
      if (deps.signUp !== 'open') {
        throw new DomainError('not_found', 'Accounts are made by the operator here (SIGN_UP=closed).');
      }
      return open(await accounts.createAccount(input), userAgent);
    },

    /** A new one-time code that makes the first owner; undefined when there is one already. */
    async createSetUpLink(): Promise<string | undefined> {
      if ((await countAccounts(storage.read)) > 0) return undefined;
      const code = createToken('set');
      await storage.inTransaction(({ db }) => store.insertSetUpLink(db, sha256(code), clock()));
      return code;
    },

    /** Makes the first owner. Of many at once, one does. @throws DomainError not_found: used, or no such code */
    async setUp(
      code: string,
      input: { email: string; name: string; password: string },
      userAgent: string,
    ): Promise<SignedIn> {
      const gone = new DomainError(
        'not_found',
        'This set-up link has been used, or belongs to another Farmboard. Sign in, or restart the service for a new link.',
      );
      if (!isWellFormedToken('set', code)) throw gone;
      const account = await accounts.createAccount(input, async (tx) => {
        const isOurs = await store.useSetUpLink(tx.db, sha256(code));
        if (!isOurs || (await countAccounts(tx.db)) > 0) throw gone;
      });
      return open(account, userAgent);
    },

    /** @throws DomainError unauthorized when nobody is signed in by it */
    async authenticate(token: string | undefined): Promise<Actor> {
      const session = await find(token);
      if (!session) throw new DomainError('unauthorized', 'Nobody is signed in. Sign in at /console.');
      const now = clock();
      if (now - session.lastUsedAt > LAST_USED_GRAIN_MS) {
        await storage.inTransaction(({ db }) => store.touchSession(db, session.id, now));
      }
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
      const session = await find(token);
      if (session) await storage.inTransaction(({ db }) => store.deleteSession(db, session.id));
    },

    /** Ends every session of the account but the one that asks. */
    signOutElsewhere: (actor: Actor): Promise<void> =>
      storage.inTransaction(({ db }) => store.deleteSessionsOf(db, actor.accountId, actor.tokenId)),

    list: (accountId: string): Promise<store.SessionRecord[]> => store.listSessions(storage.read, accountId, clock()),

    /** Changes the password and ends every other session. @throws DomainError validation_error */
    async changePassword(actor: Actor, input: { current: string; next: string }): Promise<void> {
      const account = await checkPassword(actor.email, input.current);
      if (!account) throw invalid('/current_password', 'This is not your current password.');
      const passwordHash = await accounts.hashPassword(input.next);
      await storage.inTransaction(async ({ db }) => {
        await store.updatePassword(db, actor.accountId, passwordHash, clock());
        await store.deleteSessionsOf(db, actor.accountId, actor.tokenId);
      });
    },
  };
}
