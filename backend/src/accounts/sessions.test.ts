import { availableParallelism } from 'node:os';
import { createSigner } from '../../../common/src/crypto.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { failure } from '../../../test/kit/failure.ts';
import { createTestLogger } from '../../../test/kit/logger.ts';
import { openTestStorage } from '../../../test/kit/storage.ts';
import { createLimits } from '../composition/limits.ts';
import { createRateLimits } from '../jobs/rate-limits.ts';
import type { PublishChange } from '../shared/change.ts';
import type { DomainError } from '../shared/errors.ts';
import type { CreateRateLimit } from '../shared/rate-limit.ts';
import { requireRecentPassword } from '../shared/recent-password.ts';
import { query } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import { publishChanges } from '../storage/publish-changes.ts';
import { createAccountService } from './account-service.ts';
import { createDevices } from './device-cookie.ts';
import type { SignInContext } from './password-check.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { insertSession } from './session-store.ts';
import { createSessionService, type SessionService } from './sessions.ts';

const EMAIL = 'owner@farm.example';
const PASSWORD = 'correct horse battery';
const OTHER_PASSWORD = 'another long password';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.UTC(2026, 10, 21);
const HOME: SignInContext = { client: '192.0.2.1', userAgent: 'browser', token: undefined, device: undefined };
const AWAY: SignInContext = { ...HOME, client: '192.0.2.99' };

let storage: Storage;
let now: number;
let sessions: SessionService;
let passwords: Passwords;
/** arguments of each verification: the hash, or undefined if the address has none */
let verified: (string | undefined)[];
/** how long attempts were delayed (ms) */
let pauses: number[];

/** `account/session` of each session that was announced as ended */
let ended: string[];
const publishChange: PublishChange = (accountId, { kind, id }) => void ended.push(`${kind} ${accountId}/${id}`);

/** the keys that were counted under any limit */
const counted = new Set<string>();
const noteCounted =
  (create: CreateRateLimit): CreateRateLimit =>
  (...of) => {
    const limit = create(...of);
    return { ...limit, count: (key) => limit.count(counted.add(key) && key) };
  };

function create(signUp: 'open' | 'closed' = 'closed') {
  const clock = () => now;
  const { logger } = createTestLogger();
  const real = createPasswords();
  passwords = {
    ...real,
    verify(hash, password, client) {
      verified.push(hash);
      return real.verify(hash, password, client);
    },
  };
  const accounts = createAccountService({ storage, clock, logger, passwords, hasPrices: async () => false });
  const { signIn: limits } = createLimits(
    { createRateLimit: noteCounted(createRateLimits()) },
    { rateLimitPerMinute: 0 },
  );
  const devices = createDevices({ sign: createSigner('a key of the tests, long enough', 'devices'), clock });
  const pause = async (ms: number) => pauses.push(ms);
  const published = publishChanges(storage, publishChange);
  const deps = { storage: published, clock, logger, passwords, accounts, signUp, limits, devices, pause };
  return { accounts, sessions: createSessionService(deps) };
}

beforeEach(async () => {
  storage = await openTestStorage();
  now = START;
  verified = [];
  pauses = [];
  // the limits' clock
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  ended = [];
  const made = create();
  sessions = made.sessions;
  await made.accounts.createAccount({ email: EMAIL, name: 'Farm', password: PASSWORD });
});

afterEach(() => {
  jest.restoreAllMocks();
  return storage.close();
});

const signIn = (password = PASSWORD, visitor = HOME, email = EMAIL) => sessions.signIn({ email, password }, visitor);
const isIn = (token: string) =>
  sessions.authenticate(token).then(
    () => true,
    () => false,
  );

const codes = async (promises: Promise<unknown>[]) =>
  (await Promise.allSettled(promises)).map((done) =>
    done.status === 'fulfilled' ? 'in' : (done.reason as DomainError).code,
  );

const storedSessions = () => query<{ hash: string; last_used_at: number }>(storage.read, 'SELECT * FROM sessions');

