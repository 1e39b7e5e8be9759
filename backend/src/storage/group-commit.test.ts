import { settle } from '../../../test/kit/eventually.ts';
import { holdOpen } from '../../../test/kit/open-transaction.ts';
import { createTestFolder, type TestFolder } from '../../../test/kit/storage.ts';
import { query } from './dialect.ts';
import { openStorage, type Storage } from './open.ts';
import type { Tx } from './transaction.ts';

let folder: TestFolder;
let storage: Storage;
let other: Storage;
/** the statements of the writer that begin or end transactions */
let statements: string[];
/** commits the transaction that is held open */
let release: () => Promise<void>;

const open = () => openStorage({ engine: 'sqlite', file: folder.path('farm.sqlite3') });

beforeEach(async () => {
  folder = createTestFolder();
  storage = await open();
  other = await open();
  await query(storage.writer, 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)');
  statements = [];
  release = async () => undefined;
  storage.writer.on('query', ({ sql }: { sql: string }) => {
    if (/^(BEGIN|COMMIT|ROLLBACK;)/.test(sql)) statements.push(sql);
  });
});

afterEach(async () => {
  jest.useRealTimers();
  await release();
  await storage.close();
  await other.close();
  folder.remove();
});

const write = (text: string) => (tx: Tx) => query(tx.db, 'INSERT INTO notes (text) VALUES (?)', [text]);

async function written(): Promise<string[]> {
  const rows = await query<{ text: string }>(other.read, 'SELECT text FROM notes ORDER BY id');
  return rows.map(({ text }) => text);
}

const outcomes = async (transactions: Promise<unknown>[]) =>
  (await Promise.allSettled(transactions)).map((one) => (one.status === 'fulfilled' ? 'saved' : one.reason));

/** Keeps the writer busy until it is released, at the end of the test at the latest. */
async function holdWriter(): Promise<void> {
  release = await holdOpen(storage, async () => undefined);
}

/** Fakes the timers of the transactions, and leaves those that the driver needs. */
const fakeTimers = () =>
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });

test('transactions that wait share a commit, in the order in which they came', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  await Promise.all(names.map((name) => storage.inTransaction(write(name))));
  expect(await written()).toEqual(names);
  expect(statements).toEqual(['BEGIN IMMEDIATE;', 'COMMIT;', 'BEGIN IMMEDIATE;', 'COMMIT;']);
});

test('a transaction that shares a commit is not resolved and runs no actions before it', async () => {
  const happened: string[] = [];
  const first = storage.inTransaction(async (tx) => {
    await write('first')(tx);
    tx.afterCommit(() => happened.push('action'));
  });
  const resolved = first.then(() => happened.push('resolved'));
  await holdWriter();
  await settle();
  expect(happened).toEqual([]);
  expect(await written()).toEqual([]);
  await release();
  await resolved;
  expect(happened).toEqual(['action', 'resolved']);
  expect(await written()).toEqual(['first']);
  expect(statements).toEqual(['BEGIN IMMEDIATE;', 'COMMIT;']);
});

test('one that fails undoes its own changes only, wherever it is in the group', async () => {
  const happened: string[] = [];
  const failing = (name: string) => async (tx: Tx) => {
    await write(name)(tx);
    tx.afterCommit(() => happened.push(name));
    throw new Error(`${name} changed its mind`);
  };
  const saved = await outcomes([
    storage.inTransaction(failing('first')),
    storage.inTransaction(write('second')),
    storage.inTransaction(failing('third')),
    storage.inTransaction(failing('fourth')),
    storage.inTransaction(write('fifth')),
  ]);
  expect(saved.map(String)).toEqual([
    'Error: first changed its mind',
    'saved',
    'Error: third changed its mind',
    'Error: fourth changed its mind',
    'saved',
  ]);
  expect(await written()).toEqual(['second', 'fifth']);
  expect(happened).toEqual([]);
});

