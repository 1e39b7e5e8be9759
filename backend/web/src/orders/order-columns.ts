import type { Order } from '../order-data/orders-api';

/** What the console knows of a field of an order, but for its label, which is in messages.ts. */
interface OrderColumn {
  /** how it is shown, entered, and read from a cell of a CSV file */
  kind: 'text' | 'whole' | 'decimal' | 'day' | 'moment' | 'status' | 'color' | 'printer' | 'money' | 'currency' | 'id';
  /** length of the longest text, or the greatest number */
  max?: number;
  unit?: 'grams' | 'hours';
  /** the form's value for a new order; without it, the field isn't in the form */
  initial?: string | number | null;
  /** what the server gets if it is left empty; without it, it must be filled in */
  empty?: '' | null;
  /** a text of several lines */
  isLong?: boolean;
  /** the form shows it after the fields that have a place of their own */
  isFurther?: boolean;
  /** minimum width of its column in the list, in rem; without it, the list has no such column */
  width?: number;
  grows?: boolean;
  /** in the list unless other columns are chosen */
  isUsual?: boolean;
}

/** The fields of an order, in the order of the list and of CSV files. */
const COLUMNS = {
  model_name: { kind: 'text', max: 300, initial: '', width: 14, grows: true, isUsual: true },
  workflow_status: { kind: 'status', initial: 'negotiation', width: 9, isUsual: true },
  due_date: { kind: 'day', initial: '', width: 10, isUsual: true },
  quantity_pieces: { kind: 'whole', max: 1_000_000, initial: 1, width: 5.5, isUsual: true },
  material_name: { kind: 'text', max: 200, initial: '', empty: '', width: 8, isUsual: true },
  color_hex: { kind: 'color', initial: '#808080' },
  material_grams: { kind: 'decimal', max: 1_000_000, unit: 'grams', initial: 0, width: 7, isUsual: true },
  print_hours: { kind: 'decimal', max: 100_000, unit: 'hours', initial: 0, width: 7.5, isUsual: true },
  printer_name: { kind: 'text', width: 8, isUsual: true },
  printer_id: { kind: 'printer', initial: null, empty: null },
  customer_name: { kind: 'text', max: 300, initial: '', empty: null, width: 10, isUsual: true },
  customer_contact: { kind: 'text', max: 300, initial: '', empty: null, width: 10 },
  price: { kind: 'money', initial: '', empty: null, width: 7.5, isUsual: true },
  currency: { kind: 'currency', initial: '', empty: null },
  order_notes: { kind: 'text', max: 5000, initial: '', empty: '', isLong: true, isFurther: true, width: 12 },
  created_at: { kind: 'moment', width: 10 },
  updated_at: { kind: 'moment', width: 10 },
  id: { kind: 'id', width: 19 },
} as const satisfies Partial<Record<keyof Order, OrderColumn>>;

export type ColumnName = keyof typeof COLUMNS;
export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];
export const columnOf = (name: ColumnName): OrderColumn => COLUMNS[name];

export const isNumber = (name: ColumnName) => ['whole', 'decimal', 'money'].includes(columnOf(name).kind);

/** What a person may edit. */
export type FormField = Exclude<ColumnName, 'printer_name' | 'created_at' | 'updated_at' | 'id'>;
export const FORM_FIELDS = COLUMN_NAMES.filter((name) => columnOf(name).initial !== undefined) as FormField[];