describe('a session', () => {
  test('is stored as a digest and acts for its account under the name console', async () => {
    const { token } = await signIn();
    expect(token).toMatch(/^ses_[0-9A-Za-z]{36}$/);
    expect(JSON.stringify(await storedSessions())).not.toContain(token.slice(4));
    expect(await sessions.authenticate(token)).toMatchObject({ email: EMAIL, tokenName: 'console' });
    for (const other of [undefined, '', 'x', token.slice(0, -1), token.replace('ses_', 'pat_')]) {
      expect((await failure(sessions.authenticate(other))).code).toBe('unauthorized');
    }
  });

  test('ends 30 days after sign-in, even if it is used', async () => {
    const { token, expiresAt } = await signIn();
    expect(expiresAt).toBe(START + 30 * DAY_MS);
    for (const day of [10, 20, 29]) {
      now = START + day * DAY_MS;
      expect(await isIn(token)).toBe(true);
      await eventually(storedSessions, ([row]) => row?.last_used_at === now);
    }
    now = START + 30 * DAY_MS - 1;
    expect(await isIn(token)).toBe(true);
    now += 1;
    expect(await isIn(token)).toBe(false);
  });

  test('ends after 14 days without use and is no longer listed', async () => {
    const { token } = await signIn();
    const { accountId } = await sessions.authenticate(token);
    now = START + 14 * DAY_MS - 1;
    expect(await sessions.list(accountId)).toHaveLength(1);
    now += 1;
    expect(await isIn(token)).toBe(false);
    expect(await sessions.list(accountId)).toEqual([]);
  });

  test('records its use at most every five minutes', async () => {
    const { token } = await signIn();
    now = START + 5 * MINUTE_MS - 1;
    await isIn(token);
    await storage.inTransaction(async () => undefined);
    expect((await storedSessions())[0]?.last_used_at).toBe(START);
    now += 1;
    await Promise.all(Array.from({ length: 20 }, () => isIn(token)));
    await eventually(storedSessions, ([row]) => row?.last_used_at === now);
  });

  test("is new after each sign-in; the browser's previous one ends", async () => {
    const first = await signIn();
    const second = await signIn(PASSWORD, { ...HOME, token: first.token });
    expect(second.token).not.toBe(first.token);
    expect([await isIn(first.token), await isIn(second.token)]).toEqual([false, true]);
  });

  test('ends if it was not used for longest of a thousand', async () => {
    const { token, id, account } = await signIn();
    const insert = (at: number) =>
      insertSession(storage.writer, {
        id: `${at}`,
        accountId: account.id,
        hash: `${at}`,
        userAgent: '',
        at: now + at,
        expiresAt: now + DAY_MS,
      });
    for (let at = 1; at < 1_000; at++) await insert(at);
    ended = [];
    now += MINUTE_MS;
    const { token: newest } = await signIn();
    expect(await storedSessions()).toHaveLength(1_000);
    expect([await isIn(token), await isIn(newest)]).toEqual([false, true]);
    expect(ended).toEqual([`session ${account.id}/${id}`]);
  });

  test('ends at sign-out, and the owner can end all others', async () => {
    const [one, two, three] = await Promise.all([signIn(), signIn(), signIn()]);
    await sessions.signOut(one.token);
    expect(await isIn(one.token)).toBe(false);
    await sessions.signOutElsewhere(await sessions.authenticate(two.token));
    expect([await isIn(two.token), await isIn(three.token)]).toEqual([true, false]);
  });

  test('gets a new token when the password changes; every other session ends', async () => {
    const [mine, other] = await Promise.all([signIn(), signIn()]);
    const actor = await sessions.authenticate(mine.token);
    const change = (current: string, next: string) => sessions.changePassword(actor, { current, next }, HOME);
    expect((await failure(change('wrong', 'another long password'))).faults).toMatchObject([
      { pointer: '/current_password' },
    ]);
    expect((await failure(change(PASSWORD, 'short'))).faults).toMatchObject([{ pointer: '/new_password' }]);
    expect([await isIn(mine.token), await isIn(other.token)]).toEqual([true, true]);
    const { token } = await change(PASSWORD, 'another long password');
    expect([await isIn(token), await isIn(mine.token), await isIn(other.token)]).toEqual([true, false, false]);
    expect((await failure(signIn())).code).toBe('unauthorized');
    await signIn('another long password');
  });

  test('is not created if the password changed while it was verified', async () => {
    const actor = await sessions.authenticate((await signIn()).token);
    const { verify } = passwords;
    // the change commits between the check and the session
    passwords.verify = async (hash, password) => {
      passwords.verify = verify;
      const checked = await verify(hash, password, HOME.client);
      await sessions.changePassword(actor, { current: PASSWORD, next: 'another long password' }, HOME);
      return checked;
    };
    expect((await failure(signIn())).code).toBe('unauthorized');
    expect(await storedSessions()).toHaveLength(1);
  });
});

