import { useDroppable } from '@dnd-kit/core';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useI18n } from '../../i18n/i18n';
import { markOf } from '../../order-data/statuses';
import type { ColumnOrders } from './board-columns';
import { Card } from './card';
import classes from './column.module.css';
import type { ActiveCard } from './keyboard';

/** Estimated height of a card before it is measured. */
const CARD_HEIGHT = 84;
const GAP = 8;
const GRAMS_PER_KILOGRAM = 1000;

interface ColumnProps {
  column: ColumnOrders;
  open(id: string): void;
  stop: { id: string | undefined; takesFocus: boolean };
  activate(card: ActiveCard): void;
}

/** One column of the board. Virtualized: a column may have thousands of cards. */
export function Column({ column: { status, orders, grams, hours }, open, stop, activate }: ColumnProps) {
  const { messages, formatNumber } = useI18n();
  const { setNodeRef, isOver } = useDroppable({ id: status });
  const scroller = useRef<HTMLDivElement>(null);
  const stopAt = orders.findIndex(({ id }) => id === stop.id);
  const virtualizer = useVirtualizer({
    count: orders.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_HEIGHT,
    getItemKey: (index) => orders[index]?.id ?? index,
    gap: GAP,
    overscan: 4,
    // the card that Tab reaches is always rendered, wherever the column is scrolled
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return stopAt < 0 || shown.includes(stopAt) ? shown : [...shown, stopAt].sort((a, b) => a - b);
    },
  });

  const focusAt = stop.takesFocus ? stopAt : -1;
  useEffect(() => {
    if (focusAt < 0) return;
    virtualizer.scrollToIndex(focusAt);
    scroller.current?.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [focusAt, virtualizer]);

  const weight =
    grams < GRAMS_PER_KILOGRAM
      ? messages.board.grams(formatNumber(grams))
      : messages.board.kilograms(formatNumber(grams / GRAMS_PER_KILOGRAM));
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
          {messages.status[status]}
          <span className={classes.count} title={messages.board.orders(orders.length)}>
            {orders.length}
          </span>
        </h2>
        <p>{orders.length > 0 ? `${weight} · ${messages.board.hours(formatNumber(hours))}` : ' '}</p>
      </header>
      {/* scroll containers are tab stops by default */}
      <div ref={scroller} tabIndex={-1} className={classes.cards} data-column={status}>
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
                  <Card
                    order={order}
                    open={open}
                    isStop={index === stopAt}
                    takesFocus={index === focusAt}
                    activate={activate}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
    </section>
  );
}
