import type { Order } from '../../order-data/orders-api';

/** Columns of our export, named as in the API so that scripts can read the files too. */
export const CSV_COLUMNS = [
  'id',
  'model_name',
  'workflow_status',
  'due_date',
  'quantity_pieces',
  'material_name',
  'color_hex',
  'material_grams',
  'print_hours',
  'printer_name',
  'printer_id',
  'customer_name',
  'customer_contact',
  'price',
  'currency',
  'order_notes',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Order)[];

export type CsvColumn = (typeof CSV_COLUMNS)[number];

/** What a column of a file can be imported as, in the order in which it is offered. */
export const TARGETS = [
  'model_name',
  'quantity_pieces',
  'customer_name',
  'customer_contact',
  'due_date',
  'price',
  'unit_price',
  'currency',
  'workflow_status',
  'material_name',
  'color_hex',
  'material_grams',
  'print_hours',
  'printer_name',
  'printer_id',
  'order_notes',
  'order_number',
  'id',
] as const satisfies readonly (CsvColumn | 'unit_price' | 'order_number')[];

export type Target = (typeof TARGETS)[number];

/** What each column of a file is imported as; null: not at all. */
export type Mapping = readonly (Target | null)[];

/** Texts that may come from several columns, such as first and last name, and what is put between them. */
export const JOINERS: Partial<Record<Target, string>> = {
  model_name: ', ',
  customer_name: ' ',
  customer_contact: ', ',
  order_notes: '\n',
};

const isPrice = (target: Target | null) => target === 'price' || target === 'unit_price';

/** Imports a column as a field. Other columns of that field are left out, unless its texts can be joined. */
export const mapColumn = (mapping: Mapping, place: number, target: Target | null): Mapping =>
  mapping.map((other, index) => {
    if (index === place) return target;
    const isTaken = other === target || (isPrice(other) && isPrice(target));
    return isTaken && !(target && JOINERS[target] !== undefined) ? null : other;
  });

/** Whether orders can be created or found with it. */
export const isComplete = (mapping: Mapping) => mapping.includes('model_name') || mapping.includes('id');

/** Spreadsheets run such text as a formula. */
export const FORMULA = /^'*[=+\-@\t\r]/;

/** Removes the apostrophe that our export puts before text that looks like a formula. */
export const unescapeFormula = (text: string) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text);

/** Column with the error of each rejected row. */
export const FAULT_COLUMN = 'error';

export const MAX_ROWS = 5_000;
export const MAX_BYTES = 10_000_000;
