import { useDraggable } from '@dnd-kit/core';
import { Tooltip } from '@mantine/core';
import { type KeyboardEvent, memo, useEffect } from 'react';
import { useI18n } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { isEnded } from '../../order-data/statuses';
import { daysUntil } from '../../time';
import { IconAlertTriangle, IconNote, IconPrinter, IconUser } from '../../ui/icons.tsx';
import classes from './card.module.css';
import type { ActiveCard } from './keyboard';

/** Due dates within this many days are highlighted. */
const SOON_DAYS = 2;

export function DueChip({ order }: { order: Order }) {
  const { messages, formatDay } = useI18n();
  const days = daysUntil(order.due_date);
  const isOpen = !isEnded(order.workflow_status);
  const tone = !isOpen ? 'none' : days < 0 ? 'late' : days <= SOON_DAYS ? 'soon' : 'none';
  const text =
    isOpen && days < 0
      ? messages.card.overdue(-days)
      : days === 0
        ? messages.card.today
        : days === 1
          ? messages.card.tomorrow
          : formatDay(order.due_date);
  return (
    <span className={classes.due} data-tone={tone} title={formatDay(order.due_date)}>
      {text}
    </span>
  );
}

/** The content of a card. */
export const CardFace = memo(function CardFace({ order }: { order: Order }) {
  const { messages } = useI18n();
  const { status_reset_received: reset } = order;
  return (
    <>
      <span className={classes.title}>
        <span className={classes.swatch} style={{ background: order.color_hex }} title={order.color_hex} />
        <span className={classes.model}>{order.model_name}</span>
        {order.order_notes !== '' && (
          <IconNote size={15} title={messages.card.notes} aria-label={messages.card.notes} role="img" />
        )}
      </span>
      <span className={classes.facts}>
        <span>{[messages.board.pieces(order.quantity_pieces), order.material_name].filter(Boolean).join(' · ')}</span>
        <DueChip order={order} />
      </span>
      {order.printer_name !== null && (
        <span className={classes.line}>
          <IconPrinter size={14} aria-hidden />
          <span>{order.printer_name}</span>
        </span>
      )}
      {order.customer_name && (
        <span className={classes.line}>
          <IconUser size={14} aria-hidden />
          <span>{order.customer_name}</span>
        </span>
      )}
      {reset !== null && (
        <Tooltip label={`${messages.card.resetHint} ${reset}`} multiline maw={300}>
          <span className={classes.reset}>
            <IconAlertTriangle size={14} aria-hidden />
            <span>{messages.card.reset(reset)}</span>
          </span>
        </Tooltip>
      )}
    </>
  );
});

interface CardProps {
  order: Order;
  open(id: string): void;
  /** the card that Tab reaches */
  isStop: boolean;
  /** moved to by keyboard, or dropped here by keyboard */
  takesFocus: boolean;
  activate(card: ActiveCard): void;
}

export function Card({ order, open, isStop, takesFocus, activate }: CardProps) {
  const { messages } = useI18n();
  const { attributes, listeners, setNodeRef, isDragging, node } = useDraggable({
    id: order.id,
    data: { order },
    attributes: { roleDescription: messages.card.role, tabIndex: isStop ? 0 : -1 },
  });
  useEffect(() => {
    if (takesFocus) node.current?.focus({ preventScroll: true });
  }, [takesFocus, node]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: `attributes` gives it the role of a button
    <div
      ref={setNodeRef}
      {...attributes}
      {...listeners}
      className={classes.card}
      data-order={order.id}
      data-dragging={isDragging || undefined}
      onFocus={() => activate({ id: order.id, takesFocus: false })}
      onClick={() => open(order.id)}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Enter' && !isDragging) open(order.id);
        else listeners?.onKeyDown?.(event);
      }}
    >
      <CardFace order={order} />
    </div>
  );
}
