import type { Active, Announcements, KeyboardCoordinateGetter } from '@dnd-kit/core';
import type { Order, WorkflowStatus } from '../api';
import type { Words } from '../words';

/** How far inside a column a lifted card is held. */
const INSET = 8;

/** The left and right arrows carry a lifted card from column to column. */
export const toNextColumn: KeyboardCoordinateGetter = (event, { context: { over, droppableRects } }) => {
  const step = event.code === 'ArrowRight' ? 1 : event.code === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return undefined;
  event.preventDefault();
  const columns = [...droppableRects].sort(([, a], [, b]) => a.left - b.left);
  const next = columns[columns.findIndex(([id]) => id === over?.id) + step]?.[1];
  return next && { x: next.left + INSET, y: next.top + INSET };
};

/** What a screen reader is told while a card is moved. */
export function createAnnouncements({ move, status }: Words): Announcements {
  const modelOf = ({ data }: Active) => (data.current as { order: Order }).order.model_name;
  return {
    onDragStart: ({ active }) => move.lifted(modelOf(active)),
    onDragOver: ({ active, over }) =>
      over ? move.over(modelOf(active), status[over.id as WorkflowStatus]) : undefined,
    onDragEnd: ({ active, over }) =>
      over ? move.dropped(modelOf(active), status[over.id as WorkflowStatus]) : move.left(modelOf(active)),
    onDragCancel: ({ active }) => move.left(modelOf(active)),
  };
}
