import type { Active, Announcements, KeyboardCoordinateGetter } from '@dnd-kit/core';
import type { Messages } from '../../i18n/messages';
import type { Order, WorkflowStatus } from '../../order-data/orders-api';
import type { ColumnOrders } from './board-columns';

/** The card that Tab reaches. */
export interface ActiveCard {
  id: string;
  /** moved to by keyboard: it is scrolled into view and focused */
  takesFocus: boolean;
}

/** Offset of a keyboard-dragged card from the edges of its column, in pixels. */
const INSET = 8;

/** Moves a dragged card one column left or right with the arrow keys. */
export const toNextColumn: KeyboardCoordinateGetter = (event, { context: { over, droppableRects } }) => {
  const step = event.code === 'ArrowRight' ? 1 : event.code === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return undefined;
  event.preventDefault();
  const columns = [...droppableRects].sort(([, a], [, b]) => a.left - b.left);
  const next = columns[columns.findIndex(([id]) => id === over?.id) + step]?.[1];
  return next && { x: next.left + INSET, y: next.top + INSET };
};

/** The card to focus after a key press: within the column, or at the same height in the next column that has cards. */
export function cardAfter(columns: ColumnOrders[], id: string, key: string): string | undefined {
  const filled = columns.map(({ orders }) => orders).filter((orders) => orders.length > 0);
  const column = filled.findIndex((orders) => orders.some((order) => order.id === id));
  const orders = filled[column] ?? [];
  const at = orders.findIndex((order) => order.id === id);
  const beside = (to: ColumnOrders['orders'] | undefined) => to?.[Math.min(at, to.length - 1)]?.id;
  switch (key) {
    case 'ArrowDown':
      return orders[at + 1]?.id;
    case 'ArrowUp':
      return orders[at - 1]?.id;
    case 'Home':
      return orders[0]?.id;
    case 'End':
      return orders.at(-1)?.id;
    case 'ArrowLeft':
      return beside(filled[column - 1]);
    case 'ArrowRight':
      return beside(filled[column + 1]);
    default:
      return undefined;
  }
}

/** Screen reader announcements while a card is dragged. */
export function createAnnouncements({ move, status }: Messages): Announcements {
  const modelOf = ({ data }: Active) => (data.current as { order: Order }).order.model_name;
  return {
    onDragStart: ({ active }) => move.dragged(modelOf(active)),
    onDragOver: ({ active, over }) =>
      over ? move.over(modelOf(active), status[over.id as WorkflowStatus]) : undefined,
    onDragEnd: ({ active, over }) =>
      over ? move.dropped(modelOf(active), status[over.id as WorkflowStatus]) : move.left(modelOf(active)),
    onDragCancel: ({ active }) => move.left(modelOf(active)),
  };
}
