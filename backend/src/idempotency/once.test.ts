import { ENGINE } from '../../../test/kit/engine.ts';
import { createTestFolder, insertTestAccount, openTestStorage, type TestFolder } from '../../../test/kit/storage.ts';
import { DomainError } from '../errors.ts';
import { isPostgres, query, queryOne } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import { createOnce, KEY_LIFETIME_MS, type Once } from './once.ts';
import { deleteKeysBefore } from './store.ts';

let folder: TestFolder;
let storage: Storage;
let now: number;
let account: string;
let once: Once;

beforeEach(async () => {
  folder = createTestFolder();
  storage = await openTestStorage(folder.path('farm.sqlite3'));
  now = Date.UTC(2026, 10, 21);
  account = await insertTestAccount(storage);
  once = createOnce({ storage, clock: () => now });
  await query(
    storage.writer,
    `CREATE TABLE effects (id ${isPostgres(storage.writer) ? 'BIGINT GENERATED ALWAYS AS IDENTITY' : 'INTEGER'} PRIMARY KEY, what TEXT)`,
  );
});

afterEach(async () => {
  await storage.close();
  folder.remove();
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

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
  );

const request = { key: 'k', hash: 'h' };

test('without a key every request takes effect, and no key is kept', async () => {
  await once(account, undefined, effect('a'));
  const second = await once(account, undefined, effect('a'));
  expect(second).toEqual({ result: { id: 2, what: 'a' }, replayed: false });
  expect(await effects()).toEqual(['a', 'a']);
  expect(await keys()).toEqual([]);
});

test('the same request again answers the first result and does nothing', async () => {
  expect(await once(account, request, effect('a'))).toEqual({ result: { id: 1, what: 'a' }, replayed: false });
  now += KEY_LIFETIME_MS - 1;
  expect(await once(account, request, effect('b'))).toEqual({ result: { id: 1, what: 'a' }, replayed: true });
  expect(await effects()).toEqual(['a']);
});

test('the key of another request is refused, and neither request is touched', async () => {
  await once(account, request, effect('a'));
  expect(await codeOf(once(account, { ...request, hash: 'other' }, effect('b')))).toBe('idempotency_conflict');
  expect((await once(account, request, effect('c'))).result.what).toBe('a');
  expect(await effects()).toEqual(['a']);
});

test('a key belongs to its account', async () => {
  const other = await insertTestAccount(storage);
  await once(account, request, effect('a'));
  expect((await once(other, request, effect('b'))).replayed).toBe(false);
  expect(await effects()).toEqual(['a', 'b']);
  // each is answered with its own result
  expect((await once(account, request, effect('c'))).result.what).toBe('a');
  expect((await once(other, request, effect('c'))).result.what).toBe('b');
});

test('a request that fails keeps no key: sent again it may succeed, also changed', async () => {
  const failing = once(account, request, async (tx) => {
    await effect('half')(tx);
    throw new DomainError('insufficient_stock', 'not enough');
  });
  expect(await codeOf(failing)).toBe('insufficient_stock');
  expect(await keys()).toEqual([]);
  expect(await effects()).toEqual([]);
  expect((await once(account, { ...request, hash: 'other' }, effect('a'))).replayed).toBe(false);
  expect(await effects()).toEqual(['a']);
});

test('fifty racers over two handles: one effect, one result', async () => {
  const second = await openTestStorage(storage.file);
  try {
    const racers = [once, createOnce({ storage: second, clock: () => now })];
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

test('a racer behind one that fails does the work itself', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      once(account, request, async (tx) => {
        if (index < 3) throw new Error('no luck');
        return effect(`racer ${index}`)(tx);
      }),
    ),
  );
  const statuses = outcomes.map(({ status }) => status);
  expect(statuses.slice(3)).toEqual(Array<string>(7).fill('fulfilled'));
  // SQLite takes them in turn; on PostgreSQL one that would fail may come late and be given the result of another
  if (ENGINE === 'sqlite') expect(statuses.slice(0, 3)).toEqual(Array<string>(3).fill('rejected'));
  // which of the others is next is PostgreSQL's choice
  const [by, ...more] = await effects();
  expect(more).toEqual([]);
  expect(by).toMatch(/^racer [3-9]$/);
});

test('after 30 days the key is free again, also for another request', async () => {
  await once(account, request, effect('a'));
  now += KEY_LIFETIME_MS;
  expect(await once(account, { ...request, hash: 'other' }, effect('b'))).toMatchObject({ replayed: false });
  expect(await effects()).toEqual(['a', 'b']);
  // and is held anew from then on
  now += KEY_LIFETIME_MS - 1;
  expect(await codeOf(once(account, request, effect('c')))).toBe('idempotency_conflict');
  expect((await once(account, { ...request, hash: 'other' }, effect('c'))).result.what).toBe('b');
});

test('what must not be stored is in the first answer and in no replay', async () => {
  const work = async () => ({ id: 1, secret: 'whsec_visible' });
  const keep = (result: { id: number; secret: string }) => ({ ...result, secret: '' });
  expect((await once(account, request, work, keep)).result.secret).toBe('whsec_visible');
  expect(await once(account, request, work, keep)).toEqual({ result: { id: 1, secret: '' }, replayed: true });
  expect(JSON.stringify(await keys())).not.toContain('visible');
});

test('what happens after the commit happens for the first request only', async () => {
  let happened = 0;
  const work = async (tx: Tx) => {
    tx.afterCommit(() => {
      happened += 1;
    });
    return 1;
  };
  await once(account, request, work);
  await once(account, request, work);
  expect(happened).toBe(1);
});

test('the purge takes keys that have run out and leaves the others', async () => {
  await once(account, { key: 'old', hash: 'h' }, effect('a'));
  now += KEY_LIFETIME_MS;
  await once(account, { key: 'new', hash: 'h' }, effect('b'));
  now += 1;
  await storage.inTransaction(({ db }) => deleteKeysBefore(db, now - KEY_LIFETIME_MS));
  expect((await keys()).map(({ key }) => key)).toEqual(['new']);
});
