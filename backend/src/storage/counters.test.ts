import fc from 'fast-check';
import { times } from '../../../test/kit/length.ts';
import { forSuite } from '../../../test/kit/opened.ts';
import { createTestFolder, insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { countedTotal, EVENT_COUNTS, findMiscounts, foldCounters, ORDER_COUNTS, recountAll } from './counters.ts';
import { type Db, isPostgres, query, queryOne } from './dialect.ts';
import type { Storage } from './open.ts';

const STATUSES = ['negotiation', 'printing', 'closed'];
const ACCOUNTS = 2;
const PRINTERS = 3;

const folder = forSuite(createTestFolder);
const storage = forSuite(() => openTestStorage(folder.path('counters')));
/** another process with the same database */
const other = forSuite(() => openTestStorage(folder.path('counters')));
let accounts: string[];

beforeEach(async () => {
  await query(storage.writer, 'DELETE FROM accounts');
  accounts = [];
  for (let i = 0; i < ACCOUNTS; i++) await createAccount(i);
});

async function createAccount(place: number): Promise<void> {
  accounts[place] = await insertTestAccount(storage);
  for (let i = 0; i < PRINTERS; i++) await insertPrinter(storage.writer, place, i);
}

const printer = (place: number, i: number) => `${accounts[place]} printer ${i % PRINTERS}`;

const insertPrinter = (db: Db, place: number, i: number) =>
  query(
    db,
    `INSERT INTO printers (id, account_id, name, internal_name, model, technology, is_favorite, sort_order, created_at, updated_at)
     VALUES (?, ?, 'P', '', 'MK4', 'fdm', 0, 0, 0, 0) ON CONFLICT DO NOTHING`,
    [printer(place, i), accounts[place] as string],
  );

const numbers = (count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
let inserted = 0;

/** Some rows are without a printer, and every status occurs. */
const insertOrders = (db: Db, place: number, count: number) =>
  query(
    db,
    `INSERT INTO orders (id, account_id, model_name, quantity_pieces, material_name, color_hex, material_mg, print_mh, due_date,
       order_notes, workflow_status, printer_id, search_text, version, created_at, updated_at)
     ${numbers(count)} SELECT 'order ${inserted++} ' || i, '${accounts[place]}', '', 1, '', '', 0, 0, '', '',
       CASE i % 2 WHEN 0 THEN 'printing' ELSE 'closed' END,
       (SELECT p.id FROM printers p WHERE p.id = CASE i % 3 WHEN 0 THEN '${printer(place, 0)}' WHEN 1 THEN '${printer(place, 1)}' END),
       '', 1, 0, 0 FROM n`,
  );

const insertEvents = (db: Db, place: number, count: number) =>
  query(
    db,
    `INSERT INTO events (id, account_id, event, subject, occurred_at, body)
     ${numbers(count)} SELECT 'event ${inserted++} ' || i, '${accounts[place]}', CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, '', i, '' FROM n`,
  );

/** Up to some rows, in the same order in all transactions, so that none waits for another in a circle. */
const some = (table: string, key: string) =>
  `${key} IN (SELECT ${key} FROM ${table} WHERE account_id = ? ORDER BY ${key} LIMIT ?)`;

type Operation = (db: Db, place: number, count: number) => Promise<unknown>;
const account = (place: number) => accounts[place] as string;
const OPERATIONS: Record<string, Operation> = {
  insert: insertOrders,
  'change status': (db, place, count) =>
    query(db, `UPDATE orders SET workflow_status = ? WHERE ${some('orders', 'id')}`, [
      STATUSES[count % STATUSES.length] as string,
      account(place),
      count,
    ]),
  'change printer': (db, place, count) =>
    query(db, `UPDATE orders SET printer_id = (SELECT id FROM printers WHERE id = ?) WHERE ${some('orders', 'id')}`, [
      printer(place, count),
      account(place),
      count,
    ]),
  'change something else': (db, place, count) =>
    query(
      db,
      `UPDATE orders SET version = version + 1, workflow_status = workflow_status WHERE ${some('orders', 'id')}`,
      [account(place), count],
    ),
  'change printer and status of all': (db, place) =>
    query(db, "UPDATE orders SET printer_id = NULL, workflow_status = 'closed' WHERE account_id = ?", [account(place)]),
  'give to another account': (db, place, count) =>
    query(db, `UPDATE orders SET account_id = ?, printer_id = NULL WHERE ${some('orders', 'id')}`, [
      account((place + 1) % ACCOUNTS),
      account(place),
      count,
    ]),
  delete: (db, place, count) => query(db, `DELETE FROM orders WHERE ${some('orders', 'id')}`, [account(place), count]),
  'delete a printer': (db, place, count) => query(db, 'DELETE FROM printers WHERE id = ?', [printer(place, count)]),
  'add a printer': insertPrinter,
  'insert events': insertEvents,
  'delete events': (db, place, count) =>
    query(db, `DELETE FROM events WHERE ${some('events', 'seq')}`, [account(place), count]),
  'insert and roll back': async (db, place, count) => {
    await query(db, 'SAVEPOINT before');
    await insertOrders(db, place, count);
    await query(db, 'ROLLBACK TO SAVEPOINT before');
  },
};

const operation = fc.record({
  name: fc.constantFrom(...Object.keys(OPERATIONS)),
  place: fc.nat(ACCOUNTS - 1),
  count: fc.integer({ min: 1, max: 9 }),
  folds: fc.boolean(),
});
const run = (on: Storage, { name, place, count }: { name: string; place: number; count: number }) =>
  on.inTransaction(({ db }) => (OPERATIONS[name] as Operation)(db, place, count));

const rowsOf = async (table: string): Promise<number> =>
  (await queryOne<{ n: number }>(storage.read, `SELECT count(*) AS n FROM ${table}`))?.n ?? -1;

test('counters equal the rows after any operations, folded or not', async () => {
  const runs = fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 20 }), async (operations) => {
    for (const one of operations) {
      await run(storage, one);
      if (one.folds) await foldCounters(storage);
      expect(await findMiscounts(storage.read)).toEqual([]);
    }
  });
  await fc.assert(runs, { numRuns: times(10, 200) });
});