describe('a password', () => {
  /** é and й as one character and as a letter with a mark, as keyboards of Windows and macOS compose them. */
  const [ONE, TWO] = ['NFC', 'NFD'].map((form) => 'café на йоте 2026'.normalize(form)) as [string, string];
  const hashOf = async () =>
    (await query<{ password_hash: string }>(storage.read, 'SELECT password_hash FROM accounts'))[0]?.password_hash;
  const resetTo = (password: string) => sessions.resetPassword(EMAIL, password);

  test('is the same whichever way its letters are composed', async () => {
    for (const password of [ONE, TWO]) {
      await resetTo(password);
      const hash = await hashOf();
      await signIn(ONE);
      await signIn(TWO);
      expect(await hashOf()).toBe(hash);
    }
    // other letters stay other ones
    expect((await failure(signIn('cafe на иоте 2026'))).code).toBe('unauthorized');
  });
});

describe('a wrong password', () => {
  test('gets the same response as an unknown address, after the same work', async () => {
    const wrong = await failure(signIn('wrong'));
    const unknown = await failure(signIn('wrong', HOME, 'nobody@farm.example'));
    expect([unknown.code, unknown.message]).toEqual([wrong.code, wrong.message]);
    expect(verified).toEqual([expect.stringMatching(/^\$argon2id/), undefined]);
  });

  test('blocks a client after ten failures within 15 minutes, even with the right one; other clients can sign in', async () => {
    for (let i = 0; i < 10; i++) expect((await failure(signIn('wrong'))).code).toBe('unauthorized');
    now += 5 * MINUTE_MS;
    verified.length = 0;
    const refused = await failure(signIn());
    expect([refused.code, refused.retryAfter]).toEqual(['rate_limited', 600]);
    expect(verified).toEqual([]);
    await signIn(PASSWORD, AWAY);
    // neither another spelling nor the other client's success unblocks it
    expect((await failure(signIn(PASSWORD, HOME, ` ${EMAIL.toUpperCase()} `))).code).toBe('rate_limited');
    now += 10 * MINUTE_MS;
    await signIn();
  });

  test('is counted for 50 concurrent attempts', async () => {
    const all = await codes(Array.from({ length: 50 }, () => signIn('wrong')));
    expect(all.filter((code) => code === 'unauthorized')).toHaveLength(10);
    expect(all.filter((code) => code === 'rate_limited')).toHaveLength(40);
    expect(verified).toHaveLength(10);
  });

  test('is forgotten after a right one', async () => {
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 9; i++) await failure(signIn('wrong'));
      await signIn();
    }
  });

  test('also counts when changing the password', async () => {
    const actor = await sessions.authenticate((await signIn()).token);
    const change = (current: string) => sessions.changePassword(actor, { current, next: PASSWORD }, HOME);
    for (let i = 0; i < 10; i++) expect((await failure(change('wrong'))).code).toBe('validation_error');
    expect((await failure(change(PASSWORD))).code).toBe('rate_limited');
  });

  test('blocks a client for all accounts after a hundred failures', async () => {
    for (let i = 0; i < 100; i++) await failure(signIn('wrong', HOME, `owner${i}@farm.example`));
    counted.clear();
    expect((await failure(signIn())).code).toBe('rate_limited');
    for (let i = 0; i < 20; i++) await failure(signIn('wrong', HOME, `other${i}@farm.example`));
    // whatever addresses it names
    expect(counted).toEqual(new Set([HOME.client]));
    await signIn(PASSWORD, AWAY);
  });

  test('from many clients delays unknown devices, and never refuses the right one', async () => {
    const { device } = await signIn();
    const hostile = (i: number) => ({ ...HOME, client: `198.51.100.${i}` });
    for (let i = 0; i < 20; i++) await failure(signIn('wrong', hostile(i)));
    expect(pauses).toEqual([]);
    await signIn(PASSWORD, AWAY);
    await failure(signIn('wrong', hostile(20)));
    expect(pauses).toEqual([5_000, 5_000]);
    // a browser that has signed in before isn't even delayed
    await signIn(PASSWORD, { ...AWAY, device });
    expect(pauses).toHaveLength(2);
    // its cookie is worth nothing for another account, or forged
    await failure(signIn('wrong', { ...AWAY, device: `${device}x` }));
    expect(pauses).toHaveLength(3);
    // and ends with the password it was made under
    await sessions.resetPassword(EMAIL, OTHER_PASSWORD);
    const renewed = await signIn(OTHER_PASSWORD, { ...AWAY, device });
    expect(pauses).toHaveLength(4);
    await signIn(OTHER_PASSWORD, { ...AWAY, device: renewed.device });
    expect(pauses).toHaveLength(4);
  });

  test('is limited for a known device too, whatever its address', async () => {
    const { device } = await signIn();
    for (let i = 0; i < 10; i++) await failure(signIn('wrong', { ...HOME, client: `198.51.100.${i}`, device }));
    expect((await failure(signIn(PASSWORD, { ...HOME, device }))).code).toBe('rate_limited');
    await signIn();
  });
});

