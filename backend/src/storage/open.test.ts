import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import { createLogger } from '../../../common/src/logger.ts';
import { createTestFolder, type TestFolder } from '../../../test/kit/storage.ts';
import { SettingError } from '../shared/setting-error.ts';
import { isUnavailable, query, queryOne } from './dialect.ts';
import { emptyLog } from './empty-log.ts';
import { openStorage, type Storage } from './open.ts';

let folder: TestFolder;
let file: string;
let opened: Storage[];

beforeEach(() => {
  folder = createTestFolder();
  file = folder.path('farm.sqlite3');
  opened = [];
});

afterEach(async () => {
  for (const storage of opened) await storage.close();
  folder.remove();
});

async function open(path = file): Promise<Storage> {
  const storage = await openStorage({ engine: 'sqlite', file: path });
  opened.push(storage);
  return storage;
}

async function openWithTable(): Promise<Storage> {
  const storage = await open();
  await query(storage.writer, 'CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL)');
  await query(storage.writer, "INSERT INTO counters VALUES ('a', 0)");
  return storage;
}

const count = async (db: Knex) => (await queryOne<{ n: number }>(db, "SELECT n FROM counters WHERE name = 'a'"))?.n;

/** Queries all connections of a pool at once, so that each one answers. */
async function askEach(db: Knex, connections: number, pragma: string): Promise<unknown[]> {
  const held = await Promise.all(Array.from({ length: connections }, () => db.client.acquireConnection()));
  try {
    expect(new Set(held).size).toBe(connections);
    return await Promise.all(
      held.map(async (connection) => {
        const rows = (await db.raw(`PRAGMA ${pragma}`).connection(connection)) as Record<string, unknown>[];
        return Object.values(rows[0] ?? {})[0];
      }),
    );
  } finally {
    await Promise.all(held.map((connection) => db.client.releaseConnection(connection)));
  }
}

test('an error has its statement, but none of the values bound to it', async () => {
  const storage = await openWithTable();
  const lines: string[] = [];
  const logger = createLogger('info', (line) => lines.push(line));
  const sql = 'INSERT INTO counters (name, n) VALUES (?, ?), (?, ?)';
  for (const db of [storage.read, storage.writer]) {
    const failed = query(db, sql, ['customer@farm.example', 815, 'a', 1]);
    logger.error({ err: await failed.catch((error: unknown) => error) }, 'failed');
  }
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toContain(sql);
    expect(line).not.toMatch(/customer@farm|\b815\b/);
  }
});

describe('connections', () => {
  // SQLite fails the switch to WAL with SQLITE_BUSY immediately here, ignoring its busy timeout
  test('wait for another process that is setting up a new file', async () => {
    const other = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
    const setup = await other.transaction();
    await setup.raw('CREATE TABLE first (id TEXT)');
    const opening = open();
    const met = await Promise.race([
      opening.then(() => 'opened'),
      new Promise((resolve) => setTimeout(resolve, 100, 'waiting')),
    ]);
    expect(met).toBe('waiting');
    await setup.commit();
    await other.destroy();
    expect(await query((await opening).read, 'SELECT * FROM first')).toEqual([]);
  });

  test('have their settings on a new file and on every later open', async () => {
    for (let time = 0; time < 3; time++) {
      const storage = await openStorage({ engine: 'sqlite', file });
      try {
        expect(await askEach(storage.writer, 1, 'journal_mode')).toEqual(['wal']);
        expect(await askEach(storage.writer, 1, 'synchronous')).toEqual([2]);
        expect(await askEach(storage.writer, 1, 'foreign_keys')).toEqual([1]);
        expect(await askEach(storage.writer, 1, 'secure_delete')).toEqual([1]);
        expect(await askEach(storage.writer, 1, 'busy_timeout')).toEqual([5000]);
        expect(await askEach(storage.read, 4, 'query_only')).toEqual([1, 1, 1, 1]);
        expect(await askEach(storage.read, 4, 'busy_timeout')).toEqual([5000, 5000, 5000, 5000]);
        expect(await askEach(storage.read, 4, 'journal_mode')).toEqual(['wal', 'wal', 'wal', 'wal']);
      } finally {
        await storage.close();
      }
    }
  });

  test('refuse writes on readers', async () => {
    const storage = await openWithTable();
    await expect(query(storage.read, "INSERT INTO counters VALUES ('b', 1)")).rejects.toThrow(/readonly/);
  });

  test('refuse a row that violates a foreign key', async () => {
    const storage = await openWithTable();
    await query(storage.writer, 'CREATE TABLE notes (name TEXT REFERENCES counters (name))');
    await expect(query(storage.writer, "INSERT INTO notes VALUES ('nobody')")).rejects.toThrow(/FOREIGN KEY/);
  });

  test('share one connection in memory for reading and writing', async () => {
    const storage = await open(':memory:');
    expect(storage.read).toBe(storage.writer);
    expect(storage.file).toBeUndefined();
    expect(await askEach(storage.writer, 1, 'foreign_keys')).toEqual([1]);
  });
});

