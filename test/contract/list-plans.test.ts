import { type EventFilter, listEvents } from '../../backend/src/events/event-store.ts';
import { listLedger, sumDeducted } from '../../backend/src/filaments/ledger-store.ts';
import { EXAMPLE_IDS } from '../../backend/src/http/examples.ts';
import { ORDER_SORTS } from '../../backend/src/orders/order.ts';
import { OrderQuery, toFilter } from '../../backend/src/orders/order-schema.ts';
import { listOrders, type OrderFilter } from '../../backend/src/orders/order-store.ts';
import { WORKFLOW_STATUSES } from '../../backend/src/orders/status.ts';
import { lastDays } from '../../backend/src/reports/calendar.ts';
import { listUseByMaterial } from '../../backend/src/reports/material-stats-store.ts';
import * as stats from '../../backend/src/reports/order-stats-store.ts';
import { countPrints } from '../../backend/src/reports/print-stats-store.ts';
import type { Position } from '../../backend/src/shared/cursor.ts';
import type { Listed } from '../../backend/src/shared/pagination.ts';
import { isPostgres, query } from '../../backend/src/storage/dialect.ts';
import { listFailingSubscriptions } from '../../backend/src/webhooks/delivery/failing-store.ts';
import { forSuite } from '../kit/opened.ts';
import { plansOf } from '../kit/plans.ts';
import { insertTestAccount, openTestStorage } from '../kit/storage.ts';

/** A printer with many orders. */
const PRINTER = 'printer';

const storage = forSuite(openTestStorage);
let accountId: string;

