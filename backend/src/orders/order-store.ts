import { toIso } from '../../../common/src/clock.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import { fromThousandths, toThousandths } from '../shared/units.ts';
import { countedTotal, ORDER_COUNTS } from '../storage/counters.ts';
import {
  type Db,
  forKeyShare,
  forUpdate,
  isPostgres,
  placeholders,
  query,
  queryOne,
  type Value,
} from '../storage/dialect.ts';
import { type PageQuery, queryPage, toLimits, toOrderBy } from '../storage/page.ts';
import { type Found, findByTrigrams, matchesText } from '../storage/search.ts';
import type { OrderSort, StoredOrder } from './order.ts';
import { type ExternalId, ORDER_FIELDS, type Order, type OrderFields } from './order-fields.ts';
import { WORKFLOW_STATUSES, type WorkflowStatus } from './status.ts';

/** As `Order`, with decimals in thousandths and times in milliseconds. */
interface OrderRow extends Omit<Order, 'external_updated_at' | 'created_at' | 'updated_at'> {
  version: number;
  external_updated_at: number | null;
  created_at: number;
  updated_at: number;
}

/** Fields that are stored in another column or unit. */
const STORED_AS: { [field in keyof Order]?: { column: string; toValue(value: never): number | null } } = {
  material_grams: { column: 'material_mg', toValue: toThousandths },
  print_hours: { column: 'print_mh', toValue: toThousandths },
  external_updated_at: {
    column: 'external_updated_at',
    toValue: (time: string | null) => (time === null ? null : Date.parse(time)),
  },
};

const columnOf = (field: keyof Order): string => STORED_AS[field]?.column ?? field;

/** Each field and its expression. */
function expressions(alias: string): [field: keyof Order, expression: string][] {
  const printerName = `(SELECT p.name FROM printers p WHERE p.id = ${alias}.printer_id)`;
  return ORDER_FIELDS.map((field) => [field, field === 'printer_name' ? printerName : columnOf(field)]);
}

const columns = (alias: string): string =>
  [...expressions(alias).map(([field, expression]) => `${expression} AS ${field}`), 'version'].join(', ');

const SELECTED = columns('t');
const RETURNED = columns('orders');
/** The fields without the version, for `convert`. */
const AS_JSON = `json_object(${expressions('t').flatMap(([field, expression]) => [`'${field}'`, expression])})`;

/** What a stored value is converted by, in fields that are stored in another unit. */
const FROM_STORED = Object.entries({
  material_grams: fromThousandths,
  print_hours: fromThousandths,
  external_updated_at: (ms: number | null) => (ms === null ? null : toIso(ms)),
  created_at: toIso,
  updated_at: toIso,
});

/** Converts stored fields in place, and returns them. */
function convert(stored: Record<string, unknown>): Order {
  for (const [field, fromStored] of FROM_STORED) stored[field] = fromStored(stored[field] as number);
  return stored as unknown as Order;
}

/** Copies field by field: spreading the row takes four times as long, a fifth of a list's time. */
function toOrder(row: OrderRow): StoredOrder {
  const stored: Record<string, unknown> = {};
  for (const field of ORDER_FIELDS) stored[field] = row[field];
  return { order: convert(stored), version: row.version };
}

/**
 * The text that a search matches. In lower case, because SQLite folds only ASCII letters and PostgreSQL all of them.
 */
const searchText = (fields: Pick<OrderFields, 'model_name' | 'order_notes' | 'customer_name'>): string =>
  [fields.model_name, fields.order_notes, fields.customer_name ?? ''].join('\n').toLowerCase();

export async function findOrder(db: Db, accountId: string, id: string): Promise<StoredOrder | undefined> {
  const row = await queryOne<OrderRow>(db, `SELECT ${SELECTED} FROM orders t WHERE id = ? AND account_id = ?`, [
    id,
    accountId,
  ]);
  return row && toOrder(row);
}

/** As `findOrder`, and locks the order (FOR UPDATE) until the transaction ends. */
export async function lockOrder(db: Db, accountId: string, id: string): Promise<StoredOrder | undefined> {
  const row = await queryOne<OrderRow>(
    db,
    `SELECT ${SELECTED} FROM orders t WHERE id = ? AND account_id = ?${forUpdate(db)}`,
    [id, accountId],
  );
  return row && toOrder(row);
}

