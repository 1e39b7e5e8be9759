import type { Target } from './fields';
import type { Cells } from './step';

/** Fields of the whole order, which shops write only in the row of its first item. */
const OF_ORDER = [
  'customer_name',
  'customer_contact',
  'currency',
  'due_date',
  'workflow_status',
  'order_notes',
] as const satisfies readonly Target[];

const textOf = (cells: Cells, target: Target) => (cells.get(target) ?? '').trim();
const filledIn = (cells: Cells) => OF_ORDER.filter((target) => textOf(cells, target) !== '');

/** A row that lacks only the customer may well be an order for stock. */
const MIN_MISSING = 2;
const OF_CUSTOMER: ReadonlySet<Target> = new Set(['customer_name', 'customer_contact', 'currency']);

/** A row as a further item of another row's order. */
interface Item {
  /** fields that the order has and the row lacks */
  missing: Target[];
  /** whether the row has the order's number */
  hasNumber: boolean;
}

/** @returns undefined if the row is an order of its own */
function toItem(cells: Cells, head: Cells): Item | undefined {
  const number = textOf(cells, 'order_number');
  const hasNumber = number !== '' && number === textOf(head, 'order_number');
  const missing = filledIn(head).filter((target) => textOf(cells, target) === '');
  const isBlank =
    number === '' &&
    filledIn(cells).length === 0 &&
    missing.length >= MIN_MISSING &&
    missing.some((target) => OF_CUSTOMER.has(target));
  if (textOf(cells, 'model_name') === '') return undefined;
  return isBlank || (hasNumber && missing.length > 0) ? { missing, hasNumber } : undefined;
}

interface Continuations {
  /** for each row, the index of the row whose order it belongs to, if it is a further item */
  heads: (number | undefined)[];
  /** whether the numbers of the orders prove it */
  isProven: boolean;
  /** the fields that further items take from their order */
  targets: Target[];
}

/**
 * Finds rows with further items of the order above: those that repeat its number, or that have no number and no cell of
 * an order. Rows with an ID are orders of ours.
 */
export function findContinuations(rows: Cells[]): Continuations {
  const items: Item[] = [];
  let head: number | undefined;
  const heads = rows.map((cells, index) => {
    const isOurs = textOf(cells, 'id') !== '';
    const above = head === undefined || isOurs ? undefined : rows[head];
    const item = above && toItem(cells, above);
    if (item) {
      items.push(item);
      return head;
    }
    head = isOurs ? undefined : index;
    return undefined;
  });
  const missing = new Set<Target>(items.flatMap((item) => item.missing));
  return {
    heads,
    isProven: items.every(({ hasNumber }) => hasNumber),
    targets: OF_ORDER.filter((target) => missing.has(target)),
  };
}

/** The cells of a further item, with those of its order where it has none. */
export function fromHead(cells: Cells, head: Cells | undefined): Cells {
  const filled = new Map(cells);
  for (const target of OF_ORDER) {
    const inherited = head?.get(target);
    if (inherited !== undefined && textOf(cells, target) === '') filled.set(target, inherited);
  }
  return filled;
}
