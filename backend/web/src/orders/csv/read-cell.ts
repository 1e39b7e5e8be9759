import { decimalsOf, toMinor } from '../../i18n/currency';
import { MESSAGES as COMMON_MESSAGES } from '../../i18n/messages';
import { type DayOrder, readDay } from '../../i18n/read-day';
import { type Mark, readNumber, UNCLEAR } from '../../i18n/read-number';
import type { WorkflowStatus } from '../../order-data/orders-api';
import { STATUSES } from '../../order-data/statuses';
import type { Printer } from '../../printers/placements';
import { columnOf, type FormField } from '../order-columns';

export type FaultKind =
  | 'empty'
  | 'long'
  | 'number'
  | 'whole'
  | 'decimal'
  | 'unclearNumber'
  | 'day'
  | 'unclearDay'
  | 'color'
  | 'status'
  | 'printer'
  | 'printerTwice'
  | 'price'
  | 'priceNeedsCurrency'
  | 'currency'
  | 'id'
  | 'idTwice'
  | 'externalTwice'
  | 'cells';

/** A cell that can't be read. */
export class Wrong extends Error {
  readonly kind: FaultKind;
  constructor(kind: FaultKind) {
    super(kind);
    this.kind = kind;
  }
}

/** How the numbers and dates of a column are written, if it is known. */
export interface Style {
  mark?: Mark | undefined;
  dayOrder?: DayOrder | undefined;
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

function toNumber(cell: string, { mark }: Style): number {
  const value = readNumber(cell, mark);
  if (value === UNCLEAR) throw new Wrong('unclearNumber');
  if (value === undefined) throw new Wrong('number');
  return value;
}

function text(cell: string, max: number): string {
  if (cell.length > max) throw new Wrong('long');
  return cell;
}

/** Rounded as on the server: an amount above 0 may not become 0. */
function decimal(cell: string, style: Style, max: number): number {
  const value = toNumber(cell, style);
  const rounded = roundToThousandths(value);
  if (!(rounded >= 0 && rounded <= max) || (rounded === 0 && value >= NOISE / 1000)) throw new Wrong('decimal');
  return rounded;
}

function whole(cell: string, style: Style, max: number): number {
  const value = toNumber(cell, style);
  if (!hasDecimals(value, 0) || !(Math.round(value) >= 0 && Math.round(value) <= max)) throw new Wrong('whole');
  return Math.round(value);
}

function day(cell: string, { dayOrder }: Style): string {
  const read = readDay(cell, dayOrder);
  if (read === UNCLEAR) throw new Wrong('unclearDay');
  if (read === undefined) throw new Wrong('day');
  return read;
}

export function findStatus(cell: string): WorkflowStatus | undefined {
  const asked = cell.trim().toLowerCase().replaceAll('ё', 'е');
  return STATUSES.find((name) =>
    [name, COMMON_MESSAGES.en.status[name], COMMON_MESSAGES.ru.status[name]].some(
      (known) => known.toLowerCase().replaceAll('ё', 'е') === asked,
    ),
  );
}

function status(cell: string): WorkflowStatus {
  const found = findStatus(cell);
  if (!found) throw new Wrong('status');
  return found;
}

/** @returns `#1E90FF`; undefined if it isn't a color */
export function toColor(cell: string): string | undefined {
  const [, digits] = /^#?([0-9a-f]{6})$/i.exec(cell.trim()) ?? [];
  return digits && `#${digits}`;
}

function color(cell: string): string {
  const read = toColor(cell);
  if (!read) throw new Wrong('color');
  return read;
}

function currency(cell: string): string {
  const asked = cell.trim().toUpperCase();
  if (!/^[A-Z]{3}$/.test(asked)) throw new Wrong('currency');
  return asked;
}

/** Reads a cell of a field that depends on no other; printers and prices do. */
export function readCell(name: FormField, cell: string, style: Style): string | number | null {
  const { kind, max = Number.POSITIVE_INFINITY, empty } = columnOf(name);
  if (empty === null && cell.trim() === '') return null;
  switch (kind) {
    case 'whole':
      return whole(cell, style, max);
    case 'decimal':
      return decimal(cell, style, max);
    case 'day':
      return day(cell, style);
    case 'status':
      return status(cell);
    case 'color':
      return color(cell);
    case 'currency':
      return currency(cell);
    default:
      return text(cell, max);
  }
}

/**
 * @param pieces how many the price is multiplied by
 * @returns minor units
 */
export function price(cell: string, style: Style, money: string | null, pieces: number): number | null {
  if (cell.trim() === '') return null;
  if (money === null) throw new Wrong('priceNeedsCurrency');
  const value = toNumber(cell, style);
  const minor = toMinor(value, money) * pieces;
  if (!(value >= 0) || minor > 1_000_000_000_000 || !hasDecimals(value, decimalsOf(money))) throw new Wrong('price');
  return minor;
}

/** @param byId the printer that the row's ID names: it decides between printers of one name */
export function findPrinterByName(name: string, printers: Printer[], byId: Printer | undefined): string | null {
  if (name === '') return null;
  if (byId?.name.trim() === name) return byId.id;
  const named = printers.filter((printer) => printer.name.trim().toLowerCase() === name.toLowerCase());
  const [first] = named;
  if (!first || named.length > 1) throw new Wrong(first ? 'printerTwice' : 'printer');
  return first.id;
}
