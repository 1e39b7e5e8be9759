import { holdOpen, waitForLock } from '../../../test/kit/open-transaction.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { type Db, query } from './dialect.ts';
import { listMigrations, MIGRATIONS, migrate } from './migrate.ts';
import { createIndexOnline, lockBriefly } from './online.ts';

const INDEX = '29991231000000_add_index';
const COLUMN = '29991231000001_add_column';
const names = MIGRATIONS.map(({ name }) => name);

const storage = forTest(openTestStorage);

beforeAll(() => {
  const up = () => Promise.reject(new Error('runs on a new database only'));
  MIGRATIONS.push(
    { name: INDEX, up, online: (db) => createIndexOnline(db, 'events_by_subject', 'events (subject)') },
    {
      name: COLUMN,
      up,
      online: (db) =>
        lockBriefly(db, async (trx) => {
          await query(trx, 'ALTER TABLE events ADD COLUMN IF NOT EXISTS origin TEXT');
        }),
    },
  );
});

afterAll(() => {
  MIGRATIONS.splice(-2);
});

const insertEvent = (db: Db, account: string, id: string) =>
  query(
    db,
    `INSERT INTO events (id, account_id, event, subject, occurred_at, body) VALUES (?, ?, 'lead.created', '', 0, '{}')`,
    [id, account],
  );

test('an index is created while others write, by one of several processes', async () => {
  const account = await insertTestAccount(storage);
  const commit = await holdOpen(storage, (db) => insertEvent(db, account, 'held'));
  const migrating = Promise.all([1, 2, 3].map(() => migrate(storage)));
  await waitForLock(storage, 'CREATE INDEX');
  // the index waits for the transaction; a new one doesn't
  await insertEvent(storage.writer, account, 'meanwhile');
  await commit();
  // each by one of them, which need not be the same
  expect((await migrating).flat().sort()).toEqual([INDEX, COLUMN]);
  expect((await listMigrations(storage.read)).sort()).toEqual([...names, INDEX, COLUMN]);
});

test('an index that an interrupted attempt left is created again', async () => {
  await query(storage.writer, 'CREATE INDEX events_by_subject ON events (subject)');
  await query(
    storage.writer,
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'events_by_subject'::regclass",
  );
  expect(await migrate(storage)).toEqual([INDEX, COLUMN]);
  const [index] = await query(
    storage.read,
    "SELECT indisvalid FROM pg_index WHERE indexrelid = 'events_by_subject'::regclass",
  );
  expect(index).toEqual({ indisvalid: true });
  expect(await migrate(storage)).toEqual([]);
});

test('a column is added while others write, who wait no longer than a lock may take', async () => {
  await query(storage.writer, 'INSERT INTO schema_migrations (name, ran_at) VALUES (?, 0)', [INDEX]);
  const account = await insertTestAccount(storage);
  const commit = await holdOpen(storage, (db) => insertEvent(db, account, 'one'));
  const migrating = Promise.all([migrate(storage), migrate(storage)]);
  await waitForLock(storage);
  // waits behind one attempt, which gives up although the transaction stays open
  await insertEvent(storage.writer, account, 'two');
  await commit();
  expect((await migrating).flat()).toEqual([COLUMN]);
  expect(await query(storage.read, 'SELECT id, origin FROM events ORDER BY seq')).toEqual([
    { id: 'one', origin: null },
    { id: 'two', origin: null },
  ]);
});

test('a migration that was interrupted before it was recorded runs again', async () => {
  await migrate(storage);
  await query(storage.writer, 'DELETE FROM schema_migrations WHERE name = ?', [COLUMN]);
  expect(await migrate(storage)).toEqual([COLUMN]);
});
