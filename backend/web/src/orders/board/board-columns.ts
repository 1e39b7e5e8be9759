import type { Order, WorkflowStatus } from '../../api/api';
import { isEnded, STATUSES } from '../statuses';

/** Filter of the board, kept in the URL. */
export interface Filter {
  q: string;
  printerId: string | null;
}

export interface ColumnOrders {
  status: WorkflowStatus;
  orders: Order[];
  grams: number;
  hours: number;
}

/** Cached search text per order; a changed order is a new object. */
const texts = new WeakMap<Order, string>();

function textOf(order: Order): string {
  const known = texts.get(order);
  if (known !== undefined) return known;
  const { id, model_name, order_notes, customer_name, customer_contact, material_name, printer_name } = order;
  const text = [id, model_name, order_notes, customer_name, customer_contact, material_name, printer_name]
    .join('\n')
    .toLowerCase();
  texts.set(order, text);
  return text;
}

/** Whether an order matches the filter. */
export function fitting({ q, printerId }: Filter): (order: Order) => boolean {
  const terms = q.toLowerCase().split(/\s+/).filter(Boolean);
  return (order) =>
    (printerId === null || order.printer_id === printerId) && terms.every((term) => textOf(order).includes(term));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const dueFirst = (a: Order, b: Order) => compare(a.due_date, b.due_date) || compare(a.created_at, b.created_at);
const newestFirst = (a: Order, b: Order) => compare(b.updated_at, a.updated_at);

/** Matching orders by column: by due date, ended columns by last change. */
export function arrange(
  orders: Iterable<Order>,
  filter: Filter,
  moving: ReadonlyMap<string, WorkflowStatus>,
): Map<WorkflowStatus, ColumnOrders> {
  const columns = new Map<WorkflowStatus, ColumnOrders>(
    STATUSES.map((status) => [status, { status, orders: [], grams: 0, hours: 0 }]),
  );
  const fits = fitting(filter);
  for (const order of orders) {
    if (!fits(order)) continue;
    const column = columns.get(moving.get(order.id) ?? order.workflow_status);
    if (!column) continue;
    column.orders.push(order);
    column.grams += order.material_grams;
    column.hours += order.print_hours;
  }
  for (const { status, orders } of columns.values()) orders.sort(isEnded(status) ? newestFirst : dueFirst);
  return columns;
}