describe('the file', () => {
  test("and SQLite's files beside it are created with access for their owner only", async () => {
    file = folder.path('data/of/farm.sqlite3');
    await openWithTable();
    const names = readdirSync(dirname(file)).sort();
    expect(names).toEqual(['farm.sqlite3', 'farm.sqlite3-shm', 'farm.sqlite3-wal']);
    for (const name of names) expect((statSync(`${dirname(file)}/${name}`).mode & 0o777).toString(8)).toBe('600');
  });

  test.each([
    ['deleted', 40, 'DELETE FROM texts'],
    ['replaced', 40, "UPDATE texts SET value = 'other'"],
    ['deleted, which filled pages of its own', 20_000, 'DELETE FROM texts'],
  ])('has nothing of what was %s once the log is emptied', async (_what, length, removal) => {
    const storage = await open();
    const secret = 'secret/'.repeat(length / 7);
    await query(storage.writer, 'CREATE TABLE texts (value TEXT)');
    await query(storage.writer, 'INSERT INTO texts VALUES (?)', [secret]);
    const contains = () => [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1').includes('secret/'));
    await emptyLog(storage);
    expect(contains()).toEqual([true, false]);
    await storage.inSnapshot(async (db) => {
      await query(db, 'SELECT * FROM texts');
      await query(storage.writer, removal);
      // it stays while a reader needs it
      await emptyLog(storage);
      expect(await query(db, 'SELECT * FROM texts')).toEqual([{ value: secret }]);
    });
    await emptyLog(storage);
    expect(contains()).toEqual([false, false]);
  });

  test('keeps the mode set by its owner', async () => {
    writeFileSync(file, '', { mode: 0o640 });
    await openWithTable();
    expect((statSync(file).mode & 0o777).toString(8)).toBe('640');
  });

  test.each<[string, () => string]>([
    [
      'a folder',
      () => {
        mkdirSync(file);
        return file;
      },
    ],
    [
      'no database',
      () => {
        writeFileSync(file, 'This is a shopping list, and a rather long one. '.repeat(200));
        return file;
      },
    ],
    [
      'below a file',
      () => {
        writeFileSync(file, '');
        return `${file}/farm.sqlite3`;
      },
    ],
    [
      'far below a file',
      () => {
        writeFileSync(file, '');
        return `${file}/a/b/farm.sqlite3`;
      },
    ],
    ['where no folder can be made', () => '/proc/farmboard/farm.sqlite3'],
  ])('that is %s is refused in one line that names the setting', async (_name, prepare) => {
    const path = prepare();
    const error: unknown = await openStorage({ engine: 'sqlite', file: path }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SettingError);
    const { setting, message } = error as SettingError;
    expect(setting).toBe('DATABASE_URL');
    expect(message).toContain(path);
    expect(message).not.toContain('\n');
  });
});

describe('a transaction', () => {
  test('never fails because another handle wrote after it had read', async () => {
    const first = await openWithTable();
    const second = await open();
    const increment = ({ inTransaction }: Storage) =>
      inTransaction(async ({ db }) => {
        const before = (await count(db)) as number;
        // gives the other handle time to write
        await new Promise((resolve) => setImmediate(resolve));
        await query(db, "UPDATE counters SET n = ? WHERE name = 'a'", [before + 1]);
      });
    await Promise.all(Array.from({ length: 40 }, (_, index) => increment(index % 2 ? first : second)));
    expect(await count(first.read)).toBe(40);
    expect(await count(second.read)).toBe(40);
  });

  test('is not visible to readers before its commit', async () => {
    const storage = await openWithTable();
    await storage.inTransaction(async ({ db }) => {
      await query(db, "UPDATE counters SET n = 1 WHERE name = 'a'");
      expect(await count(db)).toBe(1);
      expect(await count(storage.read)).toBe(0);
    });
    expect(await count(storage.read)).toBe(1);
  });

  test('that fails leaves nothing behind', async () => {
    const storage = await openWithTable();
    const work = storage.inTransaction(async ({ db }) => {
      await query(db, "UPDATE counters SET n = 1 WHERE name = 'a'");
      throw new Error('changed its mind');
    });
    await expect(work).rejects.toThrow('changed its mind');
    expect(await count(storage.read)).toBe(0);
    // and the writer is available again
    await storage.inTransaction(({ db }) => query(db, "UPDATE counters SET n = 2 WHERE name = 'a'"));
    expect(await count(storage.read)).toBe(2);
  });
});

test('a full disk is reported, leaves no partial changes, and recovers when space is available', async () => {
  const storage = await openWithTable();
  await query(storage.writer, 'CREATE TABLE blobs (bytes BLOB)');
  await query(storage.writer, 'PRAGMA max_page_count = 12');
  for (const bytes of [500_000, 3_000]) {
    const error: unknown = await storage
      .inTransaction(async ({ db }) => {
        await query(db, "UPDATE counters SET n = 9 WHERE name = 'a'");
        for (let i = 0; i < 50; i++) await query(db, 'INSERT INTO blobs VALUES (zeroblob(?))', [bytes]);
      })
      .catch((reason: unknown) => reason);
    // the code that is reported to the caller as 503
    expect(error).toMatchObject({ code: 'SQLITE_FULL' });
    expect(isUnavailable(error)).toBe(true);
    expect(await count(storage.read)).toBe(0);
    expect(await query(storage.read, 'SELECT * FROM blobs')).toEqual([]);
  }
  await query(storage.writer, 'PRAGMA max_page_count = 1000000');
  await storage.inTransaction(({ db }) => query(db, "UPDATE counters SET n = 1 WHERE name = 'a'"));
  expect(await count(storage.read)).toBe(1);
});

describe('afterCommit actions', () => {
  test('run after the commit, in order, and see what was written', async () => {
    const storage = await openWithTable();
    const happened: string[] = [];
    const seen: Promise<number | undefined>[] = [];
    const result = await storage.inTransaction(async ({ db, afterCommit }) => {
      await query(db, "UPDATE counters SET n = 7 WHERE name = 'a'");
      afterCommit(() => {
        happened.push('first');
        seen.push(count(storage.read));
      });
      afterCommit(() => happened.push('second'));
      await count(db);
      expect(happened).toEqual([]);
      return 'result';
    });
    expect(result).toBe('result');
    expect(happened).toEqual(['first', 'second']);
    expect(await Promise.all(seen)).toEqual([7]);
  });

  test('never run after a rollback', async () => {
    const storage = await openWithTable();
    const happened: string[] = [];
    const work = storage.inTransaction(async ({ afterCommit }) => {
      afterCommit(() => happened.push('after a rollback'));
      throw new Error('changed its mind');
    });
    await expect(work).rejects.toThrow('changed its mind');
    await storage.inTransaction(async () => undefined);
    expect(happened).toEqual([]);
  });

  test('never run when the commit fails', async () => {
    const storage = await openWithTable();
    await query(
      storage.writer,
      'CREATE TABLE notes (name TEXT REFERENCES counters (name) DEFERRABLE INITIALLY DEFERRED)',
    );
    const happened: string[] = [];
    const work = storage.inTransaction(async ({ db, afterCommit }) => {
      afterCommit(() => happened.push('after a failed commit'));
      await query(db, "INSERT INTO notes VALUES ('nobody')");
    });
    await expect(work).rejects.toThrow(/FOREIGN KEY/);
    expect(happened).toEqual([]);
    expect(await query(storage.read, 'SELECT * FROM notes')).toEqual([]);
  });
});

test('close leaves nothing open', async () => {
  const storage = await openStorage({ engine: 'sqlite', file });
  await query(storage.writer, 'CREATE TABLE counters (name TEXT)');
  await query(storage.read, 'SELECT * FROM counters');
  await storage.close();
  // SQLite removes these when the last connection closes
  expect(existsSync(`${file}-wal`)).toBe(false);
  await expect(query(storage.read, 'SELECT 1')).rejects.toThrow();
});