export async function findByExternalId(
  db: Db,
  accountId: string,
  { source, external_id }: ExternalId,
  lock = '',
): Promise<StoredOrder | undefined> {
  const row = await queryOne<OrderRow>(
    db,
    `SELECT ${SELECTED} FROM orders t WHERE account_id = ? AND external_id = ? AND source = ?${lock}`,
    [accountId, external_id, source],
  );
  return row && toOrder(row);
}

/** As `findByExternalId`, and locks the order (FOR UPDATE) until the transaction ends. */
export const lockByExternalId = (db: Db, accountId: string, key: ExternalId): Promise<StoredOrder | undefined> =>
  findByExternalId(db, accountId, key, forUpdate(db));

export async function orderExists(db: Db, accountId: string, id: string): Promise<boolean> {
  return (await query(db, 'SELECT id FROM orders WHERE id = ? AND account_id = ?', [id, accountId])).length > 0;
}

/** As `orderExists`, and the order can't be deleted (FOR KEY SHARE) until the transaction ends. */
export async function holdOrder(db: Db, accountId: string, id: string): Promise<boolean> {
  const sql = `SELECT id FROM orders WHERE id = ? AND account_id = ?${forKeyShare(db)}`;
  return (await query(db, sql, [id, accountId])).length > 0;
}

/** The ids of the orders that a printer is printing, two at most: callers only need to know whether there is exactly one. */
export async function listPrintingOn(db: Db, accountId: string, printerId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    "SELECT id FROM orders WHERE printer_id = ? AND account_id = ? AND workflow_status = 'printing' LIMIT 2",
    [printerId, accountId],
  );
  return rows.map(({ id }) => id);
}

export interface OrderFilter {
  workflow_status: WorkflowStatus[];
  include_closed: boolean;
  /** none: any */
  id?: string[] | undefined;
  source?: string | undefined;
  external_id?: string | undefined;
  material_name?: string | undefined;
  customer_name?: string | undefined;
  printer_id?: string | undefined;
  /** exclusive, `YYYY-MM-DD` */
  due_before?: string | undefined;
  due_after?: string | undefined;
  /** inclusive, milliseconds */
  created_since?: number | undefined;
  /** exclusive */
  created_before?: number | undefined;
  /** inclusive */
  updated_since?: number | undefined;
  q?: string | undefined;
  sort: OrderSort;
}

const CONDITIONS = {
  printer_id: 't.printer_id = ?',
  source: 't.source = ?',
  external_id: 't.external_id = ?',
  material_name: 't.material_name = ?',
  customer_name: 't.customer_name = ?',
  due_before: 't.due_date < ?',
  due_after: 't.due_date > ?',
  created_since: 't.created_at >= ?',
  created_before: 't.created_at < ?',
  updated_since: 't.updated_at >= ?',
} satisfies { [name in keyof OrderFilter]?: string };

export async function listOrders(db: Db, accountId: string, filter: OrderFilter, page: Page): Promise<Listed<Order>> {
  // a page of a printer's orders is read from the index of the printer: statistics could suggest one of the account, which
  // an expression can't use
  const account = filter.printer_id !== undefined && filter.q === undefined ? "t.account_id || ''" : 't.account_id';
  const found = await findText(db, accountId, filter.q);
  const where = [...found.where, `${account} = ?`];
  const values: Value[] = [...found.values, accountId];
  const and = (condition: string, ...more: Value[]) => {
    where.push(condition);
    values.push(...more);
  };
  if (filter.id?.length) and(`t.id IN ${placeholders(1, filter.id.length)}`, ...filter.id);
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = filter[name as keyof typeof CONDITIONS];
    if (value !== undefined) and(condition, value);
  }

  const { statuses, isLimited, ...order } = planList(filter);
  if (isLimited && !order.oneOf) and(`t.workflow_status IN ${placeholders(1, statuses.length)}`, ...statuses);
  // SQLite's driver takes longer to build 50 rows of 20 columns than it takes to parse them as JSON
  const inJson = !isPostgres(db);
  const { rows, total, next } = await queryPage<OrderRow & { json: string }>(db, {
    columns: inJson ? `id, ${filter.sort.replace('-', '')}, ${AS_JSON} AS json` : SELECTED,
    table: 'orders',
    where,
    values,
    ...order,
    ...found.plan,
    ...(isCounted(filter) && {
      total: countedTotal(ORDER_COUNTS, {
        account_id: accountId,
        workflow_status: isLimited ? statuses : undefined,
        printer_id: filter.printer_id,
      }),
    }),
    ...toLimits(page),
  });
  const items = rows.map((row) => (inJson ? convert(JSON.parse(row.json)) : toOrder(row).order));
  return { items, total, next };
}

