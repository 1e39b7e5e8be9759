import { isId, newKey } from '../../api/ids';
import { type DayOrder, provenOrder, readDay } from '../../i18n/read-day';
import { type Mark, provenMark, readNumber, UNCLEAR } from '../../i18n/read-number';
import type { NewOrder, Order, OrderPatch } from '../../order-data/orders-api';
import type { Printer } from '../../printers/placements';
import { columnOf, FORM_FIELDS, isNumber } from '../order-columns';
import { findContinuations, fromHead } from './continuations';
import { createNames } from './external';
import { isOrderName, JOINERS, type Mapping, TARGETS, type Target } from './fields';
import { findPrinterByName, price, readCell, type Style, Wrong } from './read-cell';
import { findRepeats } from './repeats';
import type { Answers, Cells, Fault, Plan, Question, Step } from './step';
import type { Row, Table } from './table';

export interface Known {
  /** the orders that the file names by ID */
  orders: ReadonlyMap<string, Order>;
  /** orders that the file may have created before */
  existing: readonly Order[];
  printers: Printer[];
}

function readCells(mapping: Mapping, { cells }: Row): Cells {
  const read = new Map<Target, string>();
  mapping.forEach((target, place) => {
    const cell = cells[place];
    if (target === null || cell === undefined) return;
    const parts = [read.get(target), cell].filter((part) => part !== undefined);
    const filled = parts.filter((part) => part.trim() !== '');
    read.set(target, parts.length > 1 ? filled.join(JOINERS[target]) : cell);
  });
  return read;
}

export const idOf = (mapping: Mapping, row: Row) => (row.cells[mapping.indexOf('id')] ?? '').trim().toLowerCase();

const NUMBERS = TARGETS.filter((target) => target === 'unit_price' || (!isOrderName(target) && isNumber(target)));
const DAYS = FORM_FIELDS.filter((name) => columnOf(name).kind === 'day');

/** The one value that all cells with a proof agree on. */
function agreed<Value>(proofs: (Value | undefined)[]): Value | undefined {
  const [first, ...others] = new Set(proofs.filter((proof) => proof !== undefined));
  return others.length === 0 ? first : undefined;
}

interface Styles {
  styles: Map<Target, Style>;
  questions: Question[];
}

/** A column whose cells can be read in two ways, and nothing in it decides. */
interface Undecided {
  about: 'mark' | 'dayOrder';
  target: Target;
  cells: { cell: string; row: number }[];
}

/** How each column writes numbers and days: as its other cells prove, else as answered. */
function findStyles(rows: Row[], cells: Cells[], answers: Answers): Styles {
  const styles = new Map<Target, Style>();
  const undecided: Undecided[] = [];
  function find(
    target: Target,
    about: Undecided['about'],
    prove: (cell: string) => Mark | DayOrder | undefined,
    isUnclear: (cell: string) => boolean,
  ) {
    const column = rows.map(({ number }, index) => ({ cell: (cells[index]?.get(target) ?? '').trim(), row: number }));
    const proven = agreed(column.map(({ cell }) => prove(cell)));
    styles.set(target, { [about]: proven ?? answers[about] });
    const unclear = column.filter(({ cell }) => isUnclear(cell));
    if (!proven && unclear.length > 0) undecided.push({ about, target, cells: unclear });
  }
  for (const target of NUMBERS) find(target, 'mark', provenMark, (cell) => readNumber(cell) === UNCLEAR);
  for (const target of DAYS) find(target, 'dayOrder', provenOrder, (cell) => readDay(cell) === UNCLEAR);
  const ask = (about: Undecided['about']): Question[] => {
    const columns = undecided.filter((column) => column.about === about);
    const found = new Set(columns.flatMap((column) => column.cells.map(({ row }) => row)));
    const examples = columns.map((column) => ({ target: column.target, cell: column.cells[0]?.cell ?? '' }));
    return columns.length === 0 ? [] : [{ about, examples, rows: [...found].sort((one, other) => one - other) }];
  };
  return { styles, questions: [...ask('mark'), ...ask('dayOrder')] };
}

/** The fields that depend on no other cell. */
const INDEPENDENT = FORM_FIELDS.filter((name) => !['printer', 'money'].includes(columnOf(name).kind));

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

