import { verify } from '@node-rs/argon2';
import { DAY_MS } from '../../../common/src/clock.ts';
import { createToken } from '../../../common/src/crypto.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { failure } from '../../../test/kit/failure.ts';
import { createTestLogger } from '../../../test/kit/logger.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { openTestStorage } from '../../../test/kit/storage.ts';
import { query } from '../storage/dialect.ts';
import { type AccountService, createAccountService } from './account-service.ts';
import { createPasswords } from './passwords.ts';

const EMAIL = 'owner@farm.example';
const PASSWORD = 'correct horse battery';
const START = Date.UTC(2026, 10, 21);

const storage = forTest(openTestStorage);
let now: number;
let accounts: AccountService;
let statements: string[];

const create = () =>
  createAccountService({
    storage,
    clock: () => now,
    logger: createTestLogger().logger,
    passwords: createPasswords(),
    hasPrices: async () => false,
  });

beforeEach(() => {
  now = START;
  accounts = create();
  statements = [];
  storage.read.on('query', ({ sql }: { sql: string }) => statements.push(sql));
});

const make = (more: object = {}) => accounts.createAccount({ email: EMAIL, name: 'Farm', password: PASSWORD, ...more });

const hashes = async () =>
  (await query<{ password_hash: string }>(storage.read, 'SELECT password_hash FROM accounts')).map(
    ({ password_hash }) => password_hash,
  );

const bearer = (token: string) => accounts.authenticate(`Bearer ${token}`);

describe('an account', () => {
  test('stores its password as argon2id with the chosen costs', async () => {
    await make();
    const [hash] = await hashes();
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/);
    expect(await verify(hash!, PASSWORD)).toBe(true);
    expect(await verify(hash!, `${PASSWORD}!`)).toBe(false);
  });

  test('salts: hashing one password twice gives two hashes', async () => {
    await make();
    await make({ email: 'other@farm.example' });
    const [first, second] = await hashes();
    expect(first).not.toBe(second);
  });

  test('has one address, whatever its case and surrounding spaces', async () => {
    expect(await make({ email: '  Owner@Farm.Example ', name: ' Farm ' })).toMatchObject({
      email: EMAIL,
      name: 'Farm',
    });
    for (const email of [EMAIL, 'OWNER@FARM.EXAMPLE']) {
      expect((await failure(make({ email }))).faults).toMatchObject([{ pointer: '/email' }]);
    }
    expect(await accounts.count()).toBe(1);
    expect((await accounts.accountOf('OWNER@farm.example')).email).toBe(EMAIL);
  });

  test('has one address, however its letters are composed', async () => {
    const [one, two] = ['NFC', 'NFD'].map((form) => 'café@farm.example'.normalize(form)) as [string, string];
    const { id } = await make({ email: two });
    expect((await failure(make({ email: one }))).faults).toMatchObject([{ pointer: '/email' }]);
    expect([(await accounts.accountOf(one)).id, (await accounts.accountOf(two)).id]).toEqual([id, id]);
  });

  test.each(['kettle-mango', 'hV7#kq2Lm9xz', 'fifteen letters', '😀😎🙃🤖👻🎃🦊🐙🌵🍕🚀🎲🧩🪁🔭'])(
    'is created with the password %s',
    async (password) => {
      await make({ password });
      expect(await accounts.count()).toBe(1);
    },
  );

  test('is created once by twenty concurrent requests', async () => {
    const made = await Promise.allSettled(Array.from({ length: 20 }, () => make()));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await accounts.count()).toBe(1);
  });

  test.each([
    ['/email', { email: 'nobody' }],
    ['/email', { email: '@' }],
    ['/email', { email: 'a b@c' }],
    // look like a@farm.example
    ...[
      'a\u200b',
      'a\u00ad',
      '\u202ea',
      'a\ufe0f',
      'a\u034f',
      'a\u3164',
      'a\u2800',
      'a\u0007',
      'a\ue000',
      'a\u{e0041}',
    ].map((name): [string, object] => ['/email', { email: `${name}@farm.example` }]),
    ['/email', { email: 'a@fa\u00adrm.example' }],
    ['/name', { name: '\u200b' }],
    ['/name', { name: '  ' }],
    ['/password', { password: 'x'.repeat(11) }],
    ['/password', { password: 'x'.repeat(1025) }],
    // 12 to 14 code points that are easy to guess
    ['/password', { password: '123456789012' }],
    ['/password', { password: 'iloveyou1234' }],
    ['/password', { password: 'aaaaaaaaaaaa' }],
    // made of the owner's own address
    ['/password', { password: 'ownerexample' }],
    // 12 UTF-16 units, but 6 characters
    ['/password', { password: '😀😎🙃🤖👻🎃' }],
  ])('is refused for its %s: %j', async (pointer, more) => {
    expect((await failure(make(more))).faults).toMatchObject([{ pointer }]);
    expect(await accounts.count()).toBe(0);
  });

  test('that does not exist is reported', async () => {
    expect((await failure(accounts.accountOf('nobody@farm.example'))).code).toBe('not_found');
  });
});

