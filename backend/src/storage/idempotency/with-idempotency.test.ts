import { ENGINE } from '../../../../test/kit/engine.ts';
import { eventually } from '../../../../test/kit/eventually.ts';
import { codeOf } from '../../../../test/kit/failure.ts';
import { createTestLogger } from '../../../../test/kit/logger.ts';
import { forTest } from '../../../../test/kit/opened.ts';
import { createTestFolder, insertTestAccount, openTestStorage } from '../../../../test/kit/storage.ts';
import { DomainError } from '../../shared/errors.ts';
import { isPostgres, query, queryOne } from '../dialect.ts';
import { purgeRows } from '../purge.ts';
import type { Tx } from '../transaction.ts';
import { expiredKeys } from './idempotency-store.ts';
import { createKeyLimits } from './key-limits.ts';
import { createWithIdempotency, KEY_LIFETIME_MS, type WithIdempotency } from './with-idempotency.ts';

const folder = forTest(createTestFolder);
const storage = forTest(() => openTestStorage(folder.path('farm.sqlite3')));
let now: number;
let account: string;
let withIdempotency: WithIdempotency;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 21);
  account = await insertTestAccount(storage);
  withIdempotency = createWithIdempotency({ storage, clock: () => now });
  await query(
    storage.writer,
    `CREATE TABLE effects (id ${isPostgres(storage.writer) ? 'BIGINT GENERATED ALWAYS AS IDENTITY' : 'INTEGER'} PRIMARY KEY, what TEXT)`,
  );
});

const effect =
  (what: string) =>
  async ({ db }: Tx): Promise<{ id: number; what: string }> => {
    const row = await queryOne<{ id: number }>(db, 'INSERT INTO effects (what) VALUES (?) RETURNING id', [what]);
    return { id: row!.id, what };
  };

const effects = async () =>
  (await query<{ what: string }>(storage.read, 'SELECT what FROM effects ORDER BY id')).map(({ what }) => what);

const keys = () =>
  query<{ key: string; result: string | null }>(storage.read, 'SELECT key, result FROM idempotency_keys');

const request = { key: 'k', hash: 'h' };

test('executes every request without a key and stores none', async () => {
  await withIdempotency(account, undefined, effect('a'));
  const second = await withIdempotency(account, undefined, effect('a'));
  expect(second).toEqual({ result: { id: 2, what: 'a' }, replayed: false });
  expect(await effects()).toEqual(['a', 'a']);
  expect(await keys()).toEqual([]);
});

test('replays the first result for a repeated request without effect', async () => {
  expect(await withIdempotency(account, request, effect('a'))).toEqual({
    result: { id: 1, what: 'a' },
    replayed: false,
  });
  now += KEY_LIFETIME_MS - 1;
  expect(await withIdempotency(account, request, effect('b'))).toEqual({
    result: { id: 1, what: 'a' },
    replayed: true,
  });
  expect(await effects()).toEqual(['a']);
});

test('refuses a key that was used for another request and leaves both requests unchanged', async () => {
  await withIdempotency(account, request, effect('a'));
  expect(await codeOf(withIdempotency(account, { ...request, hash: 'other' }, effect('b')))).toBe(
    'idempotency_conflict',
  );
  expect((await withIdempotency(account, request, effect('c'))).result.what).toBe('a');
  expect(await effects()).toEqual(['a']);
});

test('keys are scoped to their account', async () => {
  const other = await insertTestAccount(storage);
  await withIdempotency(account, request, effect('a'));
  expect((await withIdempotency(other, request, effect('b'))).replayed).toBe(false);
  expect(await effects()).toEqual(['a', 'b']);
  // each account gets its own result
  expect((await withIdempotency(account, request, effect('c'))).result.what).toBe('a');
  expect((await withIdempotency(other, request, effect('c'))).result.what).toBe('b');
});

test('stores no key for a failed request, so it may succeed when repeated, even modified', async () => {
  const failing = withIdempotency(account, request, async (tx) => {
    await effect('half')(tx);
    throw new DomainError('insufficient_stock', 'not enough');
  });
  expect(await codeOf(failing)).toBe('insufficient_stock');
  expect(await keys()).toEqual([]);
  expect(await effects()).toEqual([]);
  expect((await withIdempotency(account, { ...request, hash: 'other' }, effect('a'))).replayed).toBe(false);
  expect(await effects()).toEqual(['a']);
});

