import { createTestFolder, type TestFolder } from '../../../test/kit/storage.ts';
import { query } from './dialect.ts';
import { openStorage, type Storage } from './open.ts';
import { MAX_PREPARED } from './sqlite-client.ts';

let folder: TestFolder;
let storage: Storage;

const open = () => openStorage({ engine: 'sqlite', file: folder.path('farm.sqlite3') });

beforeEach(async () => {
  folder = createTestFolder();
  storage = await open();
  await query(storage.writer, 'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)');
  await query(storage.writer, "INSERT INTO things (name) VALUES ('a')");
});

afterEach(async () => {
  await storage.close();
  folder.remove();
});

const names = (where = '') => query(storage.read, `SELECT * FROM things ${where}`);

test('a prepared statement sees what was committed since, and columns that another process added', async () => {
  expect(await names()).toEqual([{ id: 1, name: 'a' }]);
  const other = await open();
  await query(other.writer, "UPDATE things SET name = 'b'");
  expect(await names()).toEqual([{ id: 1, name: 'b' }]);
  await query(other.writer, "ALTER TABLE things ADD COLUMN note TEXT DEFAULT 'n'");
  expect(await names()).toEqual([{ id: 1, name: 'b', note: 'n' }]);
  await other.close();
});

test('a prepared statement works again after it failed', async () => {
  const insert = (name: string) => query(storage.writer, 'INSERT INTO things (name) VALUES (?) RETURNING id', [name]);
  await expect(insert('a')).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' });
  expect(await insert('b')).toEqual([{ id: 2 }]);
  await expect(names('WHERE missing = 1')).rejects.toThrow('no such column');
  await expect(names('WHERE missing = 1')).rejects.toThrow('no such column');
});

test('queries of one transaction may run the same statement at once, each with its values', async () => {
  const found = await storage.inTransaction(({ db }) =>
    Promise.all(Array.from({ length: 20 }, (_, i) => query<{ n: number }>(db, 'SELECT ? + 0 AS n', [i]))),
  );
  expect(found.flat().map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('statements beyond the limit are prepared again, and neither they nor a snapshot hinder the upkeep', async () => {
  for (let i = 0; i < MAX_PREPARED + 5; i++) await query(storage.writer, `SELECT ${i} AS n FROM things`);
  expect(await query(storage.writer, 'SELECT 0 AS n FROM things')).toEqual([{ n: 0 }]);
  await storage.inSnapshot((db) => query(db, 'SELECT * FROM things'));
  // each of these fails while a statement is still running
  await query(storage.writer, 'VACUUM');
  expect(await query(storage.writer, 'PRAGMA wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }]);
  await query(storage.writer, 'DROP TABLE things');
});

test('a storage with prepared statements can be closed', async () => {
  const other = await open();
  await query(other.read, 'SELECT * FROM things');
  await query(other.writer, 'SELECT * FROM things');
  await expect(other.close()).resolves.toBeUndefined();
});
