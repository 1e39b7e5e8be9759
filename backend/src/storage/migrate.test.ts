import { createTestFolder, type TestFolder } from '../../../test/kit/storage.ts';
import { query } from './dialect.ts';
import { MIGRATIONS, migrate } from './migrate.ts';
import { openStorage, type Storage } from './open.ts';

let folder: TestFolder;
let opened: Storage[];
const shipped = MIGRATIONS.length;
const names = MIGRATIONS.map(({ name }) => name);

beforeEach(() => {
  folder = createTestFolder();
  opened = [];
});

afterEach(async () => {
  MIGRATIONS.length = shipped;
  for (const storage of opened) await storage.close();
  folder.remove();
});

async function open(file = folder.path('farm.sqlite3')): Promise<Storage> {
  const storage = await openStorage({ engine: 'sqlite', file });
  opened.push(storage);
  return storage;
}

const schemaOf = async (storage: Storage) =>
  (await query<{ sql: string | null }>(storage.writer, 'SELECT sql FROM sqlite_master ORDER BY type, name')).map(
    ({ sql }) => sql,
  );

const recorded = async (storage: Storage) =>
  (await query<{ name: string }>(storage.writer, 'SELECT name FROM schema_migrations ORDER BY name')).map(
    ({ name }) => name,
  );

test('migrations are listed in order, each name once and with its timestamp', () => {
  expect(names).toEqual([...new Set(names)].sort());
  for (const name of names) expect(name).toMatch(/^\d{14}_[a-z]+(_[a-z]+)+$/);
});

test('migrations turn an empty database into a consistent one', async () => {
  const storage = await open(':memory:');
  expect(await migrate(storage)).toEqual(names);
  expect(await recorded(storage)).toEqual(names);
  expect(await query(storage.read, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(await query(storage.read, 'PRAGMA foreign_key_check')).toEqual([]);
});

test('migrations change nothing a second time, also after reopening', async () => {
  const storage = await open();
  await migrate(storage);
  const before = await schemaOf(storage);
  expect(await migrate(storage)).toEqual([]);
  expect(await migrate(await open())).toEqual([]);
  expect(await schemaOf(storage)).toEqual(before);
  expect(await recorded(storage)).toEqual(names);
});

// A handle that waits for SQLite's lock occupies one of libuv's 4 threads here; test/service/command-line.test.ts tries
// eight processes at once.
test('migrations run once when three handles open an empty file concurrently', async () => {
  const handles = await Promise.all(Array.from({ length: 3 }, () => open()));
  const ran = await Promise.all(handles.map((storage) => migrate(storage)));
  expect(ran.filter((list) => list.length > 0)).toEqual([names]);
  expect(await recorded(handles[0]!)).toEqual(names);
  const alone = await open(':memory:');
  await migrate(alone);
  expect(await schemaOf(handles[2]!)).toEqual(await schemaOf(alone));
});

test('migrations refuse the schema of a newer version and write nothing', async () => {
  const storage = await open();
  await migrate(storage);
  await query(storage.writer, "INSERT INTO schema_migrations VALUES ('99990101000000_from_the_future', 1)");
  MIGRATIONS.push({ name: '99990102000000_make_one', up: async () => Promise.reject(new Error('not reached')) });
  await expect(migrate(storage)).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringMatching(/newer version of Farmboard \(99990101000000_from_the_future\)\. Use that version/),
  });
  expect(await recorded(storage)).toEqual([...names, '99990101000000_from_the_future']);
});

test('migrations roll back entirely when one fails, and can run again later', async () => {
  const storage = await open();
  await migrate(storage);
  let broken = true;
  const added = ['99990101000000_make_one', '99990102000000_make_two', '99990103000000_make_three'];
  MIGRATIONS.push(
    { name: '99990101000000_make_one', up: async (db) => void (await query(db, 'CREATE TABLE one (id TEXT)')) },
    {
      name: '99990102000000_make_two',
      async up(db) {
        await query(db, 'CREATE TABLE two (id TEXT)');
        await query(db, "INSERT INTO one VALUES ('from two')");
        if (broken) await query(db, 'INSERT INTO nowhere VALUES (1)');
      },
    },
    { name: '99990103000000_make_three', up: async (db) => void (await query(db, 'CREATE TABLE three (id TEXT)')) },
  );
  await expect(migrate(storage)).rejects.toThrow(/nowhere/);
  const tables = await query(storage.read, "SELECT name FROM sqlite_master WHERE name IN ('one', 'two', 'three')");
  expect(tables).toEqual([]);
  expect(await recorded(storage)).toEqual(names);

  broken = false;
  expect(await migrate(storage)).toEqual(added);
  expect(await query(storage.read, 'SELECT * FROM one')).toEqual([{ id: 'from two' }]);
});

test('migrations leave an empty database when the first one fails', async () => {
  const storage = await open();
  const [first, ...rest] = MIGRATIONS.splice(0, MIGRATIONS.length);
  MIGRATIONS.push({
    name: first!.name,
    async up(db) {
      await first!.up(db);
      throw new Error('no space left');
    },
  });
  try {
    await expect(migrate(storage)).rejects.toThrow('no space left');
    expect(await schemaOf(storage)).toEqual([]);
  } finally {
    MIGRATIONS.splice(0, MIGRATIONS.length, first!, ...rest);
  }
  expect(await migrate(storage)).toEqual(names);
});
