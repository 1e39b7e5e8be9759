import Papa from 'papaparse';
import { MESSAGES as COMMON_MESSAGES } from '../../i18n/messages';
import { CSV_COLUMNS, type CsvColumn, FAULT_COLUMN, MAX_BYTES, MAX_ROWS, unescapeFormula } from './fields';

/** A row of the file. */
export interface Row {
  /** row number as in a spreadsheet: the headings are row 1 */
  number: number;
  cells: string[];
}

export interface Table {
  headings: string[];
  /** index of each known column */
  places: ReadonlyMap<CsvColumn, number>;
  ignored: string[];
  rows: Row[];
}

/** Why a file can't be read. */
export type FileFault =
  | 'tooLarge'
  | 'workbook'
  | 'notUtf8'
  | 'empty'
  | 'noModel'
  | 'tooMany'
  | 'openQuote'
  | 'unreadable';

type Result<T> = { ok: true; value: T } | { ok: false; fault: FileFault };

const startsWith = (bytes: Uint8Array, start: number[]) => start.every((byte, index) => bytes[index] === byte);

/** @param encoding `utf-8` unless chosen otherwise */
export function decode(bytes: Uint8Array, encoding: 'utf-8' | 'windows-1251' = 'utf-8'): Result<string> {
  if (bytes.length > MAX_BYTES) return { ok: false, fault: 'tooLarge' };
  if (startsWith(bytes, [0x50, 0x4b, 3, 4]) || startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]))
    return { ok: false, fault: 'workbook' };
  // Excel's "Unicode text" is UTF-16
  const utf16 = startsWith(bytes, [0xff, 0xfe]) ? 'utf-16le' : startsWith(bytes, [0xfe, 0xff]) ? 'utf-16be' : undefined;
  try {
    return { ok: true, value: new TextDecoder(utf16 ?? encoding, { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, fault: 'notUtf8' };
  }
}

const simple = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[\s_,()-]+/g, ' ')
    .trim();

/** Accepted headings: API names and UI labels in both languages. */
const NAMES: ReadonlyMap<string, CsvColumn> = new Map(
  [COMMON_MESSAGES.en, COMMON_MESSAGES.ru].flatMap(({ order }): [string, CsvColumn][] => [
    ...CSV_COLUMNS.map((column): [string, CsvColumn] => [simple(column), column]),
    [simple(order.model), 'model_name'],
    [simple(order.status), 'workflow_status'],
    [simple(order.due), 'due_date'],
    [simple(order.quantity), 'quantity_pieces'],
    [simple(order.material), 'material_name'],
    [simple(order.color), 'color_hex'],
    [simple(order.grams), 'material_grams'],
    [simple(order.hours), 'print_hours'],
    [simple(order.printer), 'printer_name'],
    [simple(order.customer), 'customer_name'],
    [simple(order.contact), 'customer_contact'],
    [simple(order.price), 'price'],
    [simple(order.currency), 'currency'],
    [simple(order.notes), 'order_notes'],
    // headings of earlier releases
    ['pieces', 'quantity_pieces'],
    ['due', 'due_date'],
  ]),
);

const DELIMITERS = [',', ';', '\t'];

/** Detects the delimiter with which the first row has the most known headings. */
function delimiterOf(text: string): string {
  const scores = DELIMITERS.map((delimiter) => {
    const [headings = []] = Papa.parse<string[]>(text, { delimiter, preview: 1 }).data;
    return { delimiter, known: headings.filter((name) => NAMES.has(simple(name))).length, cells: headings.length };
  });
  if (scores.every(({ cells }) => cells === 1)) return '\t';
  scores.sort((a, b) => b.known - a.known || b.cells - a.cells);
  return scores[0]?.delimiter ?? ',';
}

/** Parses text with `,`, `;` or tab as the delimiter. */
export function parse(marked: string): Result<Table> {
  if (marked.includes('\0')) return { ok: false, fault: 'unreadable' };
  const text = marked.replace(/^\uFEFF/, '');
  const { data, errors } = Papa.parse<string[]>(text, {
    delimiter: delimiterOf(text),
    // one more than the limit, to detect that there are more
    preview: MAX_ROWS * 2,
  });
  // an unclosed quote would turn the rest of the file into one cell
  if (errors.some(({ type }) => type === 'Quotes')) return { ok: false, fault: 'openQuote' };
  const [headings, ...rest] = data;
  const rows = rest
    .map((cells, index) => ({ number: index + 2, cells: cells.map(unescapeFormula) }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (!headings || rows.length === 0) return { ok: false, fault: 'empty' };
  if (rows.length > MAX_ROWS) return { ok: false, fault: 'tooMany' };

  const places = new Map<CsvColumn, number>();
  const ignored: string[] = [];
  headings.forEach((heading, place) => {
    const column = NAMES.get(simple(heading));
    if (column && !places.has(column)) places.set(column, place);
    else if (heading.trim() !== '' && simple(heading) !== FAULT_COLUMN) ignored.push(heading);
  });
  if (!places.has('model_name') && !places.has('id')) return { ok: false, fault: 'noModel' };
  return { ok: true, value: { headings, places, ignored, rows } };
}