/** The id of an order, as it is or as its label has it. */
const ID = /^(?:order-)?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;
/** What lists show of an id. */
const END_OF_ID = /^[0-9a-f]{8}$/;

/**
 * How a search finds orders: by text, or by an id that is written whole, as on a label or with its last 8 characters.
 * Conditions on `orders t`, without that of the account.
 */
async function findText(db: Db, accountId: string, search: string | undefined): Promise<Found> {
  if (search === undefined) return { where: [], values: [], plan: {} };
  const byText = matchesText(search);
  const ids = await findIds(db, accountId, search.trim().toLowerCase());
  if (ids.length === 0) {
    const { where, values, plan } = await findByTrigrams(db, accountId, search);
    return { where: [...where, ...byText.where], values: [...values, ...byText.values], plan };
  }
  const where = [`(t.id IN ${placeholders(1, ids.length)} OR (${byText.where.join(' AND ')}))`];
  return { where, values: [...ids, ...byText.values], plan: {} };
}

async function findIds(db: Db, accountId: string, search: string): Promise<string[]> {
  const id = ID.exec(search)?.[1];
  if (id === undefined && !END_OF_ID.test(search)) return [];
  const [condition, value] = id === undefined ? ['substr(id, 29) = ?', search] : ['id = ?', id];
  const sql = `SELECT id FROM orders WHERE account_id = ? AND ${condition}`;
  return (await query<{ id: string }>(db, sql, [accountId, value])).map((row) => row.id);
}

/** The ids of all orders that a search finds, of every status, in no order. */
export async function listFound(db: Db, accountId: string, search: string): Promise<string[]> {
  const { where, values, plan } = await findText(db, accountId, search);
  const conditions = [...where, 't.account_id = ?'].join(' AND ');
  const sql = `SELECT t.id FROM ${plan.via ?? ''} orders t WHERE ${conditions}`;
  return (await query<{ id: string }>(db, sql, [...values, accountId])).map(({ id }) => id);
}

/** Conditions of which the counters know nothing. */
const UNCOUNTED = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter((name) => name !== 'printer_id');

/** Whether the counters have the total of a list. */
const isCounted = (filter: OrderFilter): boolean =>
  !filter.id?.length && filter.q === undefined && UNCOUNTED.every((name) => filter[name] === undefined);

const isSentAny = (...values: unknown[]): boolean => values.some((value) => value !== undefined);

interface ListPlan extends Pick<PageQuery, 'orderBy' | 'key' | 'oneOf'> {
  statuses: WorkflowStatus[];
  /** whether some statuses are left out */
  isLimited: boolean;
}

/**
 * How a list reads its rows: from the index of the creation times, from the range of each status in the index of the
 * sort column or of the printer, or from those that a period, the printer or ids select. A search leaves the choice of an
 * index to the engine, unless the search index narrows it.
 */
