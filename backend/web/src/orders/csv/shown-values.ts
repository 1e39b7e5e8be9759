import { formatMoney } from '../../i18n/format-money';
import type { Messages } from '../../i18n/messages';
import type { NewOrder, Order } from '../../order-data/orders-api';
import type { Printer } from '../../printers/placements';
import type { Mapping, Target } from './fields';
import type { CsvMessages } from './messages';
import type { Step } from './step';

/** The columns of the preview, and the fields of the file that each of them shows. */
const COLUMNS = {
  model_name: ['model_name'],
  quantity_pieces: ['quantity_pieces'],
  customer_name: ['customer_name'],
  customer_contact: ['customer_contact'],
  due_date: ['due_date'],
  price: ['price', 'unit_price', 'currency'],
  workflow_status: ['workflow_status'],
  material_name: ['material_name'],
  color_hex: ['color_hex'],
  material_grams: ['material_grams'],
  print_hours: ['print_hours'],
  printer_name: ['printer_name', 'printer_id'],
  order_notes: ['order_notes'],
} as const satisfies Partial<Record<Target, readonly Target[]>>;

export type ShownColumn = keyof typeof COLUMNS;

export const shownColumns = (mapping: Mapping): ShownColumn[] =>
  (Object.keys(COLUMNS) as ShownColumn[]).filter((column) =>
    COLUMNS[column].some((target) => mapping.includes(target)),
  );

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

/** Without separators of thousands, so that nobody reads one for another. */
const formatNumber = (value: number | undefined, locale: string) =>
  value === undefined ? '' : value.toLocaleString(locale, { useGrouping: false, maximumFractionDigits: 3 });

/** A value as it is written, in words. */
export function formatValue(column: ShownColumn, values: Values, format: Format): string {
  const { locale, messages, printers } = format;
  switch (column) {
    case 'price':
      return formatPrice(values, format);
    case 'quantity_pieces':
    case 'material_grams':
    case 'print_hours':
      return formatNumber(values[column], locale);
    case 'due_date':
      return values.due_date
        ? new Date(`${values.due_date}T00:00:00Z`).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' })
        : '';
    case 'workflow_status':
      return values.workflow_status ? messages.status[values.workflow_status] : '';
    case 'printer_name':
      return printers.find(({ id }) => id === values.printer_id)?.name ?? '';
    default:
      return values[column] ?? '';
  }
}

const DEFAULTS: Values = {
  quantity_pieces: 1,
  workflow_status: 'negotiation',
  color_hex: '#808080',
  material_grams: 0,
  print_hours: 0,
};

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
  const wrong = step.faults.find(({ target }) => COLUMNS[column].some((shown) => shown === target));
  if (!wrong?.target) return { text: formatValue(column, step.fields as Values, format), from: 'given' };
  return { text: step.cells.get(wrong.target)?.trim() ?? '', from: 'fault' };
}
