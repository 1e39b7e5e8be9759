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
import { useMemo, useState } from 'react';
import type { Order, WorkflowStatus } from '../api';
import { useSpeech } from '../language';
import classes from './board.module.css';
import { CardFace } from './card';
import card from './card.module.css';
import { Column } from './column';
import { createAnnouncements, toNextColumn } from './keyboard';
import { useMove } from './move';
import type { ColumnOrders } from './view';

/** The column under the pointer; a card carried by keyboard is over the nearest. */
const columnUnder: CollisionDetection = (args) => (args.pointerCoordinates ? pointerWithin(args) : closestCenter(args));

export function Board({ columns, openOrder }: { columns: ColumnOrders[]; openOrder(id: string): void }) {
  const { words } = useSpeech();
  const move = useMove();
  const [lifted, setLifted] = useState<Order>();
  const [focusId, setFocusId] = useState<string>();
  const sensors = useSensors(
    // a click opens the order, a swipe scrolls
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
      announcements: createAnnouncements(words),
      screenReaderInstructions: { draggable: words.move.how },
      // the card is another element in its new column and takes the focus there itself
      restoreFocus: false,
    }),
    [words],
  );

  function drop({ active, over, activatorEvent }: DragEndEvent) {
    setLifted(undefined);
    const order = active.data.current?.order as Order;
    const to = over?.id as WorkflowStatus | undefined;
    if (to && !columns.some(({ status, orders }) => status === to && orders.includes(order))) move({ order, to });
    setFocusId(activatorEvent instanceof KeyboardEvent ? order.id : undefined);
  }

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={columnUnder}
      accessibility={accessibility}
      autoScroll={{ threshold: { x: 0.12, y: 0 } }}
      onDragStart={({ active }) => setLifted(active.data.current?.order as Order)}
      onDragCancel={() => setLifted(undefined)}
      onDragEnd={drop}
    >
      <div className={classes.board} data-lifted={lifted ? true : undefined}>
        {columns.map((column) => (
          <Column key={column.status} column={column} open={openOrder} focusId={focusId} />
        ))}
      </div>
      <DragOverlay dropAnimation={null}>
        {lifted && (
          <div className={`${card.card} ${card.lifted}`}>
            <CardFace order={lifted} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
}
