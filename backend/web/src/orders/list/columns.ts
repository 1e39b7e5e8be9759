import { toMajor } from '../../i18n/currency';
import type { Order } from '../../order-data/orders-api';
import { STATUSES } from '../../order-data/statuses';
import { COLUMN_NAMES, type ColumnName, columnOf } from '../order-columns';

/** The columns that the list can have. */
export const LIST_COLUMNS = COLUMN_NAMES.filter((name) => columnOf(name).width !== undefined);
export const isColumn = (name: string): name is ColumnName => LIST_COLUMNS.some((column) => column === name);

const STORAGE_KEY = 'farmboard-order-columns';

export function loadColumns(): ColumnName[] {
  const names = localStorage.getItem(STORAGE_KEY)?.split(',').filter(isColumn) ?? [];
  return names.length > 0 ? inOrder(names) : LIST_COLUMNS.filter((name) => columnOf(name).isUsual);
}

export const saveColumns = (names: ColumnName[]) => localStorage.setItem(STORAGE_KEY, names.join(','));

/** The model column is always shown, because it identifies the order. */
export const inOrder = (names: ColumnName[]) =>
  LIST_COLUMNS.filter((name) => name === 'model_name' || names.includes(name));

type Sortable = string | number | null;

function sortableOf(order: Order, name: ColumnName): Sortable {
  if (name === 'workflow_status') return STATUSES.indexOf(order.workflow_status);
  if (name === 'price') return order.price === null ? null : toMajor(order.price, order.currency);
  const value = order[name];
  return value === '' ? null : value;
}

const byCode = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

const newestFirst = (a: Order, b: Order): number => byCode(b.created_at, a.created_at) || byCode(a.id, b.id);

/** Empty values come last in both directions; equal ones are sorted newest first. */
export function sorting(name: ColumnName, descending: boolean, language: string): (a: Order, b: Order) => number {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const sign = descending ? -1 : 1;
  const isText = columnOf(name).kind === 'text';
  return (a, b) => {
    const [x, y] = [sortableOf(a, name), sortableOf(b, name)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || newestFirst(a, b);
    const order = isText && typeof x === 'string' && typeof y === 'string' ? compare(x, y) : byCode(x, y);
    return order * sign || newestFirst(a, b);
  };
}
