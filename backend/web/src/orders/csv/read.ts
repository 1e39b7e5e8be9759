import Papa from 'papaparse';
import { MAX_BYTES, MAX_COLUMNS, MAX_ROWS, unescapeFormula } from './fields';
import { countKnown } from './headings';
import type { FileFault, Table } from './table';

type Result<T> = { ok: true; value: T } | { ok: false; fault: FileFault };

const startsWith = (bytes: Uint8Array, start: number[]) => start.every((byte, index) => bytes[index] === byte);

/** What Excel writes as "CSV" where people use Cyrillic or Western European letters. */
export const OTHER_ENCODINGS = ['windows-1251', 'windows-1252'] as const;
export type OtherEncoding = (typeof OTHER_ENCODINGS)[number];

/** Known before it is read: a wrong choice may be gigabytes. */
export const isTooLarge = (file: { size: number }): boolean => file.size > MAX_BYTES;

/** @param encoding `utf-8` unless chosen otherwise */
export function decode(bytes: Uint8Array, encoding: 'utf-8' | OtherEncoding = 'utf-8'): Result<string> {
  if (isTooLarge({ size: bytes.length })) return { ok: false, fault: 'tooLarge' };
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

const DELIMITERS = [',', ';', '\t', '|'];

/** How many rows a title above the headings may have. */
const MAX_TITLE_ROWS = 20;

/** `sep=;`, which tells Excel the delimiter. Excel doesn't count it as a row. */
const SEP_LINE = /^"?sep=(\\t|[^\w"\r\n])"?[^\w\r\n]*(\r\n|\r|\n|$)/i;

/** The first row with the most known headings; the first with several cells if no heading is known. */
function findHeadings(rows: string[][]): { index: number; known: number; cells: number } {
  const counted = rows.slice(0, MAX_TITLE_ROWS).map((cells, index) => ({
    index,
    known: countKnown(cells),
    cells: cells.filter((cell) => cell.trim() !== '').length,
  }));
  const known = counted.toSorted((a, b) => b.known - a.known || a.index - b.index)[0];
  const first = counted.find(({ cells }) => cells > 1) ?? counted.find(({ cells }) => cells > 0);
  return (known && known.known > 0 ? known : first) ?? { index: 0, known: 0, cells: 0 };
}

/** Detects the delimiter with which the headings are known best. */
function findDelimiter(text: string): string {
  const scores = DELIMITERS.map((delimiter) => ({
    delimiter,
    ...findHeadings(Papa.parse<string[]>(text, { delimiter, preview: MAX_TITLE_ROWS }).data),
  }));
  if (scores.every(({ cells }) => cells <= 1)) return '\t';
  scores.sort((a, b) => b.known - a.known || b.cells - a.cells);
  return scores[0]?.delimiter ?? ',';
}

/** Parses text with `,`, `;`, `|` or tab as the delimiter, or the one that its first line names. */
export function parse(marked: string): Result<Table> {
  if (marked.includes('\0')) return { ok: false, fault: 'unreadable' };
  const unmarked = marked.replace(/^\uFEFF+/, '');
  const [line = '', named] = SEP_LINE.exec(unmarked) ?? [];
  const text = unmarked.slice(line.length).replace(/^\uFEFF+/, '');
  const { data, errors } = Papa.parse<string[]>(text, {
    delimiter: named?.replace('\\t', '\t') ?? findDelimiter(text),
    // one more than the limit, to detect that there are more
    preview: MAX_ROWS * 2,
  });
  // an unclosed quote would turn the rest of the file into one cell
  if (errors.some(({ type }) => type === 'Quotes')) return { ok: false, fault: 'openQuote' };
  const { index: place } = findHeadings(data);
  const rows = data
    .map((cells, index) => ({ number: index + 1, cells: cells.map(unescapeFormula) }))
    .slice(place + 1)
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const headings = data[place];
  if (!headings || rows.length === 0) return { ok: false, fault: 'empty' };
  if (rows.length > MAX_ROWS) return { ok: false, fault: 'tooMany' };
  if (headings.length > MAX_COLUMNS) return { ok: false, fault: 'tooManyColumns' };
  return { ok: true, value: { headings, rows } };
}
