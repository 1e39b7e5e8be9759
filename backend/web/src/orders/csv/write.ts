import Papa from 'papaparse';
import { decimalsOf, toMajor } from '../../i18n/currency';
import type { Language } from '../../i18n/messages';
import { writeNumber } from '../../i18n/read-number';
import type { Order } from '../../order-data/orders-api';
import { today } from '../../time';
import { download } from '../../ui/download';
import type { ColumnName } from '../order-columns';
import { CSV_COLUMNS, FORMULA } from './fields';

/** Makes Excel recognize UTF-8. */
const BOM = '\uFEFF';

/** Excel with a Russian locale expects semicolons and decimal commas. */
const DELIMITERS: Record<Language, string> = { en: ',', ru: ';' };

export const toCsv = (rows: string[][], language: Language) =>
  BOM + Papa.unparse(rows, { delimiter: DELIMITERS[language], escapeFormulae: FORMULA, newline: '\r\n' });

function cellOf(order: Order, column: ColumnName, language: Language): string {
  const value = order[column];
  if (value === null) return '';
  if (typeof value === 'string') return value;
  const number =
    column === 'price' ? toMajor(value, order.currency).toFixed(decimalsOf(order.currency)) : String(value);
  return writeNumber(number, language === 'ru' ? ',' : '.');
}

const save = (name: string, csv: string) => download(name, new Blob([csv], { type: 'text/csv;charset=utf-8' }));

export function downloadOrders(orders: Order[], language: Language): void {
  const rows = orders.map((order) => CSV_COLUMNS.map((column) => cellOf(order, column, language)));
  save(`orders-${today()}.csv`, toCsv([[...CSV_COLUMNS], ...rows], language));
}

/** Downloads the original rows with an error column. */
export function downloadFaulty(name: string, rows: string[][], language: Language): void {
  save(name, toCsv(rows, language));
}

/** Downloads an empty template. */
export function downloadTemplate(language: Language): void {
  const columns = CSV_COLUMNS.filter((column) => !['id', 'printer_id', 'created_at', 'updated_at'].includes(column));
  save('orders-template.csv', toCsv([columns], language));
}