function planList(filter: OrderFilter): ListPlan {
  const { sort, workflow_status, include_closed } = filter;
  const orderBy = toOrderBy(sort);
  const sortColumn = sort.replace('-', '');
  const all = include_closed ? WORKFLOW_STATUSES : WORKFLOW_STATUSES.filter((status) => status !== 'closed');
  const statuses = [...(workflow_status.length > 0 ? new Set(workflow_status) : all)];
  const isLimited = statuses.length < WORKFLOW_STATUSES.length;
  const plan = { orderBy, statuses, isLimited };

  if (filter.q !== undefined) return plan;
  if (filter.id?.length || filter.external_id !== undefined) {
    return { ...plan, orderBy: toUnindexedOrderBy(sort), key: 'id', isLimited: true };
  }
  const sorted = [
    ...(isSentAny(filter.due_before, filter.due_after) ? ['due_date'] : []),
    ...(isSentAny(filter.updated_since) ? ['updated_at'] : []),
    ...(isSentAny(filter.printer_id, filter.created_since, filter.created_before) ? ['created_at'] : []),
  ];
  const isSelected = sorted.length > 0;
  if (isSelected && (!sorted.includes(sortColumn) || (filter.printer_id !== undefined && sorted.length > 1))) {
    return { ...plan, orderBy: toUnindexedOrderBy(sort), key: 'id', isLimited: true };
  }
  if (!isSelected && sortColumn === 'created_at' && !isLimited) return { ...plan, key: 'id' };
  return { ...plan, key: 'id', oneOf: { column: 'workflow_status', values: statuses, sortColumn } };
}

/** By an expression that has no index: engines would otherwise read all rows in the order of the column's. */
const toUnindexedOrderBy = (sort: OrderSort): string => toOrderBy(sort, sort.endsWith('due_date') ? " || ''" : ' + 0');

export interface NewOrder extends OrderFields, Partial<Pick<Order, 'source' | 'external_id' | 'external_updated_at'>> {
  id: string;
  workflow_status: WorkflowStatus;
  /** milliseconds */
  at: number;
}

export type OrderChange = Partial<OrderFields> & {
  workflow_status?: WorkflowStatus;
  status_reset_received?: string | null;
  external_updated_at?: string | null;
};

/** The columns of these fields, and their values. */
function toColumns(fields: OrderChange & { id?: string }): { names: string[]; values: Value[] } {
  const entries = Object.entries(fields) as [keyof typeof fields, Value][];
  return {
    names: entries.map(([field]) => columnOf(field)),
    values: entries.map(([field, value]) => STORED_AS[field]?.toValue(value as never) ?? value),
  };
}

/** @returns undefined if an order has the external id */
export async function insertOrder(
  db: Db,
  accountId: string,
  { at, ...fields }: NewOrder,
): Promise<StoredOrder | undefined> {
  const { names, values } = toColumns(fields);
  const [row] = await query<OrderRow>(
    db,
    `INSERT INTO orders (${names.join(', ')}, account_id, search_text, version, created_at, updated_at)
     VALUES (${names.map(() => '?').join(', ')}, ?, ?, 1, ?, ?)
     ON CONFLICT (account_id, external_id, source) WHERE external_id IS NOT NULL DO NOTHING RETURNING ${RETURNED}`,
    [...values, accountId, searchText(fields), at, at],
  );
  return row && toOrder(row);
}

/** Writes the given fields only and increments the version. `before` is the locked order. */
export async function updateOrder(db: Db, before: Order, change: OrderChange, at: number): Promise<StoredOrder> {
  const { names, values } = toColumns(change);
  const [row] = await query<OrderRow>(
    db,
    `UPDATE orders SET ${names.map((name) => `${name} = ?`).join(', ')}, search_text = ?, version = version + 1, updated_at = ? WHERE id = ? RETURNING ${RETURNED}`,
    [...values, searchText({ ...before, ...change }), at, before.id],
  );
  return toOrder(row as OrderRow);
}

/** A new version of a printer's orders, because its name in them changed. @returns their ids */
export const touchOrdersOf = (db: Db, printerId: string, at: number) =>
  query<{ id: string }>(
    db,
    'UPDATE orders SET version = version + 1, updated_at = ? WHERE printer_id = ? RETURNING id',
    [at, printerId],
  );

/** Takes a printer from its orders. @returns their ids */
export const releaseOrdersOf = (db: Db, printerId: string, at: number) =>
  query<{ id: string }>(
    db,
    'UPDATE orders SET printer_id = NULL, version = version + 1, updated_at = ? WHERE printer_id = ? RETURNING id',
    [at, printerId],
  );

export async function deleteOrder(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM orders WHERE id = ?', [id]);
}
