import type { Order, WorkflowStatus } from '../../order-data/orders-api';
import { isEnded, STATUSES } from '../../order-data/statuses';

export interface ColumnOrders {
  status: WorkflowStatus;
  orders: Order[];
  grams: number;
  hours: number;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const dueFirst = (a: Order, b: Order) => compare(a.due_date, b.due_date) || compare(a.created_at, b.created_at);
const newestFirst = (a: Order, b: Order) => compare(b.updated_at, a.updated_at);

/** The shown orders by column: by due date, ended columns by last change. */
export function arrange(
  orders: Iterable<Order>,
  isShown: (order: Order) => boolean,
  moving: ReadonlyMap<string, WorkflowStatus>,
): Map<WorkflowStatus, ColumnOrders> {
  const columns = new Map<WorkflowStatus, ColumnOrders>(
    STATUSES.map((status) => [status, { status, orders: [], grams: 0, hours: 0 }]),
  );
  for (const order of orders) {
    if (!isShown(order)) continue;
    const column = columns.get(moving.get(order.id) ?? order.workflow_status);
    if (!column) continue;
    column.orders.push(order);
    column.grams += order.material_grams;
    column.hours += order.print_hours;
  }
  for (const { status, orders } of columns.values()) orders.sort(isEnded(status) ? newestFirst : dueFirst);
  return columns;
}
