import { forTest } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { deleteAccount, rowsOfAccount } from './account-removal.ts';
import { findMiscounts } from './counters.ts';
import { type Db, isPostgres, query, type Value } from './dialect.ts';
import type { Storage } from './open.ts';
import { describeTables } from './schema.ts';

/** More than one piece, and less than the second. */
const ROWS = 80;
const NEVER = () => false;
/** Tables of an account with few rows: they go with it. */
const SHORT = [
  ...['tokens', 'agents', 'profiles', 'simulations'],
  ...['invoice_sellers', 'invoice_counters', 'payment_providers', 'subscriptions'],
];

const storage = forTest(openTestStorage);
let account: string;
let other: string;

beforeEach(async () => {
  account = await insertTestAccount(storage);
  other = await insertTestAccount(storage);
});

const insert = (db: Db, table: string, row: Record<string, Value>) =>
  query(
    db,
    `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).map(() => '?')})`,
    Object.values(row),
  );

const ORDER = {
  ...{ model_name: '', quantity_pieces: 1, material_name: '', color_hex: '', material_mg: 1, print_mh: 1 },
  ...{ due_date: '2026-12-01', order_notes: '', workflow_status: 'new', search_text: 'phone stand', version: 1 },
  ...{ created_at: 0, updated_at: 0 },
};
const FILAMENT = { name: '', brand: '', type_name: '', colors: '[]', spool_weight_mg: 1, search_text: '' };

const fill = (accountId: string) =>
  storage.inTransaction(async ({ db }) => {
    const of = { account_id: accountId };
    const filament = `filament of ${accountId}`;
    await insert(db, 'filaments', { id: filament, ...of, ...FILAMENT, created_at: 0, updated_at: 0 });
    const batch = { id: filament, filament_id: filament, received_at: 0, spool_count: 1, created_at: 0 };
    await insert(db, 'filament_batches', batch);
    for (let i = 0; i < ROWS; i++) {
      const id = `${accountId} ${i}`;
      await insert(db, 'orders', { id, ...of, ...ORDER });
      await insert(db, 'events', { id, ...of, event: 'order.created', subject: '', body: '', occurred_at: 0 });
      const entry = {
        id,
        filament_id: filament,
        batch_id: filament,
        kind: 'consumption',
        grams_mg: 1,
        actor: '',
        at: 0,
      };
      await insert(db, 'filament_ledger', entry);
    }
  });

const count = async (db: Db, table: string): Promise<number> =>
  Number((await query<{ n: number }>(db, `SELECT count(*) AS n FROM ${table}`))[0]?.n);

/** The storage, running something before each of its transactions. */
const before = (run: (db: Db) => Promise<unknown>): Storage => ({
  ...storage,
  async inTransaction(work, options) {
    await storage.inTransaction(({ db }) => run(db));
    return storage.inTransaction(work, options);
  },
});

test('every table of an account is deleted in pieces, or has few rows', async () => {
  const own = (await describeTables()).filter(({ columns }) => columns.some(({ name }) => name === 'account_id'));
  const cut = rowsOfAccount(account).filter(({ where }) => where === 't.account_id = ?');
  // an order has little history, which goes with it
  const known = [...cut.map(({ table }) => table), ...SHORT, 'order_history'];
  expect(known.sort()).toEqual(own.map(({ name }) => name).sort());
});

test("deletes an account with all of its rows, and another account's writes get in between", async () => {
  await fill(account);
  await fill(other);
  const seen: number[] = [];
  const written = before(async (db) => {
    seen.push(await count(db, 'orders'));
    await insert(db, 'orders', { id: `written ${seen.length}`, account_id: other, ...ORDER });
  });
  await deleteAccount(written, account, NEVER);
  // the writes were done while some of the account's orders were deleted
  const left = seen.map((orders, i) => orders - ROWS - i);
  expect(left.some((orders) => orders > 0 && orders < ROWS)).toBe(true);
  expect(await count(storage.read, 'accounts')).toBe(1);
  expect(await count(storage.read, 'orders')).toBe(ROWS + seen.length);
  for (const table of ['events', 'filament_ledger']) expect(await count(storage.read, table)).toBe(ROWS);
  expect(await findMiscounts(storage.read)).toEqual([]);
});

test('goes on where it was stopped', async () => {
  await fill(account);
  let transactions = 0;
  const counted = before(async () => {
    transactions += 1;
  });
  await deleteAccount(counted, account, () => transactions > 2);
  expect(await count(storage.read, 'orders')).toBe(ROWS);
  expect(await count(storage.read, 'events')).toBe(0);
  expect(await count(storage.read, 'accounts')).toBe(2);
  expect(await findMiscounts(storage.read)).toEqual([]);
  await deleteAccount(storage, account, NEVER);
  expect(await count(storage.read, 'accounts')).toBe(1);
  expect(await findMiscounts(storage.read)).toEqual([]);
});

test("deleting orders doesn't merge SQLite's search index, which would hold the writer much longer", async () => {
  if (isPostgres(storage.read)) return;
  await fill(account);
  const segments = () => query(storage.read, 'SELECT DISTINCT segid FROM order_search_idx');
  // those of small transactions are merged by the next ones anyway
  await storage.inTransaction(({ db }) => query(db, "INSERT INTO order_search (order_search) VALUES ('optimize')"));
  const before = await segments();
  expect(before).toHaveLength(1);
  await storage.inTransaction(({ db }) => query(db, "DELETE FROM orders WHERE id NOT LIKE '%1'"));
  expect(await segments()).toEqual(before);
});
