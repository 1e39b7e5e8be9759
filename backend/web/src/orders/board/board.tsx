import {
  type CollisionDetection,
  closestCenter,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  KeyboardSensor,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { type KeyboardEvent as ReactKeyboardEvent, useMemo, useState } from 'react';
import { useI18n } from '../../i18n/i18n';
import type { Order, WorkflowStatus } from '../../order-data/orders-api';
import { OrderEditor } from '../detail/order-drawer';
import { useMoveOrder } from '../move-order';
import classes from './board.module.css';
import type { ColumnOrders } from './board-columns';
import { CardFace } from './card';
import card from './card.module.css';
import { Column } from './column';
import { type ActiveCard, cardAfter, createAnnouncements, toNextColumn } from './keyboard';

/** The column under the pointer; for keyboard moves, the nearest one. */
const columnUnder: CollisionDetection = (args) => (args.pointerCoordinates ? pointerWithin(args) : closestCenter(args));

export function Board({ columns, openOrder }: { columns: ColumnOrders[]; openOrder(id: string): void }) {
  const { messages } = useI18n();
  const move = useMoveOrder();
  const [dragged, setDragged] = useState<Order>();
  const [active, setActive] = useState<ActiveCard>();
  const sensors = useSensors(
    // a small movement is a click, and a swipe scrolls
    useSensor(MouseSensor, { activationConstraint: { distance: 5 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 220, tolerance: 8 } }),
    useSensor(KeyboardSensor, {
      coordinateGetter: toNextColumn,
      scrollBehavior: 'auto',
      keyboardCodes: { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter'] },
    }),
  );
  const accessibility = useMemo(
    () => ({
      announcements: createAnnouncements(messages),
      screenReaderInstructions: { draggable: messages.move.how },
      // the card is a new element in its new column, which takes the focus itself
      restoreFocus: false,
    }),
    [messages],
  );

  function drop({ active, over, activatorEvent }: DragEndEvent) {
    setDragged(undefined);
    const order = active.data.current?.order as Order;
    const to = over?.id as WorkflowStatus | undefined;
    if (to && !columns.some(({ status, orders }) => status === to && orders.includes(order))) move({ order, to });
    setActive({ id: order.id, takesFocus: activatorEvent instanceof KeyboardEvent });
  }

  function handleKeyDown(event: ReactKeyboardEvent<HTMLElement>) {
    const { order: id } = (event.target as HTMLElement).dataset;
    // while a card is dragged, the arrow keys move it
    const next = id === undefined || dragged ? undefined : cardAfter(columns, id, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setActive({ id: next, takesFocus: true });
  }

  const isShown = active !== undefined && columns.some(({ orders }) => orders.some(({ id }) => id === active.id));
  // roving tabindex: Tab reaches one card, the arrow keys move between cards
  const stop = isShown ? active : { id: columns.find(({ orders }) => orders[0])?.orders[0]?.id, takesFocus: false };

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={columnUnder}
      accessibility={accessibility}
      autoScroll={{ threshold: { x: 0.12, y: 0 } }}
      onDragStart={({ active }) => setDragged(active.data.current?.order as Order)}
      onDragCancel={() => setDragged(undefined)}
      onDragEnd={drop}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the cards take the focus, their key events bubble up to here */}
      <div
        className={classes.board}
        data-lifted={dragged ? true : undefined}
        onKeyDown={handleKeyDown}
        onPointerEnter={OrderEditor.preload}
      >
        {columns.map((column) => (
          <Column key={column.status} column={column} open={openOrder} stop={stop} activate={setActive} />
        ))}
      </div>
      <DragOverlay dropAnimation={null}>
        {dragged && (
          <div className={`${card.card} ${card.lifted}`}>
            <CardFace order={dragged} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
}