test('fifty concurrent requests over two handles have one effect and one result', async () => {
  const second = await openTestStorage(storage.file);
  try {
    const racers = [withIdempotency, createWithIdempotency({ storage: second, clock: () => now })];
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => racers[index % 2]!(account, request, effect(`racer ${index}`))),
    );
    expect(await effects()).toHaveLength(1);
    expect(outcomes.filter((outcome) => !outcome.replayed)).toHaveLength(1);
    for (const outcome of outcomes) expect(outcome.result).toEqual(outcomes[0]!.result);
  } finally {
    await second.close();
  }
});

test('a request that waits for one that fails does the work itself', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      withIdempotency(account, request, async (tx) => {
        if (index < 3) throw new Error('no luck');
        return effect(`racer ${index}`)(tx);
      }),
    ),
  );
  const statuses = outcomes.map(({ status }) => status);
  expect(statuses.slice(3)).toEqual(Array<string>(7).fill('fulfilled'));
  // SQLite runs them one by one; on PostgreSQL a failing one may come last and get the result of another
  if (ENGINE === 'sqlite') expect(statuses.slice(0, 3)).toEqual(Array<string>(3).fill('rejected'));
  // PostgreSQL decides which request is next
  const [by, ...more] = await effects();
  expect(more).toEqual([]);
  expect(by).toMatch(/^racer [3-9]$/);
});

test('releases a key after 30 days, also for another request', async () => {
  await withIdempotency(account, request, effect('a'));
  now += KEY_LIFETIME_MS;
  expect(await withIdempotency(account, { ...request, hash: 'other' }, effect('b'))).toMatchObject({ replayed: false });
  expect(await effects()).toEqual(['a', 'b']);
  // and is kept for another 30 days
  now += KEY_LIFETIME_MS - 1;
  expect(await codeOf(withIdempotency(account, request, effect('c')))).toBe('idempotency_conflict');
  expect((await withIdempotency(account, { ...request, hash: 'other' }, effect('c'))).result.what).toBe('b');
});

test('returns what must not be stored in the first response only', async () => {
  const work = async () => ({ id: 1, secret: 'whsec_visible' });
  const keep = (result: { id: number; secret: string }) => ({ ...result, secret: '' });
  expect((await withIdempotency(account, request, work, { keep })).result.secret).toBe('whsec_visible');
  expect(await withIdempotency(account, request, work, { keep })).toEqual({
    result: { id: 1, secret: '' },
    replayed: true,
  });
  expect(JSON.stringify(await keys())).not.toContain('visible');
});

test('leaves the key unused if there is nothing to keep', async () => {
  const keep = () => undefined;
  for (const what of ['a', 'b']) {
    const outcome = await withIdempotency(account, { ...request, hash: what }, effect(what), { keep });
    expect([outcome.result.what, outcome.replayed]).toEqual([what, false]);
  }
  expect(await keys()).toEqual([]);
});

test.each([
  ['keys', { keys: 20, bytes: 1_000_000 }],
  ['bytes', { keys: 10_000, bytes: 2_000 }],
])('of an account with too many %s, the oldest go first; nobody is refused', async (_what, limits) => {
  const other = await insertTestAccount(storage);
  await withIdempotency(other, { key: 'other', hash: 'h' }, effect('a'));
  const stored = createKeyLimits({ storage, ...createTestLogger() }, limits);
  const limited = createWithIdempotency({ storage, clock: () => now, stored });
  // 100 bytes of result each
  const work = async () => 'x'.repeat(98);
  for (let n = 1; n <= 30; n++) {
    now += 1;
    expect((await limited(account, { key: `${n}`, hash: 'h' }, work)).replayed).toBe(false);
  }
  const newest = Array.from({ length: 20 }, (_, index) => `${index + 11}`);
  const left = await eventually(keys, (found) => found.length === 21);
  expect(new Set(left.map(({ key }) => key))).toEqual(new Set(['other', ...newest]));
});

test('runs afterCommit work for the first request only', async () => {
  let happened = 0;
  const work = async (tx: Tx) => {
    tx.afterCommit(() => {
      happened += 1;
    });
    return 1;
  };
  await withIdempotency(account, request, work);
  await withIdempotency(account, request, work);
  expect(happened).toBe(1);
});

test('the purge deletes expired keys only', async () => {
  await withIdempotency(account, { key: 'old', hash: 'h' }, effect('a'));
  now += KEY_LIFETIME_MS;
  await withIdempotency(account, { key: 'new', hash: 'h' }, effect('b'));
  now += 1;
  await purgeRows(storage, expiredKeys(now - KEY_LIFETIME_MS), () => false);
  expect((await keys()).map(({ key }) => key)).toEqual(['new']);
});
