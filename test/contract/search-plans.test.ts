import fc from 'fast-check';
import type { StoredOrder } from '../../backend/src/orders/order.ts';
import { INITIAL_VALUES } from '../../backend/src/orders/order-fields.ts';
import {
  deleteOrder,
  findOrder,
  insertOrder,
  listFound,
  listOrders,
  type OrderFilter,
  updateOrder,
} from '../../backend/src/orders/order-store.ts';
import { containsPattern, isPostgres, query } from '../../backend/src/storage/dialect.ts';
import { openStorage, type Storage } from '../../backend/src/storage/open.ts';
import { checkFile } from '../../backend/src/storage/transfer/backup.ts';
import { copyDatabase } from '../../backend/src/storage/transfer/copy.ts';
import { ENGINE } from '../kit/engine.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { plansOf } from '../kit/plans.ts';
import { createTestFolder, insertTestAccount, openTestStorage } from '../kit/storage.ts';

/** enough for the index to be used */
const FILLER = 2_500;
const PRINTER = 'printer';
const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${FILLER})`;

const folder = forSuite(createTestFolder);
const storage = forSuite(() => openTestStorage(folder.path('search')));
let accountId: string;
let otherId: string;

const fill = (account: string, text: string) =>
  query(
    storage.writer,
    `INSERT INTO orders (id, account_id, model_name, quantity_pieces, material_name, color_hex, material_mg, print_mh, due_date,
       order_notes, workflow_status, printer_id, search_text, version, created_at, updated_at)
     ${numbers} SELECT '${account} ' || i, '${account}', '', 1, '', '#808080', 0, 0, '2026-01-05', '',
       CASE i % 2 WHEN 0 THEN 'closed' ELSE 'printing' END, CASE i % 2 WHEN 0 THEN '${PRINTER}' END, '${text} ' || i, 1, i, i FROM n`,
  );

beforeAll(async () => {
  accountId = await insertTestAccount(storage);
  otherId = await insertTestAccount(storage);
  await query(
    storage.writer,
    `INSERT INTO printers (id, account_id, name, internal_name, model, technology, created_at, updated_at)
     VALUES ('${PRINTER}', '${accountId}', 'One', '', 'MK4', 'fdm', 0, 0)`,
  );
  await fill(accountId, 'bracket');
  await fill(otherId, 'flange');
  if (isPostgres(storage.writer)) await storage.writer.raw('VACUUM ANALYZE orders');
});

/** Later than all others. */
let at = 10_000;

async function insert(account: string, text: string): Promise<string> {
  const id = `order ${at++}`;
  const fields = {
    ...INITIAL_VALUES,
    id,
    model_name: text,
    due_date: '2026-01-05',
    workflow_status: 'printing',
    at,
  } as const;
  await storage.inTransaction(({ db }) => insertOrder(db, account, fields));
  return id;
}

const search = async (q: string, filter: Partial<OrderFilter> = {}, on = storage, account = accountId) => {
  const all: OrderFilter = { workflow_status: [], include_closed: true, sort: '-created_at', ...filter, q };
  const { items, total } = await listOrders(on.read, account, all, { page: 1, per_page: 200 });
  return { ids: items.map(({ id }) => id), total };
};

const isOfSqliteIndex = (line: string) => line.startsWith('SCAN s VIRTUAL TABLE INDEX');
const isOfIndex =
  ENGINE === 'postgres' ? (line: string) => /Bitmap Index Scan on orders_search\b/.test(line) : isOfSqliteIndex;

const plansOfSearch = (q: string, filter: Partial<OrderFilter> = {}, account = accountId) =>
  plansOf(storage, () => search(q, filter, storage, account), []);

describe('a search in many orders', () => {
  test.each<[string, Partial<OrderFilter>]>([
    ['in the default order', {}],
    ['of the orders that are open', { include_closed: false }],
    ['of some statuses by due date', { workflow_status: ['printing', 'closed'], sort: 'due_date' }],
    ['of a printer', { printer_id: PRINTER }],
    ['of changes in a period', { updated_since: 5, due_before: '2030-01-01' }],
  ])('%s reads only what the index finds', async (_name, filter) => {
    const plan = await plansOfSearch('quokka', filter);
    // the page and the total
    expect(plan.filter(isOfIndex)).toHaveLength(2);
    expect(plan.filter((line) => /^SCAN t( USING|$)|Seq Scan on orders/.test(line))).toEqual([]);
  });

  test('for what many orders contain reads them in turn', async () => {
    if (isPostgres(storage.read)) return;
    const plan = await plansOfSearch('bracket');
    expect(plan.filter(isOfIndex)).toEqual([]);
  });

  test('of a small account ignores the index, in which other accounts have more', async () => {
    const small = await insertTestAccount(storage);
    const id = await insert(small, 'a flange');
    expect(await search('flange', {}, storage, small)).toEqual({ ids: [id], total: 1 });
    const plan = await plansOfSearch('flange', {}, small);
    expect(plan.filter(isOfIndex)).toEqual([]);
  });
});

/** Texts that folding, escaping or the syntax of a full-text query could treat in another way. */
const PIECES = [
  ...[
    'Кронштейн',
    'ЁЖ',
    'ёж',
    'İstanbul',
    'straße',
    'ΣΊΣΥΦΟΣ',
    'é',
    'e\u0301',
    'Å',
    '打印',
    '🖨️',
    '👩‍🚀',
    '\ufffd',
    '\uffff',
    'K',
  ],
  ...[
    '%',
    '_',
    '!',
    '!!',
    '"',
    "'",
    '""',
    '\\',
    '*',
    '(',
    ')',
    '^',
    ':',
    '-',
    '+',
    '{',
    '}',
    ',',
    '.',
    '?',
    '$1',
    '\t',
    '\n',
    ' ',
  ],
  ...['"a" OR b*', ' AND ', ' NOT ', 'NEAR(a b)', 'search_text:', 'order_search', 'aaa', 'AbC', 'quokka'],
];
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(...'aAbB'), maxLength: 4 }),
);
const content = fc
  .array(piece, { minLength: 1, maxLength: 30 })
  .map((pieces) => pieces.join('').replaceAll('\0', ''))
  .filter((text) => text.isWellFormed());
const pattern = content.map((text) => [...text].slice(0, 200).join(''));
const part = fc.record({ from: fc.nat(), length: fc.integer({ min: 1, max: 200 }), upper: fc.boolean() });

/** The words of a search in lower case, each together with the numbers that follow it. */
function partsOf(q: string): string[] {
  const parts: string[] = [];
  for (const word of q.toLowerCase().split(/\s/)) {
    if (/^\d/.test(word) && parts.length > 0) parts.push(`${parts.pop()} ${word}`);
    else if (word !== '') parts.push(word);
  }
  return parts;
}

/** That a search finds what reading all texts finds. @returns the number of orders */
async function expectEqual(q: string, on = storage): Promise<number> {
  const parts = partsOf(q);
  const all = await query<{ id: string }>(
    on.read,
    `SELECT id FROM orders WHERE account_id = ? ${parts.map(() => "AND search_text LIKE ? ESCAPE '!'").join(' ')}
     ORDER BY created_at DESC, id DESC`,
    [accountId, ...parts.map(containsPattern)],
  );
  const ids = all.slice(0, 200).map(({ id }) => id);
  expect({ q, ...(await search(q, {}, on)) }).toEqual({ q, ids, total: all.length });
  return all.length;
}

/** Words that several orders have, in parts and together. */
const NAMES = ['Part', 'Bracket', 'Подставка', 'part-holder', 'Apartment', '20mm', 'Brücke', 'Lid (v2)', '100%'];
const word = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.nat(1_999).map(String),
  fc.constantFrom('Anna', 'ANNA', 'Müller', 'Ирина'),
);
const phrase = (maxLength: number) => fc.array(word, { minLength: 1, maxLength }).map((words) => words.join(' '));

test('lists, the console and a model of the rule agree on 500 searches in 5,000 orders', async () => {
  const account = await insertTestAccount(storage);
  const texts = fc.sample(fc.record({ model: phrase(3), notes: phrase(2), customer: phrase(1), id: fc.uuid() }), {
    numRuns: 5_000,
    seed: 1,
  });
  await storage.inTransaction(async ({ db }) => {
    for (const { id, model, notes, customer } of texts) {
      const fields = { model_name: model, order_notes: notes, customer_name: customer, due_date: '2026-01-05' };
      await insertOrder(db, account, { ...INITIAL_VALUES, ...fields, id, workflow_status: 'printing', at: at++ });
    }
  });
  const anId = fc.constantFrom(...texts.map(({ id }) => id));
  const searches = fc.sample(
    fc.oneof(
      { weight: 6, arbitrary: phrase(3) },
      { weight: 2, arbitrary: fc.nat(999).map(String) },
      anId,
      anId.map((id) => ` ORDER-${id.toUpperCase()} `),
      anId.map((id) => id.slice(-8)),
      // no search for an id
      fc.tuple(anId, fc.nat(34), fc.integer({ min: 2, max: 12 })).map(([id, from, length]) => id.substr(from, length)),
    ),
    { numRuns: 500, seed: 2 },
  );
  let found = 0;
  for (const q of searches.filter((text) => text.trim() !== '')) {
    const asked = q.trim().toLowerCase();
    const isOf = (id: string) =>
      [id, `order-${id}`, id.slice(-8)].includes(asked) && /^(order-)?[\da-f]{8}(-[\da-f-]{27})?$/.test(asked);
    const parts = partsOf(q);
    const hasAll = (text: string) => parts.every((part) => text.toLowerCase().includes(part));
    const expected = texts
      .filter(({ id, model, notes, customer }) => hasAll(`${model}\n${notes}\n${customer}`) || isOf(id))
      .map(({ id }) => id);
    const { ids, total } = await search(q, {}, storage, account);
    expect({ q, total, ids }).toEqual({ q, total: expected.length, ids: expected.reverse().slice(0, 200) });
    expect({ q, ids: (await listFound(storage.read, account, q)).sort() }).toEqual({ q, ids: expected.sort() });
    found += Math.min(1, total);
  }
  expect(found).toBeGreaterThan(300);
});

test('a search finds what reading all texts finds, after any changes', async () => {
  let indexed = 0;
  let found = 0;
  const note = ({ sql }: { sql: string }) => void (/s\.order_search MATCH/.test(sql) && indexed++);
  storage.read.on('query', note);
  const ids: string[] = [];
  // has every trigram of the search, but not its text
  await insert(accountId, 'aaaa');
  expect(await expectEqual('aaaaaa')).toBe(0);
  const step = fc.record({ text: content, notes: content, changed: fc.nat(), removed: fc.nat(), part, other: pattern });
  const runs = fc.asyncProperty(step, async ({ text, notes, changed, removed, part: some, other }) => {
    await insert(otherId, notes);
    ids.push(await insert(accountId, text));
    const id = ids[changed % ids.length] as string;
    const before = await storage.inTransaction(async ({ db }) => {
      const { order } = (await findOrder(db, accountId, id)) as StoredOrder;
      await updateOrder(db, order, { order_notes: notes }, at);
      return order;
    });
    found += await expectEqual(partOf(before.order_notes || before.model_name, some));
    found += await expectEqual(partOf(`${before.model_name}\n${notes}\n`, some));
    found += await expectEqual(other);
    if (ids.length < 5) return;
    const [gone] = ids.splice(removed % ids.length, 1) as [string];
    await storage.inTransaction(({ db }) => deleteOrder(db, gone));
    found += await expectEqual(partOf(notes, some));
  });
  await fc.assert(runs, { numRuns: times(50, 5_000) });
  storage.read.off('query', note);
  expect(found).toBeGreaterThan(50);
  if (!isPostgres(storage.read)) expect(indexed).toBeGreaterThan(50);
});

describe('the index of a copy', () => {
  let copy: Storage;

  beforeEach(async () => {
    for (const text of PIECES) await insert(accountId, `${text} quokka ${text}`);
    // gaps between the numbers of the rows
    await query(storage.writer, "DELETE FROM orders WHERE id LIKE '%3'");
  });
  afterEach(() => copy.close());

  async function expectIndexed(): Promise<void> {
    let found = 0;
    for (const q of ['quokka', 'bracket 99', ...PIECES.map((text) => `${text} quo`)])
      found += await expectEqual(q, copy);
    expect(found).toBeGreaterThan(PIECES.length);
    expect((await plansOf(copy, () => search('quokka', {}, copy))).filter(isOfSqliteIndex)).toHaveLength(2);
    expect(await checkFile(copy)).toEqual([]);
  }

  test('is filled as the rows are copied, and follows changes of the copy', async () => {
    copy = await openStorage({ engine: 'sqlite', file: ':memory:' });
    await copyDatabase(storage, copy);
    await expectIndexed();
    await query(copy.writer, "DELETE FROM orders WHERE id LIKE '%5'");
    await query(copy.writer, "UPDATE orders SET search_text = 'xyz' || search_text WHERE id LIKE '%7'");
    await expectIndexed();
    expect(await expectEqual('xyzbracket', copy)).toBeGreaterThan(0);
  });

  test('fits the rows that a backup and VACUUM have numbered again', async () => {
    if (isPostgres(storage.read)) {
      copy = await openStorage({ engine: 'sqlite', file: folder.path('copy.sqlite3') });
      await copyDatabase(storage, copy);
      await query(copy.writer, "DELETE FROM orders WHERE id LIKE '%5'");
    } else {
      await query(storage.writer, 'VACUUM INTO ?', [folder.path('copy.sqlite3')]);
      copy = await openStorage({ engine: 'sqlite', file: folder.path('copy.sqlite3') });
    }
    await expectIndexed();
    await query(copy.writer, 'VACUUM');
    await expectIndexed();
    // what VACUUM may do
    await query(copy.writer, 'UPDATE orders SET rowid = -rowid');
    await expectIndexed();
  });
});

interface Part {
  from: number;
  length: number;
  upper: boolean;
}

function partOf(text: string, { from, length, upper }: Part): string {
  const characters = [...text];
  const start = from % characters.length;
  const some = characters.slice(start, start + length).join('');
  return upper ? some.toUpperCase() : some;
}
