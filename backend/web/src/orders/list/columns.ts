import { toMajor } from '../../i18n/currency';
import type { Order } from '../../order-data/orders-api';
import { STATUSES } from '../../order-data/statuses';

/** The available columns with their minimum width in rem; numbers are right-aligned. */
export const COLUMNS = {
  model_name: { width: 14, grows: true },
  workflow_status: { width: 9 },
  due_date: { width: 10 },
  quantity_pieces: { width: 5.5, isNumber: true },
  material_name: { width: 8 },
  material_grams: { width: 7, isNumber: true },
  print_hours: { width: 7.5, isNumber: true },
  printer_name: { width: 8 },
  customer_name: { width: 10 },
  customer_contact: { width: 10 },
  price: { width: 7.5, isNumber: true },
  order_notes: { width: 12 },
  created_at: { width: 10 },
  updated_at: { width: 10 },
  id: { width: 19 },
} as const satisfies Record<string, { width: number; grows?: boolean; isNumber?: boolean }>;

export type ColumnName = keyof typeof COLUMNS;
export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];
export const isColumn = (name: string): name is ColumnName => Object.hasOwn(COLUMNS, name);

const STORAGE_KEY = 'farmboard-order-columns';
const FIRST: ColumnName[] = [
  'model_name',
  'workflow_status',
  'due_date',
  'quantity_pieces',
  'material_name',
  'material_grams',
  'print_hours',
  'printer_name',
  'customer_name',
  'price',
];

export function loadColumns(): ColumnName[] {
  const names = localStorage.getItem(STORAGE_KEY)?.split(',').filter(isColumn) ?? [];
  return names.length > 0 ? inOrder(names) : FIRST;
}

export const saveColumns = (names: ColumnName[]) => localStorage.setItem(STORAGE_KEY, names.join(','));

/** The model column is always shown, because it identifies the order. */
export const inOrder = (names: ColumnName[]) =>
  COLUMN_NAMES.filter((name) => name === 'model_name' || names.includes(name));

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
  const isText = !['workflow_status', 'due_date', 'created_at', 'updated_at', 'id'].includes(name);
  return (a, b) => {
    const [x, y] = [sortableOf(a, name), sortableOf(b, name)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || newestFirst(a, b);
    const order = isText && typeof x === 'string' && typeof y === 'string' ? compare(x, y) : byCode(x, y);
    return order * sign || newestFirst(a, b);
  };
}
