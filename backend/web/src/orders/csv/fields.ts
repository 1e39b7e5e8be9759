import type { Order } from '../../api/api';

/** CSV columns, named as in the API so that scripts can read the files too. */
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

/** Spreadsheets run such text as a formula. */
export const FORMULA = /^'*[=+\-@\t\r]/;

/** Removes the apostrophe that our export puts before text that looks like a formula. */
export const unescapeFormula = (text: string) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text);

/** Column with the error of each rejected row. */
export const FAULT_COLUMN = 'error';

export const MAX_ROWS = 5_000;
export const MAX_BYTES = 10_000_000;
