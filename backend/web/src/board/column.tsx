import { useDroppable } from '@dnd-kit/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useSpeech } from '../language';
import { markOf } from '../statuses';
import { Card } from './card';
import classes from './column.module.css';
import type { ColumnOrders } from './view';

/** A card of usual height, before it is measured. */
const CARD_HEIGHT = 84;
const GAP = 8;
const GRAMS_PER_KILOGRAM = 1000;

interface ColumnProps {
  column: ColumnOrders;
  open(id: string): void;
  focusId: string | undefined;
}

/** One status of the board. Only the cards in view are in the page: a column may have thousands. */
export function Column({ column: { status, orders, grams, hours }, open, focusId }: ColumnProps) {
  const { words, number } = useSpeech();
  const { setNodeRef, isOver } = useDroppable({ id: status });
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: orders.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_HEIGHT,
    getItemKey: (index) => orders[index]?.id ?? index,
    gap: GAP,
    overscan: 4,
  });

  const focusAt = focusId === undefined ? -1 : orders.findIndex(({ id }) => id === focusId);
  useEffect(() => {
    if (focusAt >= 0) virtualizer.scrollToIndex(focusAt);
  }, [focusAt, virtualizer]);

  const weight =
    grams < GRAMS_PER_KILOGRAM
      ? words.board.grams(number(grams))
      : words.board.kilograms(number(grams / GRAMS_PER_KILOGRAM));
  return (
    <section
      ref={setNodeRef}
      className={classes.column}
      data-over={isOver || undefined}
      aria-labelledby={`col-${status}`}
    >
      <header className={classes.head}>
        <h2 id={`col-${status}`}>
          <span
            className={classes.mark}
            style={{ background: `var(--mantine-color-${markOf(status).replace('.', '-')})` }}
          />
          {words.status[status]}
          <span className={classes.count} title={words.board.orders(orders.length)}>
            {orders.length}
          </span>
        </h2>
        <p>{orders.length > 0 ? `${weight} · ${words.board.hours(number(hours))}` : ' '}</p>
      </header>
      <div ref={scroller} className={classes.cards} data-column={status}>
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map(({ key, index, start }) => {
            const order = orders[index];
            return (
              order && (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  className={classes.place}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <Card order={order} open={open} takesFocus={order.id === focusId} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </section>
  );
}
