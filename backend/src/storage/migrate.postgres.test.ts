import { eventually } from '../../../test/kit/eventually.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { query } from './dialect.ts';
import { listMigrations, MIGRATIONS, migrate } from './migrate.ts';
import type { Storage } from './open.ts';

const INDEXES = '20261124100000_add_list_indexes';
const names = MIGRATIONS.map(({ name }) => name);

let storage: Storage;

beforeEach(async () => {
  storage = await openTestStorage();
  // as before the migration
  await query(storage.writer, 'DELETE FROM schema_migrations WHERE name >= ?', [INDEXES]);
  await query(storage.writer, 'CREATE INDEX orders_newest ON orders (account_id, created_at, id, workflow_status)');
});

afterEach(() => storage.close());

const listIndexes = async () =>
  await query<{ name: string; indisvalid: boolean }>(
    storage.read,
    `SELECT c.relname AS name, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid IN ('orders'::regclass, 'events'::regclass) ORDER BY c.relname`,
  );

test('indexes are created while others write, by one of several processes', async () => {
  const before = await listIndexes();
  await query(storage.writer, 'DROP INDEX orders_by_creation, events_by_kind');
  let commit = (): void => undefined;
  const committing = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let writing: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    writing = storage.inTransaction(async ({ db }) => {
      await query(db, 'UPDATE orders SET version = version');
      resolve();
      await committing;
    });
  });
  const migrating = Promise.all([1, 2, 3].map(() => migrate(storage)));
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX%' AND datname = current_database()";
  await eventually(
    () => query(storage.read, waiting),
    ({ length }) => length > 0,
  );
  // the index waits for the transaction; a new one waits for neither
  await insertTestAccount(storage);
  await query(storage.writer, 'UPDATE orders SET version = version');
  commit();
  await writing;
  const ran = await migrating;
  expect(ran.flat()).toEqual([INDEXES]);
  expect(await listIndexes()).toEqual(before.filter(({ name }) => name !== 'orders_newest'));
  expect((await listMigrations(storage.read)).sort()).toEqual(names);
});

test('an index that an interrupted attempt left is created again', async () => {
  await query(
    storage.writer,
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ('orders_by_creation'::regclass, 'events_by_kind'::regclass)",
  );
  expect(await migrate(storage)).toEqual([INDEXES]);
  expect((await listIndexes()).filter(({ indisvalid }) => !indisvalid)).toEqual([]);
  expect(await migrate(storage)).toEqual([]);
});