describe('a token', () => {
  beforeEach(() => make());

  const newToken = ({ email = EMAIL, ...more }: { email?: string; name?: string; days?: number | null } = {}) =>
    accounts.createToken({ email, passwordCheckedAt: null }, { name: 'n8n', ...more });

  test('authenticates its account and names the token', async () => {
    const token = await newToken();
    expect(await bearer(token)).toMatchObject({
      accountName: 'Farm',
      email: EMAIL,
      tokenName: 'n8n',
      tokenExpiresAt: START + 365 * DAY_MS,
    });
    // the scheme's name is case-insensitive (RFC 9110)
    expect((await accounts.authenticate(`bearer ${token}`)).email).toBe(EMAIL);
  });

  test('is stored as its hash only', async () => {
    const token = await newToken();
    const rows = JSON.stringify(await query(storage.read, 'SELECT * FROM tokens'));
    expect(rows).not.toContain(token);
    expect(rows).not.toContain(token.slice(4, 20));
  });

  test('is refused from the millisecond it expires', async () => {
    const token = await newToken({ days: 2 });
    now = START + 2 * DAY_MS - 1;
    expect((await bearer(token)).tokenName).toBe('n8n');
    now += 1;
    expect((await failure(bearer(token))).code).toBe('unauthorized');
  });

  test('may be created without expiry', async () => {
    const token = await newToken({ days: null });
    now += 50 * 365 * DAY_MS;
    expect((await bearer(token)).tokenExpiresAt).toBeNull();
  });

  test('is refused after its revocation; the others stay, and its name can be reused', async () => {
    const token = await newToken();
    const other = await newToken({ name: 'lab' });
    await bearer(token);
    await accounts.revokeToken(EMAIL, 'n8n');
    expect((await failure(bearer(token))).code).toBe('unauthorized');
    expect((await bearer(other)).tokenName).toBe('lab');
    const again = await newToken();
    expect((await bearer(again)).tokenName).toBe('n8n');
    expect((await failure(bearer(token))).code).toBe('unauthorized');
    expect((await accounts.listTokens(EMAIL)).map(({ name }) => name)).toEqual(['lab', 'n8n']);
  });

  test('has a unique name among the active ones', async () => {
    await newToken();
    await expect(newToken()).rejects.toMatchObject({ faults: [{ pointer: '/name' }] });
    for (const name of ['', '  ', 'x'.repeat(101)]) {
      expect((await failure(newToken({ name }))).faults).toMatchObject([{ pointer: '/name' }]);
    }
    expect((await failure(accounts.revokeToken(EMAIL, 'unknown'))).code).toBe('not_found');
  });

  test('of another account with the same name is a different token', async () => {
    await make({ email: 'other@farm.example' });
    const mine = await newToken();
    const theirs = await newToken({ email: 'other@farm.example' });
    await accounts.revokeToken(EMAIL, 'n8n');
    expect((await failure(bearer(mine))).code).toBe('unauthorized');
    expect((await bearer(theirs)).email).toBe('other@farm.example');
  });

  test('of another account is not revoked by its id', async () => {
    const stranger = await make({ email: 'other@farm.example' });
    const token = await newToken();
    const { tokenId, accountId } = await bearer(token);
    expect((await failure(accounts.revokeTokenById(stranger.id, tokenId))).code).toBe('not_found');
    expect((await bearer(token)).tokenId).toBe(tokenId);
    await accounts.revokeTokenById(accountId, tokenId);
    expect((await failure(bearer(token))).code).toBe('unauthorized');
  });

  test('that is malformed is refused without a database query', async () => {
    const token = await newToken();
    const mistyped = token.slice(0, 10) + (token[10] === 'x' ? 'y' : 'x') + token.slice(11);
    const headers = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer ${mistyped}`,
      `Bearer ${token} more`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${createToken('agt')}`,
      `Bearer ${'x'.repeat(10_000)}`,
    ];
    statements.length = 0;
    for (const header of headers) expect((await failure(accounts.authenticate(header))).code).toBe('unauthorized');
    expect(statements).toEqual([]);
    // a well-formed unknown token costs one query
    expect((await failure(bearer(createToken('pat')))).code).toBe('unauthorized');
    expect(statements).toHaveLength(1);
  });

  describe('its last use', () => {
    const notes = () => statements.filter((sql) => /update tokens set last_used_at/i.test(sql)).length;
    const lastUsed = async () => (await accounts.listTokens(EMAIL))[0]?.lastUsedAt;
    /** resolves when writes started before it are committed */
    const written = () => storage.inTransaction(async () => undefined);

    test('is written at most once in 60 seconds', async () => {
      const token = await newToken();
      expect(await lastUsed()).toBeNull();
      for (let i = 0; i < 20; i++) await bearer(token);
      await eventually(lastUsed, (at) => at === START);
      now = START + 59_999;
      await Promise.all(Array.from({ length: 20 }, () => bearer(token)));
      await written();
      expect(notes()).toBe(1);
      now = START + 60_000;
      await Promise.all(Array.from({ length: 20 }, () => bearer(token)));
      await eventually(lastUsed, (at) => at === START + 60_000);
      await written();
      expect(notes()).toBe(2);
    });

    test('that another process has just written is not written again', async () => {
      const token = await newToken();
      await bearer(token);
      await eventually(lastUsed, (at) => at === START);
      now = START + 30_000;
      accounts = create();
      await bearer(token);
      await written();
      expect(notes()).toBe(1);
    });

    test('is not written for a refused token', async () => {
      const token = await newToken({ days: 1 });
      now = START + DAY_MS;
      await failure(bearer(token));
      await written();
      expect(notes()).toBe(0);
    });
  });
});
