import type { NewOrder, Order, OrderPatch, Printer } from '../../api/api';
import { isId, newKey } from '../../api/ids';
import { decimalsOf, toMinor } from '../../i18n/currency';
import { MESSAGES as COMMON_MESSAGES } from '../../i18n/messages';
import { STATUSES } from '../statuses';
import type { CsvColumn } from './fields';
import type { Row, Table } from './read';

export type FaultKind =
  | 'empty'
  | 'long'
  | 'whole'
  | 'decimal'
  | 'day'
  | 'color'
  | 'status'
  | 'printer'
  | 'printerTwice'
  | 'price'
  | 'priceNeedsCurrency'
  | 'currency'
  | 'id'
  | 'idTwice'
  | 'cells';

export interface Fault {
  /** null for the whole row */
  column: CsvColumn | null;
  kind: FaultKind;
}

/** What the import would do with one row. */
export type Step = { row: Row } & (
  | { action: 'fault'; faults: Fault[] }
  | { action: 'same'; order: Order }
  | { action: 'update'; order: Order; patch: OrderPatch }
  | { action: 'create'; body: NewOrder; key: string; hadUnknownId: boolean }
);

export const idOf = (table: Table, row: Row) => (row.cells[table.places.get('id') ?? -1] ?? '').trim().toLowerCase();

class Wrong extends Error {
  readonly kind: FaultKind;
  constructor(kind: FaultKind) {
    super(kind);
    this.kind = kind;
  }
}

