/** The columns of our files: the names of the API, so that scripts can read them too. */
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
] as const;

export type CsvColumn = (typeof CSV_COLUMNS)[number];

/** A table program takes such a text for a formula and runs it. */
export const FORMULA = /^'*[=+\-@\t\r]/;

/** Takes back the apostrophe that a file of ours has before what looks like a formula. */
export const unescapeFormula = (text: string) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text);

/** What wrote a fault beside a row that was not taken. */
export const FAULT_COLUMN = 'error';

export const MAX_ROWS = 5_000;
export const MAX_BYTES = 10_000_000;
