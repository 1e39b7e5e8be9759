import type { DayOrder } from '../../i18n/read-day';
import type { Mark } from '../../i18n/read-number';
import type { NewOrder, Order, OrderPatch } from '../../order-data/orders-api';
import type { Target } from './fields';
import type { FaultKind } from './read-cell';
import type { Row } from './table';

export interface Fault {
  /** null for the whole row */
  target: Target | null;
  kind: FaultKind;
}

/** The fields of an order as an import writes them. */
type Fields = NewOrder & OrderPatch;

/** What the import would do with one row. */
export type Step = {
  row: Row;
  cells: Cells;
  /** number of the row with the order's first item; this row is a further item of that order */
  head?: number | undefined;
} & (
  | { action: 'fault'; faults: Fault[]; fields: Partial<Fields> }
  | { action: 'same'; order: Order }
  | { action: 'update'; order: Order; patch: OrderPatch }
  | { action: 'create'; body: NewOrder; key: string; hadUnknownId: boolean }
  // an order with these values exists
  | { action: 'skip'; body: NewOrder }
);

/** What the person has answered; nothing is guessed. */
export interface Answers {
  mark?: Mark;
  dayOrder?: DayOrder;
  /** whether further items take the cells of their order from its first row */
  continues?: boolean;
  /** whether rows whose order exists are imported again */
  repeats?: boolean;
}

/** What the file leaves open. */
export type Question =
  // an unclear cell of each column
  | { about: 'mark' | 'dayOrder'; examples: { target: Target; cell: string }[]; rows: number[] }
  | { about: 'continues'; targets: Target[]; isProven: boolean; rows: number[] }
  | { about: 'repeats'; order: Order; rows: number[] };

export interface Plan {
  steps: Step[];
  questions: Question[];
  /** the questions that still need an answer */
  open: Question['about'][];
}

/** A row's texts by field. Fields without a cell are absent. */
export type Cells = ReadonlyMap<Target, string>;