beforeAll(async () => {
  accountId = await insertTestAccount(storage);
  // for PostgreSQL, which plans by the number of rows
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)`;
  const status = `CASE i % ${WORKFLOW_STATUSES.length} ${WORKFLOW_STATUSES.map((one, i) => `WHEN ${i} THEN '${one}'`).join(' ')} END`;
  await query(
    storage.writer,
    `INSERT INTO printers (id, account_id, name, internal_name, model, technology, created_at, updated_at)
     VALUES ('${PRINTER}', '${accountId}', 'One', '', 'MK4', 'fdm', 0, 0), ('other', '${accountId}', 'Other', '', 'MK4', 'fdm', 0, 0)`,
  );
  await query(
    storage.writer,
    `INSERT INTO orders (id, account_id, model_name, quantity_pieces, material_name, color_hex, material_mg, print_mh, due_date,
       order_notes, workflow_status, printer_id, source, external_id, search_text, version, created_at, updated_at)
     ${numbers} SELECT 'order ' || i, '${accountId}', 'Bracket', 1, CASE i % 3 WHEN 0 THEN 'PETG' ELSE 'PLA' END, '#808080', 0, 0, CAST(2000 + i % 30 AS TEXT) || '-01-05',
       '', ${status}, CASE WHEN i > 3000 THEN '${PRINTER}' WHEN i % 7 = 0 THEN 'other' END,
       CASE i % 2 WHEN 0 THEN 'shop' END, CASE i % 2 WHEN 0 THEN 'id ' || (i / 2) END, 'bracket', 1, i / 3, (i * 7919) % 5000 FROM n`,
  );
  await query(
    storage.writer,
    `INSERT INTO events (id, account_id, event, subject, occurred_at, body)
     ${numbers} SELECT 'event ' || i, '${accountId}', CASE i % 2 WHEN 0 THEN 'order.created' ELSE 'order.deleted' END, 'x', i, '{}' FROM n`,
  );
  await query(
    storage.writer,
    `INSERT INTO filaments (id, account_id, name, brand, type_name, colors, spool_weight_mg, search_text, created_at, updated_at)
     VALUES ('filament', '${accountId}', 'PLA', '', '', '[]', 1000000, 'pla', 0, 0)`,
  );
  await query(
    storage.writer,
    "INSERT INTO filament_batches (id, filament_id, received_at, spool_count, created_at) VALUES ('batch', 'filament', 0, 10, 0)",
  );
  await query(
    storage.writer,
    `INSERT INTO filament_ledger (id, filament_id, batch_id, kind, grams_mg, order_id, source, actor, at)
     ${numbers} SELECT 'entry ' || i, 'filament', 'batch', CASE i % 50 WHEN 0 THEN 'adjustment' ELSE 'consumption' END, -1,
       'order ' || (1 + i % 500), CASE i % 2 WHEN 0 THEN 'report' ELSE 'request' END, 'x', i FROM n`,
  );
  if (isPostgres(storage.writer)) await storage.writer.raw('VACUUM ANALYZE');
});

const PAGE = { page: 3, per_page: 50 };
const TABLES = 'orders|events|order_history|order_counts|event_counts|deliveries|print_reports|filament_ledger';
const SCAN = new RegExp(`^(SCAN (t|o|h|l|r|${TABLES})( USING|$)|.*Seq Scan on (${TABLES})\\b)`);
const SORT = /TEMP B-TREE FOR (LAST TERM OF )?ORDER BY|^(-> +)?(Incremental )?Sort {2}\(/;

/** A page by its number, or behind a position. */
type List = (position?: Position) => Promise<Listed<unknown>>;

const orders =
  (filter: Partial<OrderFilter>, page = PAGE): List =>
  (position) =>
    listOrders(
      storage.read,
      accountId,
      { workflow_status: [], include_closed: false, sort: '-created_at', ...filter },
      { ...page, position },
    );

const events =
  (filter: Omit<EventFilter, 'page' | 'per_page'>, page = PAGE): List =>
  (position) =>
    listEvents(storage.read, accountId, { ...filter, ...page, position });

/** near the end of all orders and events, and of the orders that aren't closed */
const DEEP = { page: 88, per_page: 50 };

/** Every list sorts the rows of its page once, after it has found them. */
const IN_ORDER: [string, List][] = [
  ['the default list', orders({})],
  ['the oldest first', orders({ sort: 'created_at' })],
  ['with closed orders', orders({ include_closed: true })],
  ['one status', orders({ workflow_status: ['closed'] })],
  ['some statuses', orders({ workflow_status: ['assigned', 'printing', 'packing'] })],
  ['by due date', orders({ sort: 'due_date' })],
  ['by due date with closed orders', orders({ sort: '-due_date', include_closed: true })],
  ['by due date in a period', orders({ sort: 'due_date', due_after: '2026-01-01', due_before: '2026-01-09' })],
  ['the last changed', orders({ sort: '-updated_at', include_closed: true })],
  ['changes since', orders({ sort: 'updated_at', updated_since: 1, include_closed: true })],
  ['created in a period', orders({ created_since: 100, created_before: 1600 })],
  ['a printer', orders({ printer_id: PRINTER })],
  ['a printer and a status', orders({ printer_id: PRINTER, workflow_status: ['packing'] })],
  ['a printer with closed orders', orders({ printer_id: PRINTER, include_closed: true, sort: 'created_at' })],
  ['the last pages', orders({ include_closed: true }, DEEP)],
  ['the last pages without closed orders', orders({}, DEEP)],
  ['the last pages by due date', orders({ sort: 'due_date' }, DEEP)],
  ['the last pages of the event feed', events({ sort: '-occurred_at' }, DEEP)],
  ['the event feed', events({ sort: '-occurred_at' })],
  ['events of a kind', events({ event: 'order.created', sort: 'occurred_at' })],
];

test.each(IN_ORDER)('%s is read in the order of an index', async (_name, list) => {
  const plan = await plansOf(storage, () => list());

  expect(plan.length).toBeGreaterThan(3);
  expect(plan.filter((line) => SCAN.test(line))).toEqual([]);
  expect(plan.filter((line) => SORT.test(line)).length).toBeLessThanOrEqual(1);
});

/** The condition of a position in a range of an index: on SQLite, and on PostgreSQL. */
const BEHIND = /INDEX .*(\)|\bseq)[<>][(?]|Index Cond: .*(ROW\(.*\) [<>] ROW\(|\bseq [<>] )/;

test.each(IN_ORDER)('behind a position, %s is read from there in the order of an index', async (_name, list) => {
  const { next } = await list();
  const plan = await plansOf(storage, () => list(next));

  expect(plan.filter((line) => BEHIND.test(line))).not.toEqual([]);
  expect(plan.filter((line) => SCAN.test(line))).toEqual([]);
  expect(plan.filter((line) => SORT.test(line)).length).toBeLessThanOrEqual(1);
});

/** These sort what they match. */
const BY_PERIOD: [string, List][] = [
  ['orders due in a period', orders({ due_after: '2026-01-01', due_before: '2026-01-09' })],
  ['the orders of a printer by due date', orders({ printer_id: PRINTER, sort: 'due_date' })],
  ['orders by IDs', orders({ id: ['order 1', 'order 2'], include_closed: true }, { page: 1, per_page: 1 })],
  ['an order of a shop', orders({ source: 'shop', external_id: 'id 7', include_closed: true })],
  [
    'orders due first of those created in a period',
    orders({ created_since: 100, created_before: 200, sort: 'due_date' }),
  ],
  ['the last created of those changed since', orders({ updated_since: 1, include_closed: true })],
];

test.each(BY_PERIOD)('%s are found by an index', async (_name, list) => {
  const { next } = await list();
  const behind = await plansOf(storage, () => list(next));
  const plan = await plansOf(storage, () => list());
  expect([...plan, ...behind].filter((line) => SCAN.test(line))).toEqual([]);
  const ranges = plan.filter((line) =>
    /(due_date|created_at|updated_at)\s*>|(updat|creat)ed_at >=|(printer_id|external_id)\s*=|\bid\s*=/.test(line),
  );
  // the rows, and what is counted
  expect(ranges.length).toBeGreaterThanOrEqual(plan.some((line) => /order_counts/.test(line)) ? 1 : 2);
});

test.each([
  {},
  { include_closed: 'true' },
  { printer_id: EXAMPLE_IDS.printer },
  { workflow_status: 'printing', sort: '-due_date' },
])('the total of the orders that a request with %j lists is that of the counters', async (query) => {
  const plan = await plansOf(storage, () => orders(toFilter(OrderQuery.parse(query)))());
  expect(plan.filter((line) => /order_counts/.test(line))).not.toEqual([]);
});

test('a page of a ledger, its marks and the deductions of an order are found by indexes', async () => {
  const plan = await plansOf(storage, async () => {
    await listLedger(storage.read, 'filament', PAGE);
    await sumDeducted(storage.read, 'order 7', 'report', 5000);
  });
  expect(plan.filter((line) => SCAN.test(line) || /^SCAN [oau]\b/.test(line))).toEqual([]);
  const text = plan.join('\n');
  for (const index of ['filament_ledger_filament', 'filament_ledger_order_at', 'filament_ledger_counts'])
    expect(text).toContain(index);
});

test('the summary and the overview read no table whole', async () => {
  const plan = await plansOf(storage, async () => {
    const { read } = storage;
    const days = lastDays('UTC', 90, 5000);
    const span = { since: 0, until: 5000 };
    await stats.countByStatus(read, accountId);
    await stats.countByDay(read, accountId, days);
    await stats.countDue(read, accountId, '2026-01-01');
    await stats.countStatusResets(read, accountId);
    await stats.listDue(read, accountId, '2026-01-01', 10);
    await stats.listFailures(read, accountId, span, 10);
    await stats.countByPrinter(read, accountId);
    await stats.listPrinting(read, accountId, 3);
    await countPrints(read, accountId, span, 10);
    await listUseByMaterial(read, accountId, span, 10);
    await listFailingSubscriptions(read, accountId);
  });
  expect(plan.length).toBeGreaterThan(20);
  expect(plan.filter((line) => SCAN.test(line))).toEqual([]);
});

interface StoredOrder {
  id: string;
  workflow_status: string;
  due_date: string;
  created_at: number;
  updated_at: number;
  printer_id: string | null;
  external_id: string | null;
  material_name: string;
}

test('every combination of statuses, periods and sorts lists what reading all orders gives', async () => {
  const all = await query<StoredOrder>(
    storage.read,
    'SELECT id, workflow_status, due_date, created_at, updated_at, printer_id, external_id, material_name FROM orders',
  );
  const statusFilters: Partial<OrderFilter>[] = [
    {},
    { include_closed: true },
    { workflow_status: ['closed'] },
    { workflow_status: ['done', 'closed', 'done'] },
    { workflow_status: [...WORKFLOW_STATUSES] },
  ];
  const periods: Partial<OrderFilter>[] = [
    {},
    { due_after: '2003-01-05', due_before: '2009-01-05' },
    { updated_since: 4000 },
    { updated_since: 3000, due_after: '2020-01-01' },
    { printer_id: PRINTER },
    { printer_id: PRINTER, updated_since: 3000 },
    { created_since: 400, created_before: 900 },
    { printer_id: PRINTER, created_since: 1200 },
    { created_before: 700, due_after: '2020-01-01' },
    { id: ['order 7', 'order 8', 'order 9', 'order 10', 'order 4000', 'none'] },
    { external_id: 'id 7', created_since: 1 },
    { material_name: 'PETG', due_after: '2015-01-01' },
  ];
  for (const statuses of statusFilters) {
    for (const period of periods) {
      for (const sort of ORDER_SORTS) {
        const filter = { workflow_status: [], include_closed: false, sort, ...statuses, ...period };
        const column = sort.replace('-', '') as 'due_date' | 'created_at' | 'updated_at';
        const direction = sort.startsWith('-') ? -1 : 1;
        const expected = all
          .filter((order) => matches(filter, order))
          .sort((a, b) => direction * (compare(a[column], b[column]) || compare(a.id, b.id)));
        // the first, one nearer to the start than to the end, one nearer to the end, the last, and one behind it
        const last = Math.max(1, Math.ceil(expected.length / 9));
        for (const page of [1, 7, Math.ceil(last * 0.3), Math.ceil(last * 0.6), last, last + 1]) {
          const { items, total, next } = await listOrders(storage.read, accountId, filter, { page, per_page: 9 });
          expect([filter, page, total]).toEqual([filter, page, expected.length]);
          expect(items.map(({ id }) => id)).toEqual(expected.slice((page - 1) * 9, page * 9).map(({ id }) => id));
          // there is a next page if this one has orders and isn't the last
          expect([filter, page, next !== undefined]).toEqual([filter, page, page < last]);
          if (next === undefined) continue;
          const behind = await listOrders(storage.read, accountId, filter, { page: 1, per_page: 9, position: next });
          expect(behind.items.map(({ id }) => id)).toEqual(expected.slice(page * 9, page * 9 + 9).map(({ id }) => id));
          expect([filter, behind.total]).toEqual([filter, expected.length]);
          expect([filter, behind.next !== undefined]).toEqual([filter, page + 1 < last]);
        }
      }
    }
  }
});

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function matches(filter: OrderFilter, order: StoredOrder): boolean {
  const { workflow_status, include_closed, printer_id, due_after, due_before, updated_since } = filter;
  if (printer_id !== undefined && order.printer_id !== printer_id) return false;
  if (filter.id && !filter.id.includes(order.id)) return false;
  for (const field of ['external_id', 'material_name'] as const)
    if (filter[field] !== undefined && order[field] !== filter[field]) return false;
  if (order.created_at < (filter.created_since ?? 0)) return false;
  if (order.created_at >= (filter.created_before ?? Number.POSITIVE_INFINITY)) return false;
  if (workflow_status.length > 0 && !(workflow_status as string[]).includes(order.workflow_status)) return false;
  if (workflow_status.length === 0 && !include_closed && order.workflow_status === 'closed') return false;
  if (due_after !== undefined && order.due_date <= due_after) return false;
  if (due_before !== undefined && order.due_date >= due_before) return false;
  return updated_since === undefined || order.updated_at >= updated_since;
}
