import type { Language } from '../../i18n/messages';
import { LABELS } from '../messages';
import { COLUMN_NAMES, type ColumnName, columnOf, type FormField } from '../order-columns';
import { MESSAGES } from './messages';

/** Columns of our export, named as in the API so that scripts can read the files too. */
export const CSV_COLUMNS: ColumnName[] = ['id', ...COLUMN_NAMES.filter((name) => name !== 'id')];

/** What a column of a file can be imported as. */
export type Target = FormField | 'printer_name' | 'unit_price' | OrderName;

/** What says which order a row is about. */
const ORDER_NAMES = ['order_number', 'source', 'external_id', 'id'] as const;
type OrderName = (typeof ORDER_NAMES)[number];
export const isOrderName = (target: Target): target is OrderName => (ORDER_NAMES as readonly Target[]).includes(target);

/** What files of shops contain. */
const OF_SHOPS: Target[] = [
  'model_name',
  'quantity_pieces',
  'customer_name',
  'customer_contact',
  'due_date',
  'price',
  'unit_price',
  'currency',
];

const WRITABLE = COLUMN_NAMES.filter(
  (name): name is FormField | 'printer_name' => !['moment', 'id'].includes(columnOf(name).kind),
);

/** In the order in which they are offered. */
export const TARGETS: Target[] = [...new Set<Target>([...OF_SHOPS, ...WRITABLE, ...ORDER_NAMES])];

/** What the fields of an import are called. */
export function targetLabels(language: Language): Record<Target, string> {
  const csv = MESSAGES[language];
  return {
    ...LABELS[language],
    model_name: csv.model,
    price: csv.priceOfAll,
    unit_price: csv.unitPrice,
    printer_id: csv.printerId,
    order_number: csv.orderNumber,
    source: csv.source,
    external_id: csv.externalId,
    id: csv.orderId,
  };
}

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
export const isComplete = (mapping: Mapping) =>
  ['model_name', 'external_id', 'id'].some((target) => mapping.includes(target as Target));

/** Spreadsheets run such text as a formula. */
export const FORMULA = /^'*[=+\-@\t\r]/;

/** Removes the apostrophe that our export puts before text that looks like a formula. */
export const unescapeFormula = (text: string) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text);

/** Column with the error of each rejected row. */
export const FAULT_COLUMN = 'error';

export const MAX_ROWS = 5_000;
/** Each is shown with a choice of what it is. Files of shops have up to 100. */
export const MAX_COLUMNS = 300;
export const MAX_BYTES = 10_000_000;