/** Parses a row into API fields, or returns its errors. */
function readFields(cells: Cells, styles: Styles['styles'], printers: Printer[], order: Order | undefined) {
  const fields: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const styleOf = (target: Target) => styles.get(target) ?? {};
  const attempt = (target: Target, read: () => unknown, field: string = target) => {
    try {
      const value = read();
      if (value !== undefined) fields[field] = value;
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      faults.push({ target, kind: error.kind });
    }
  };
  for (const target of INDEPENDENT) {
    const cell = cells.get(target);
    // a field that may not be empty stays as it is, or gets the default of a new order
    if (cell === undefined || (columnOf(target).empty === undefined && cell.trim() === '')) continue;
    attempt(target, () => readCell(target, cell, styleOf(target)));
  }
  const money = 'currency' in fields ? (fields.currency as string | null) : (order?.currency ?? null);
  const pieces = Number(fields.quantity_pieces ?? order?.quantity_pieces ?? 1);
  const isRead = (target: Target) => !faults.some((fault) => fault.target === target);
  const [whole, each] = [cells.get('price'), cells.get('unit_price')];
  if (isRead('currency') && whole !== undefined) {
    attempt('price', () => price(whole, styleOf('price'), money, 1));
  }
  if (isRead('currency') && isRead('quantity_pieces') && each !== undefined) {
    attempt('unit_price', () => price(each, styleOf('unit_price'), money, pieces), 'price');
  }
  attempt('printer_name', () => readPrinter(cells, printers, order), 'printer_id');
  return { fields, faults };
}

/** An extra delimiter: the cells after it would be lost. */
const checkShape = ({ headings }: Table, { cells }: Row): Fault[] =>
  cells.slice(headings.length).some((cell) => cell.trim() !== '') ? [{ target: null, kind: 'cells' }] : [];

function checkId(id: string, seen: ReadonlySet<string>): Fault[] {
  if (id === '') return [];
  if (!isId(id)) return [{ target: 'id', kind: 'id' }];
  return seen.has(id) ? [{ target: 'id', kind: 'idTwice' }] : [];
}

/** Plans what each row would do without writing anything, and asks what the file leaves open. */
export function plan(table: Table, mapping: Mapping, answers: Answers, { orders, existing, printers }: Known): Plan {
  const { rows } = table;
  const asWritten = rows.map((row) => readCells(mapping, row));
  const { styles, questions } = findStyles(rows, asWritten, answers);
  const found = findContinuations(asWritten);
  const continues = answers.continues ?? found.isProven;
  const seen = new Set<string>();
  const readNames = createNames(orders, existing);

  const steps = rows.map((row, index): Step => {
    const place = continues ? found.heads[index] : undefined;
    const own = asWritten[index] ?? new Map();
    const cells = place === undefined ? own : fromHead(own, asWritten[place]);
    const head = place === undefined ? undefined : rows[place]?.number;
    const id = (cells.get('id') ?? '').trim().toLowerCase();
    const { order, ...external } = readNames(id, cells);
    const { fields, faults } = readFields(cells, styles, printers, order);
    Object.assign(fields, external.fields);
    faults.unshift(...checkShape(table, row), ...checkId(id, seen), ...external.faults);
    seen.add(id);
    if (!order && !fields.model_name && !faults.some(({ target }) => target === 'model_name')) {
      faults.push({ target: 'model_name', kind: 'empty' });
    }
    const base = { row, cells, head };
    if (faults.length > 0) return { ...base, action: 'fault', faults, fields };
    return { ...base, ...(order ? planUpdate(order, fields) : planCreate(fields, id !== '')) };
  });

  const further = rows.filter((_, index) => found.heads[index] !== undefined).map(({ number }) => number);
  const { targets, isProven } = found;
  if (further.length > 0) questions.push({ about: 'continues', targets, isProven, rows: further });
  const repeats = findRepeats(steps, existing);
  const [repeat] = repeats;
  if (repeat)
    questions.push({ about: 'repeats', order: repeat[1], rows: [...repeats.keys()].map(({ row }) => row.number) });
  const isOpen = ({ about }: Question) => answers[about] === undefined && !(about === 'continues' && isProven);
  return {
    steps: answers.repeats === false ? steps.map((step) => (repeats.has(step) ? skip(step) : step)) : steps,
    questions,
    open: questions.filter(isOpen).map(({ about }) => about),
  };
}

const skip = (step: Step): Step =>
  step.action === 'create'
    ? { row: step.row, cells: step.cells, head: step.head, action: 'skip', body: step.body }
    : step;

function planCreate(fields: Record<string, unknown>, hadUnknownId: boolean) {
  // the server fills in missing fields
  const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
  return { action: 'create', body: body as NewOrder, key: newKey(), hadUnknownId } as const;
}

function planUpdate(order: Order, fields: Record<string, unknown>) {
  const patch = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== order[name as keyof Order]),
  );
  return Object.keys(patch).length === 0
    ? ({ action: 'same', order } as const)
    : ({ action: 'update', order, patch: patch as OrderPatch } as const);
}
