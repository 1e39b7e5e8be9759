import { formatMoney } from '../../i18n/format-money';
import type { Messages } from '../../i18n/messages';
import type { NewOrder, Order, WorkflowStatus } from '../../order-data/orders-api';
import type { Printer } from '../../printers/placements';
import { columnOf, FORM_FIELDS, type FormField } from '../order-columns';
import { isOrderName, type Mapping, TARGETS, type Target } from './fields';
import type { CsvMessages } from './messages';
import type { Step } from './step';

/** The columns of the preview that show several fields of the file. */
const PARTS: Partial<Record<Target, Target[]>> = {
  price: ['price', 'unit_price', 'currency'],
  printer_name: ['printer_name', 'printer_id'],
};

export type ShownColumn = Exclude<FormField, 'currency' | 'printer_id'> | 'printer_name';
const COLUMNS = TARGETS.filter(
  (target): target is ShownColumn => !isOrderName(target) && !['unit_price', 'currency', 'printer_id'].includes(target),
);

const partsOf = (column: ShownColumn): Target[] => PARTS[column] ?? [column];

export const shownColumns = (mapping: Mapping): ShownColumn[] =>
  COLUMNS.filter((column) => partsOf(column).some((target) => mapping.includes(target)));

/** A value of the preview. */
export interface Shown {
  text: string;
  /** `given` by the file, `kept` from the order or by default, or the unreadable text of a `fault` */
  from: 'given' | 'kept' | 'fault';
  /** what it replaces */
  before?: string;
}

export interface Format {
  /** a locale of the console's language */
  locale: string;
  messages: Messages;
  csv: CsvMessages;
  printers: Printer[];
}

type Values = Partial<Order>;

function formatPrice({ price, currency }: Values, { locale }: Format): string {
  if (price === null || price === undefined) return currency ?? '';
  return formatMoney(price, currency ?? null, locale);
}

/** A value as it is written, in words. */
export function formatValue(column: ShownColumn, values: Values, format: Format): string {
  const { locale, messages, printers } = format;
  if (column === 'price') return formatPrice(values, format);
  if (column === 'printer_name') return printers.find(({ id }) => id === values.printer_id)?.name ?? '';
  const value = values[column] ?? '';
  // without separators of thousands, so that nobody reads one for another
  if (typeof value === 'number') return value.toLocaleString(locale, { useGrouping: false, maximumFractionDigits: 3 });
  if (value === '') return '';
  const { kind } = columnOf(column);
  if (kind === 'status') return messages.status[value as WorkflowStatus];
  if (kind !== 'day') return value;
  return new Date(`${value}T00:00:00Z`).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
}

const DEFAULTS = Object.fromEntries(FORM_FIELDS.map((name) => [name, columnOf(name).initial])) as Values;

function ofNewOrder(column: ShownColumn, body: NewOrder, format: Format): Shown {
  const given = formatValue(column, body as Values, format);
  if (given !== '') return { text: given, from: 'given' };
  const text = column === 'due_date' ? format.csv.inTwoWeeks : formatValue(column, DEFAULTS, format);
  return { text, from: 'kept' };
}

function ofUpdate(column: ShownColumn, order: Order, patch: Values, format: Format): Shown {
  const before = formatValue(column, order, format);
  const text = formatValue(column, { ...order, ...patch }, format);
  return text === before ? { text, from: 'kept' } : { text, from: 'given', before };
}

/** What a row of the preview says about a field. */
export function shownValue(column: ShownColumn, step: Step, format: Format): Shown {
  if (step.action === 'create' || step.action === 'skip') return ofNewOrder(column, step.body, format);
  if (step.action !== 'fault') {
    return ofUpdate(column, step.order, step.action === 'update' ? (step.patch as Values) : {}, format);
  }
  const wrong = step.faults.find(({ target }) => partsOf(column).some((shown) => shown === target));
  if (!wrong?.target) return { text: formatValue(column, step.fields as Values, format), from: 'given' };
  return { text: step.cells.get(wrong.target)?.trim() ?? '', from: 'fault' };
}