describe('a change that needs the password', () => {
  test('is accepted for ten minutes after it was entered, in this session only, which gets a new token', async () => {
    const { token } = await signIn();
    const { token: elsewhere } = await signIn(PASSWORD, AWAY);
    const check = async (of: string) => requireRecentPassword(await sessions.authenticate(of), now);
    now += 10 * MINUTE_MS - 1;
    await check(token);
    now += 1;
    expect((await failure(check(token))).code).toBe('password_required');
    const confirm = async (password: string) =>
      sessions.confirmPassword(await sessions.authenticate(token), password, { ...HOME, token });
    expect((await failure(confirm('wrong'))).faults).toMatchObject([{ pointer: '/password' }]);
    expect((await failure(check(token))).code).toBe('password_required');
    const confirmed = await confirm(PASSWORD);
    await check(confirmed.token);
    expect(await isIn(token)).toBe(false);
    expect((await failure(check(elsewhere))).code).toBe('password_required');
  });

  test('counts wrong passwords like a sign-in', async () => {
    const { token } = await signIn();
    const confirm = async (password: string) =>
      sessions.confirmPassword(await sessions.authenticate(token), password, HOME);
    for (let i = 0; i < 10; i++) expect((await failure(confirm('wrong'))).code).toBe('validation_error');
    expect((await failure(confirm(PASSWORD))).code).toBe('rate_limited');
  });
});

describe('creating an account', () => {
  const input = { email: 'new@farm.example', name: 'New', password: PASSWORD };

  test('is limited to the operator with SIGN_UP=closed, and open to anyone, limited per client, with SIGN_UP=open', async () => {
    expect((await failure(sessions.signUp(input, HOME))).code).toBe('not_found');
    sessions = create('open').sessions;
    const { token } = await sessions.signUp(input, HOME);
    expect(await sessions.authenticate(token)).toMatchObject({ email: 'new@farm.example', accountName: 'New' });
    expect((await failure(sessions.signUp(input, HOME))).faults).toMatchObject([{ pointer: '/email' }]);
    const many = Array.from({ length: 30 }, (_, i) => sessions.signUp({ ...input, email: `n${i}@farm.example` }, HOME));
    expect((await codes(many)).filter((code) => code === 'in')).toHaveLength(18);
  });
});

test('limits concurrent password hashes and refuses immediately when 64 are waiting', async () => {
  const own = createPasswords();
  const atOnce = availableParallelism() < 4 ? 1 : 2;
  const began = Array.from({ length: 200 }, () => own.hash(PASSWORD, []));
  const all = await codes(began);
  expect(all.filter((code) => code === 'in')).toHaveLength(64 + atOnce);
  expect(all.filter((code) => code === 'rate_limited')).toHaveLength(136 - atOnce);
  // one client gets ten places only
  const greedy = await codes(Array.from({ length: 20 }, () => own.verify(undefined, PASSWORD, '192.0.2.1')));
  expect(greedy.filter((code) => code === 'in')).toHaveLength(10 + atOnce);
  // capacity is free again
  await Promise.all(Array.from({ length: 64 }, () => own.hash(PASSWORD, [])));
});

test('announces each session that ends, in whatever way', async () => {
  const announced = () => ended.splice(0).sort();
  const idOf = async ({ token }: { token: string }) => {
    const { accountId, tokenId } = await sessions.authenticate(token);
    return `session ${accountId}/${tokenId}`;
  };
  const one = await signIn();
  const id = await idOf(one);
  expect(announced()).toEqual([]);
  const two = await sessions.signIn({ email: EMAIL, password: PASSWORD }, { ...HOME, token: one.token });
  expect(announced()).toEqual([id]);
  const others = [await signIn(), await signIn()];
  const ids = await Promise.all(others.map(idOf));
  await sessions.signOutElsewhere(await sessions.authenticate(two.token));
  expect(announced()).toEqual(ids.sort());
  const three = await signIn();
  const remaining = [await idOf(two), await idOf(three)].sort();
  const actor = await sessions.authenticate(two.token);
  const four = await sessions.changePassword(actor, { current: PASSWORD, next: 'staple correct horse battery' }, HOME);
  expect(announced()).toEqual(remaining);
  const last = await idOf(four);
  await sessions.signOut(four.token);
  await sessions.signOut(four.token);
  expect(announced()).toEqual([last]);
});
