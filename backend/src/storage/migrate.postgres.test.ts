import { holdOpen, waitForLock } from '../../../test/kit/open-transaction.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { findMiscounts } from './counters.ts';
import { type Db, query } from './dialect.ts';
import { listMigrations, MIGRATIONS, migrate } from './migrate.ts';

const INDEXES = '20261124100000_add_list_indexes';
const COUNTERS = '20261124120000_add_counters';
const SEARCH = '20261124130000_add_order_search';
const TRACEPARENT = '20261124170000_add_event_traceparent';
const names = MIGRATIONS.map(({ name }) => name);

const storage = forTest(openTestStorage);

beforeEach(async () => {
  // as before the migration
  await query(storage.writer, 'DELETE FROM schema_migrations WHERE name IN (?, ?, ?)', [INDEXES, COUNTERS, SEARCH]);
  await query(storage.writer, 'CREATE INDEX orders_newest ON orders (account_id, created_at, id, workflow_status)');
});

const listIndexes = async () =>
  await query<{ name: string; indisvalid: boolean }>(
    storage.read,
    `SELECT c.relname AS name, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid IN ('orders'::regclass, 'events'::regclass) ORDER BY c.relname`,
  );

test('indexes are created while others write, by one of several processes', async () => {
  const before = await listIndexes();
  await query(storage.writer, 'DROP INDEX orders_by_creation, events_by_kind');
  const commit = await holdOpen(storage, (db) => query(db, 'UPDATE orders SET version = version'));
  const migrating = Promise.all([1, 2, 3].map(() => migrate(storage)));
  await waitForLock(storage, 'CREATE INDEX');
  // the index waits for the transaction; a new one waits for neither
  await insertTestAccount(storage);
  await query(storage.writer, 'UPDATE orders SET version = version');
  await commit();
  // each by one of them, which need not be the same
  expect((await migrating).flat().sort()).toEqual([INDEXES, COUNTERS, SEARCH]);
  expect(await listIndexes()).toEqual(before.filter(({ name }) => name !== 'orders_newest'));
  expect((await listMigrations(storage.read)).sort()).toEqual(names);
});

test('an index that an interrupted attempt left is created again', async () => {
  await query(
    storage.writer,
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ('orders_by_creation'::regclass, 'events_by_kind'::regclass)",
  );
  expect(await migrate(storage)).toEqual([INDEXES, COUNTERS, SEARCH]);
  expect((await listIndexes()).filter(({ indisvalid }) => !indisvalid)).toEqual([]);
  expect(await migrate(storage)).toEqual([]);
});

describe('counters', () => {
  const TRIGGERS = ['insert', 'delete', 'update'];

  beforeEach(async () => {
    await query(storage.writer, 'DELETE FROM schema_migrations WHERE name = ?', [INDEXES]);
    for (const table of ['order_counts', 'event_counts']) {
      for (const trigger of TRIGGERS) await query(storage.writer, `DROP FUNCTION ${table}_${trigger} CASCADE`);
      await query(storage.writer, `DROP TABLE ${table}`);
    }
    await query(storage.writer, 'DROP INDEX orders_by_printer, orders_newest');
    await query(storage.writer, 'CREATE INDEX orders_printer ON orders (printer_id)');
    await query(storage.writer, 'INSERT INTO schema_migrations (name, ran_at) VALUES (?, 0)', [INDEXES]);
  });

  const insertEvents = (on: Db, account: string, count: number) =>
    query(
      on,
      `INSERT INTO events (id, account_id, event, subject, occurred_at, body)
       SELECT gen_random_uuid()::text, ?, 'lead.created', '', 0, '{}' FROM generate_series(1, ${count})`,
      [account],
    );

  test('are filled while others write, who wait no longer than a lock may take', async () => {
    const account = await insertTestAccount(storage);
    await insertEvents(storage.writer, account, 1_000);
    const commit = await holdOpen(storage, (db) => insertEvents(db, account, 10));
    const migrating = Promise.all([migrate(storage), migrate(storage)]);
    await waitForLock(storage);
    // the trigger is still not there, and this waits at most for one attempt to create it
    await insertEvents(storage.writer, account, 100);
    let isMigrated = false;
    const writing = (async () => {
      while (!isMigrated) {
        await insertEvents(storage.writer, account, 3);
        await query(storage.writer, 'DELETE FROM events WHERE seq = (SELECT min(seq) FROM events)');
      }
    })();
    await commit();
    expect((await migrating).flat().sort()).toEqual([COUNTERS, SEARCH]);
    isMigrated = true;
    await writing;
    expect(await findMiscounts(storage.read)).toEqual([]);
    const [counted] = await query(storage.read, 'SELECT CAST(sum(n) AS BIGINT) AS n FROM event_counts');
    expect(counted).toEqual((await query(storage.read, 'SELECT count(*) AS n FROM events'))[0]);
  });

  test.each(['the triggers', 'the counts'])('are completed after an interruption behind %s', async (behind) => {
    const account = await insertTestAccount(storage);
    await insertEvents(storage.writer, account, 10);
    await migrate(storage);
    await query(storage.writer, 'DELETE FROM schema_migrations WHERE name = ?', [COUNTERS]);
    if (behind === 'the triggers') await query(storage.writer, 'DELETE FROM event_counts');
    await insertEvents(storage.writer, account, 5);
    expect(await migrate(storage)).toEqual([COUNTERS]);
    expect(await findMiscounts(storage.read)).toEqual([]);
  });
});

describe('the column of traces', () => {
  beforeEach(async () => {
    await query(storage.writer, 'DELETE FROM schema_migrations');
    for (const name of names.filter((name) => name !== TRACEPARENT))
      await query(storage.writer, 'INSERT INTO schema_migrations (name, ran_at) VALUES (?, 0)', [name]);
    await query(storage.writer, 'ALTER TABLE events DROP COLUMN traceparent');
  });

  test('is added while others write, who wait no longer than a lock may take', async () => {
    const account = await insertTestAccount(storage);
    const insert = (db: Db, id: string) =>
      query(
        db,
        `INSERT INTO events (id, account_id, event, subject, occurred_at, body) VALUES (?, ?, 'lead.created', '', 0, '{}')`,
        [id, account],
      );
    const commit = await holdOpen(storage, (db) => insert(db, 'one'));
    const migrating = Promise.all([migrate(storage), migrate(storage)]);
    await waitForLock(storage);
    // waits behind one attempt, which gives up although the transaction stays open
    await insert(storage.writer, 'two');
    await commit();
    expect((await migrating).flat()).toEqual([TRACEPARENT]);
    expect(await query(storage.read, 'SELECT id, traceparent FROM events ORDER BY seq')).toEqual([
      { id: 'one', traceparent: null },
      { id: 'two', traceparent: null },
    ]);
  });

  test('is kept after an interruption behind it', async () => {
    await migrate(storage);
    await query(storage.writer, 'DELETE FROM schema_migrations WHERE name = ?', [TRACEPARENT]);
    expect(await migrate(storage)).toEqual([TRACEPARENT]);
  });
});