/** `1 234,5` and `1,234.5` as well as `1234.5`. */
export function toNumber(cell: string): number {
  const text = cell.replace(/[\s\u00A0\u202F]/g, '');
  const isBoth = text.includes(',') && text.includes('.');
  const plain = isBoth
    ? text.lastIndexOf(',') > text.lastIndexOf('.')
      ? text.replaceAll('.', '').replace(',', '.')
      : text.replaceAll(',', '')
    : text.replace(',', '.');
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

/** How much of the smallest unit the server takes as the noise of a calculation. */
const NOISE = 1e-6;

const hasDecimals = (value: number, places: number) => {
  const scaled = value * 10 ** places;
  return Math.abs(scaled - Math.round(scaled)) < NOISE;
};

/** By the digits of the number, because a multiplication would round 1.0005 down. */
const roundToThousandths = (value: number) => {
  const [mantissa, exponent = 0] = String(value).split('e');
  return Math.round(Number(`${mantissa}e${Number(exponent) + 3}`)) / 1000;
};

const text = (max: number) => (cell: string) => {
  if (cell.length > max) throw new Wrong('long');
  return cell;
};

const textOrNull = (max: number) => (cell: string) => (cell.trim() === '' ? null : text(max)(cell));

/** Rounded as on the server: an amount above 0 may not become 0. */
const decimal = (max: number) => (cell: string) => {
  const value = toNumber(cell);
  const rounded = roundToThousandths(value);
  if (!(rounded >= 0 && rounded <= max) || (rounded === 0 && value >= NOISE / 1000)) throw new Wrong('decimal');
  return rounded;
};

function whole(cell: string) {
  const value = toNumber(cell);
  if (!hasDecimals(value, 0) || Math.round(value) > 1_000_000) throw new Wrong('whole');
  return Math.round(value);
}

/** Accepts `2026-11-30` and `30.11.2026`. Dates with slashes are ambiguous and rejected. */
function day(cell: string) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(cell.trim()) ?? /^()(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(cell.trim());
  if (!parts) throw new Wrong('day');
  const [, year, second = '', third = '', last] = parts;
  const iso = year ? `${year}-${second}-${third}` : `${last}-${third.padStart(2, '0')}-${second.padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(iso)) throw new Wrong('day');
  return iso;
}

function status(cell: string) {
  const asked = cell.trim().toLowerCase();
  const found = STATUSES.find((name) =>
    [name, COMMON_MESSAGES.en.status[name], COMMON_MESSAGES.ru.status[name]].some(
      (known) => known.toLowerCase().replaceAll('ё', 'е') === asked.replaceAll('ё', 'е'),
    ),
  );
  if (!found) throw new Wrong('status');
  return found;
}

function color(cell: string) {
  const asked = cell.trim();
  if (!/^#?[0-9a-f]{6}$/i.test(asked)) throw new Wrong('color');
  return asked.startsWith('#') ? asked : `#${asked}`;
}

function currency(cell: string) {
  const asked = cell.trim().toUpperCase();
  if (asked === '') return null;
  if (!/^[A-Z]{3}$/.test(asked)) throw new Wrong('currency');
  return asked;
}

/** Readers of the independent columns. Printer and price depend on other cells. */
const READERS = {
  model_name: text(300),
  workflow_status: status,
  due_date: day,
  quantity_pieces: whole,
  material_name: text(200),
  color_hex: color,
  material_grams: decimal(1_000_000),
  print_hours: decimal(100_000),
  customer_name: textOrNull(300),
  customer_contact: textOrNull(300),
  currency,
  order_notes: text(5000),
} satisfies Partial<Record<CsvColumn, (cell: string) => unknown>>;

/** Columns whose empty cell means "unchanged", or the default for a new order. */
const NEVER_EMPTY: ReadonlySet<CsvColumn> = new Set([
  'model_name',
  'workflow_status',
  'due_date',
  'quantity_pieces',
  'color_hex',
  'material_grams',
  'print_hours',
]);

type Cells = ReadonlyMap<CsvColumn, string>;

/** @param byId the printer that the row's ID names: it decides between printers of one name */
function findPrinterByName(name: string, printers: Printer[], byId: Printer | undefined): string | null | undefined {
  if (name === '') return null;
  if (byId?.name.trim() === name) return byId.id;
  const named = printers.filter((printer) => printer.name.trim().toLowerCase() === name.toLowerCase());
  if (named.length !== 1) throw new Wrong(named.length === 0 ? 'printer' : 'printerTwice');
  return named[0]?.id;
}

/** @returns undefined if the row doesn't mention a printer */
function readPrinter(cells: Cells, printers: Printer[], order: Order | undefined): string | null | undefined {
  const name = cells.get('printer_name')?.trim();
  const id = cells.get('printer_id')?.trim().toLowerCase();
  const byId = id ? printers.find((printer) => printer.id === id) : undefined;
  if (name !== undefined && name !== (order?.printer_name ?? '').trim()) return findPrinterByName(name, printers, byId);
  if (id === undefined || id === (order?.printer_id ?? '')) return undefined;
  // the name matches or is empty, so the ID decides
  if (id === '') return name ? undefined : null;
  if (!byId) throw new Wrong('printer');
  return byId.id;
}

function readPrice(cell: string, money: string | null): number | null {
  if (cell.trim() === '') return null;
  if (money === null) throw new Wrong('priceNeedsCurrency');
  const value = toNumber(cell);
  const places = decimalsOf(money);
  const minor = toMinor(value, money);
  if (!(value >= 0) || minor > 1_000_000_000_000 || !hasDecimals(value, places)) throw new Wrong('price');
  return minor;
}

/** Parses a row into API fields, or returns its errors. */
function readFields(cells: Cells, printers: Printer[], order: Order | undefined) {
  const fields: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const attempt = (column: CsvColumn, read: () => unknown, field: string = column) => {
    try {
      const value = read();
      if (value !== undefined) fields[field] = value;
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      faults.push({ column, kind: error.kind });
    }
  };
  for (const [column, read] of Object.entries(READERS) as [CsvColumn, (cell: string) => unknown][]) {
    const cell = cells.get(column);
    if (cell === undefined || (NEVER_EMPTY.has(column) && cell.trim() === '')) continue;
    attempt(column, () => read(cell));
  }
  const price = cells.get('price');
  const money = 'currency' in fields ? (fields.currency as string | null) : (order?.currency ?? null);
  if (price !== undefined && !faults.some(({ column }) => column === 'currency')) {
    attempt('price', () => readPrice(price, money));
  }
  attempt('printer_name', () => readPrinter(cells, printers, order), 'printer_id');
  return { fields, faults };
}

interface Known {
  orders: ReadonlyMap<string, Order>;
  printers: Printer[];
}

/** Plans what each row would do without writing anything. */
export function plan(table: Table, { orders, printers }: Known): Step[] {
  const seen = new Set<string>();
  return table.rows.map((row): Step => {
    const id = idOf(table, row);
    const order = orders.get(id);
    const { fields, faults } = readFields(readCells(table, row), printers, order);
    faults.unshift(...checkShape(table, row), ...checkId(id, seen));
    seen.add(id);
    if (!order && !fields.model_name && !faults.some(({ column }) => column === 'model_name')) {
      faults.push({ column: 'model_name', kind: 'empty' });
    }
    if (faults.length > 0) return { row, action: 'fault', faults };
    return order ? planUpdate(row, order, fields) : planCreate(row, fields, id !== '');
  });
}

const readCells = ({ places }: Table, { cells }: Row): Cells =>
  new Map(
    [...places]
      .filter(([, place]) => cells[place] !== undefined)
      .map(([column, place]) => [column, cells[place] as string]),
  );

/** An extra delimiter: the cells after it would be lost. */
const checkShape = ({ headings }: Table, { cells }: Row): Fault[] =>
  cells.slice(headings.length).some((cell) => cell.trim() !== '') ? [{ column: null, kind: 'cells' }] : [];

function checkId(id: string, seen: ReadonlySet<string>): Fault[] {
  if (id === '') return [];
  if (!isId(id)) return [{ column: 'id', kind: 'id' }];
  return seen.has(id) ? [{ column: 'id', kind: 'idTwice' }] : [];
}

function planCreate(row: Row, fields: Record<string, unknown>, hadUnknownId: boolean): Step {
  // the server fills in missing fields
  const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
  return { row, action: 'create', body: body as NewOrder, key: newKey(), hadUnknownId };
}

function planUpdate(row: Row, order: Order, fields: Record<string, unknown>): Step {
  const patch = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== order[name as keyof Order]),
  );
  return Object.keys(patch).length === 0
    ? { row, action: 'same', order }
    : { row, action: 'update', order, patch: patch as OrderPatch };
}