test('an account that is deleted leaves no counters', async () => {
  await insertOrders(storage.writer, 0, 20);
  await insertEvents(storage.writer, 0, 20);
  await query(storage.writer, 'DELETE FROM accounts');
  expect(await findMiscounts(storage.read)).toEqual([]);
  await foldCounters(storage);
  expect([await rowsOf('order_counts'), await rowsOf('event_counts')]).toEqual([0, 0]);
});

test('no reader sees a sum that differs from the rows, while two processes write and fold', async () => {
  const totals = [
    { of: 'orders', ...countedTotal(ORDER_COUNTS, { account_id: account(0) }) },
    { of: 'events', ...countedTotal(EVENT_COUNTS, { account_id: account(0) }) },
  ];
  let isWriting = true;
  const checked = { times: 0, totals: new Set<number>() };
  const read = async (from: Storage) => {
    while (isWriting) {
      for (const { of, sql, values } of totals) {
        const row = await queryOne<{ counted: number; stored: number }>(
          from.read,
          `SELECT ${sql} AS counted, (SELECT count(*) FROM ${of} WHERE account_id = ?) AS stored`,
          [...values, account(0)],
        );
        expect(row?.counted).toBe(row?.stored);
        checked.totals.add(row?.stored as number);
      }
      checked.times++;
    }
  };
  const foldAlways = async (on: Storage) => {
    while (isWriting) await foldCounters(on);
  };
  const write = async (on: Storage, seed: number) => {
    const [operations = []] = fc.sample(fc.array(operation, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed });
    // a printer that the other process deletes meanwhile, or a deadlock: nothing is written
    for (const one of operations) {
      await run(on, one).catch((error: { code?: string }) =>
        expect(['23503', 'version_conflict']).toContain(error.code),
      );
    }
  };
  const writers = [storage, other, storage, other].map((on, i) => write(on, i));
  const rest = [
    read(storage),
    read(other),
    ...(isPostgres(storage.read) ? [foldAlways(storage), foldAlways(other)] : []),
  ];
  await Promise.all(writers).finally(() => {
    isWriting = false;
  });
  await Promise.all(rest);
  expect(checked.totals.size).toBeGreaterThan(2);
  expect(await findMiscounts(storage.read)).toEqual([]);
});

test('folding leaves one row per group, which later changes adjust', async () => {
  for (let i = 0; i < 5; i++) await insertOrders(storage.writer, 0, 3);
  await insertEvents(storage.writer, 0, 4);
  await foldCounters(storage);
  const groups = 'SELECT count(*) AS n FROM (SELECT DISTINCT workflow_status, printer_id FROM orders) x';
  expect(await rowsOf('order_counts')).toBe((await queryOne<{ n: number }>(storage.read, groups))?.n);
  expect(await rowsOf('event_counts')).toBe(2);
  expect(await findMiscounts(storage.read)).toEqual([]);
});

test('a difference is reported in both directions and corrected by a recount', async () => {
  await insertOrders(storage.writer, 0, 1);
  await query(
    storage.writer,
    `INSERT INTO order_counts (account_id, workflow_status, printer_id, n) VALUES (?, 'done', '', 2), (?, 'packing', 'x', -1)`,
    [account(0), account(0)],
  );
  expect((await findMiscounts(storage.read)).sort()).toEqual([
    `the counter of orders with account_id ${account(0)}, workflow_status done, printer_id null is 2 too high; "--counters recount" corrects it`,
    `the counter of orders with account_id ${account(0)}, workflow_status packing, printer_id x is 1 too low; "--counters recount" corrects it`,
  ]);
  await Promise.all([recountAll(storage), recountAll(other)]);
  expect(await findMiscounts(storage.read)).toEqual([]);
});