test('on a full disk, all of a group fail with the cause and leave nothing behind', async () => {
  await query(storage.writer, 'PRAGMA max_page_count = 8');
  const fill = async (tx: Tx) => {
    for (let i = 0; i < 20; i++) await query(tx.db, 'INSERT INTO notes (text) VALUES (?)', ['x'.repeat(4_000)]);
  };
  const saved = await outcomes([
    storage.inTransaction(write('small')),
    storage.inTransaction(fill),
    storage.inTransaction(write('after it')),
  ]);
  expect(saved).toMatchObject([{ code: 'SQLITE_FULL' }, { code: 'SQLITE_FULL' }, 'saved']);
  expect(await written()).toEqual(['after it']);
});

test('if their commit fails, all of a group fail with the cause and run no actions', async () => {
  await query(storage.writer, 'CREATE TABLE parts (note INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)');
  const happened: string[] = [];
  const saved = await outcomes([
    storage.inTransaction(async (tx) => {
      await write('fine')(tx);
      tx.afterCommit(() => happened.push('after a failed commit'));
    }),
    storage.inTransaction(({ db }) => query(db, 'INSERT INTO parts VALUES (99)')),
  ]);
  expect(saved.map(String)).toEqual([expect.stringMatching(/FOREIGN KEY/), expect.stringMatching(/FOREIGN KEY/)]);
  expect(await written()).toEqual([]);
  expect(happened).toEqual([]);
});

test('actions that fail are reported to their own transaction only', async () => {
  const saved = await outcomes([
    storage.inTransaction(async (tx) => {
      await write('a')(tx);
      tx.afterCommit(() => {
        throw new Error('nobody listens');
      });
    }),
    storage.inTransaction(write('b')),
  ]);
  expect(saved.map(String)).toEqual(['Error: nobody listens', 'saved']);
  expect(await written()).toEqual(['a', 'b']);
});

test('a long transaction shares its commit with none, so that nobody waits for it longer than for its turn', async () => {
  const order: string[] = [];
  const names = ['before', 'long', 'after', 'with it'];
  const transactions = names.map((name) =>
    storage.inTransaction(write(name), { isLong: name === 'long' }).then(() => order.push(name)),
  );
  await Promise.all(transactions);
  expect(order).toEqual(names);
  expect(statements.filter((sql) => sql === 'COMMIT;')).toHaveLength(3);
});

test('after a full group, other processes get a turn', async () => {
  fakeTimers();
  const transactions = Array.from({ length: 9 }, (_, i) => storage.inTransaction(write(`${i}`)));
  await Promise.all(transactions.slice(0, 8));
  await settle();
  await other.inTransaction(write('of another process'));
  expect((await written()).slice(-1)).toEqual(['of another process']);
  jest.advanceTimersByTime(3);
  await transactions[8];
  expect((await written()).slice(-2)).toEqual(['of another process', '8']);
});

test('one that has waited for 30 seconds fails, and is never run', async () => {
  fakeTimers();
  await holdWriter();
  const late = outcomes([storage.inTransaction(write('too late'))]);
  jest.advanceTimersByTime(10_000);
  const inTime = storage.inTransaction(write('in time'));
  expect(storage.waiting()).toBe(2);
  jest.advanceTimersByTime(20_000);
  expect(await late).toMatchObject([{ code: 'unavailable' }]);
  expect(storage.waiting()).toBe(1);
  await release();
  await inTime;
  expect(await written()).toEqual(['in time']);
});

test('fails alone if another process does not release its lock', async () => {
  await query(storage.writer, 'PRAGMA busy_timeout = 0');
  await other.inTransaction(async () => {
    const saved = await outcomes([storage.inTransaction(write('refused'))]);
    expect(saved).toMatchObject([{ code: 'SQLITE_BUSY' }]);
  });
  await storage.inTransaction(write('later'));
  expect(await written()).toEqual(['later']);
});
