import { useDraggable, useDroppable } from '@dnd-kit/core';
import { Menu } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { useI18n, useMessages } from '../i18n/i18n';
import { markOf, STATUSES } from '../order-data/statuses';
import { IconAction } from '../ui/icon-action';
import {
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconGripVertical,
  IconPencil,
  IconPlugConnected,
  IconStar,
  IconStarFilled,
  IconTrash,
} from '../ui/icons.tsx';
import type { Report } from './agents/agents-api';
import { MESSAGES as AGENT_MESSAGES } from './agents/messages';
import { PrintOutcome } from './agents/print-outcome';
import { MESSAGES } from './messages';
import type { Printer } from './placements';
import classes from './printers.module.css';
import { type Load, printersApi, usePrinterMutation } from './printers-api';
import { showTechnology } from './technology';

export type Direction = 'up' | 'down';

/** Lets the page find the button again after its row has moved. */
export const moveButtonId = (direction: Direction, id: string) => `move-${direction}-${id}`;

interface RowProps {
  printer: Printer;
  load: Load | undefined;
  /** the last reported print */
  last: Report | undefined;
  /** how many of its reports were refused */
  refused: number;
  /** insertion mark while a printer is dragged over this row */
  dropTarget: 'before' | 'after' | undefined;
  isFirst: boolean;
  isLast: boolean;
  /** whether it can be moved */
  isMovable: boolean;
  step(printer: Printer, direction: Direction): void;
  edit(printer: Printer): void;
  remove(printer: Printer): void;
}

/** Memoized, because there are many rows. */
export const PrinterRow = memo(function PrinterRow(props: RowProps) {
  const { printer, load, last, refused, dropTarget, isFirst, isLast, isMovable, step, edit, remove } = props;
  const messages = useMessages(MESSAGES);
  const agentMessages = useMessages(AGENT_MESSAGES);
  const { id, name, model, technology, internal_name } = printer;
  const { setNodeRef: setPlace } = useDroppable({ id, data: { printer }, disabled: !isMovable });
  const { listeners, setNodeRef, isDragging } = useDraggable({ id, data: { printer }, disabled: !isMovable });
  return (
    <li
      ref={(node) => {
        setPlace(node);
        setNodeRef(node);
      }}
      className={classes.row}
      data-printer={id}
      data-drop={dropTarget}
      data-dragging={isDragging || undefined}
    >
      {/* dragging is for pointers; the keyboard uses the buttons */}
      <span
        className={classes.grip}
        {...(isMovable ? listeners : {})}
        title={isMovable ? messages.drag(name) : undefined}
      >
        <IconGripVertical size={18} aria-hidden visibility={isMovable ? undefined : 'hidden'} />
      </span>
      <FavoriteButton printer={printer} />
      <span className={classes.name}>
        <Link href={`/printers/${id}`}>
          <strong>{name}</strong>
        </Link>
        <span className={classes.facts}>
          {[internal_name, model, showTechnology(technology)].filter(Boolean).join(' · ')}
        </span>
      </span>
      <LoadOf id={id} load={load} last={last} refused={refused} />
      <span className={classes.buttons}>
        <MoveButton direction="up" printer={printer} disabled={isFirst || !isMovable} step={step} />
        <MoveButton direction="down" printer={printer} disabled={isLast || !isMovable} step={step} />
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <IconAction variant="subtle" color="gray" label={messages.menu(name)}>
              <IconDots size={18} aria-hidden />
            </IconAction>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => edit(printer)}>
              {messages.edit}
            </Menu.Item>
            <Menu.Item
              component={Link}
              href={`/printers/${id}`}
              leftSection={<IconPlugConnected size={16} aria-hidden />}
            >
              {agentMessages.details}
            </Menu.Item>
            <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => remove(printer)}>
              {messages.remove}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </span>
    </li>
  );
});

function FavoriteButton({ printer: { id, name, is_favorite } }: { printer: Printer }) {
  const messages = useMessages(MESSAGES);
  const change = usePrinterMutation((is_favorite: boolean) => printersApi.update(id, { is_favorite }));
  // optimistic state while the request is pending
  const isStarred = change.isPending ? change.variables : is_favorite;
  return (
    <IconAction
      variant="subtle"
      color={isStarred ? 'yellow' : 'gray'}
      label={messages.favourite(name)}
      aria-pressed={isStarred}
      onClick={() => change.mutate(!isStarred)}
    >
      {isStarred ? <IconStarFilled size={18} aria-hidden /> : <IconStar size={18} aria-hidden />}
    </IconAction>
  );
}

interface MoveButtonProps extends Pick<RowProps, 'printer' | 'step'> {
  direction: Direction;
  disabled: boolean;
}

function MoveButton({ direction, printer, disabled, step }: MoveButtonProps) {
  const messages = useMessages(MESSAGES);
  const Icon = direction === 'up' ? IconArrowUp : IconArrowDown;
  return (
    <IconAction
      id={moveButtonId(direction, printer.id)}
      variant="subtle"
      color="gray"
      label={messages[direction](printer.name)}
      disabled={disabled}
      onClick={() => step(printer, direction)}
    >
      <Icon size={18} aria-hidden />
    </IconAction>
  );
}

/** The printer's workload: orders by status and the current print. */
function LoadOf({ id, load, last, refused }: { id: string } & Pick<RowProps, 'load' | 'last' | 'refused'>) {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const lastLine = (
    <>
      {last && <LastReport report={last} />}
      {refused > 0 && <RefusedCount id={id} refused={refused} />}
    </>
  );
  if (!load) {
    return (
      <span className={`${classes.load} ${classes.facts}`}>
        {messages.openOrders(0)}
        {lastLine}
      </span>
    );
  }
  const counts = new Map(load.open.map(({ workflow_status, orders }) => [workflow_status, orders]));
  const total = load.open.reduce((sum, { orders }) => sum + orders, 0);
  const printing = counts.get('printing') ?? 0;
  return (
    <span className={classes.load}>
      <Link href={`/?printer=${id}`}>{messages.openOrders(total)}</Link>
      {STATUSES.filter((status) => counts.has(status)).map((status) => (
        <span key={status} className={classes.status}>
          <span
            className={classes.mark}
            style={{ background: `var(--mantine-color-${markOf(status).replace('.', '-')})` }}
          />
          {commonMessages.status[status]} {counts.get(status)}
        </span>
      ))}
      {load.printing.length > 0 && (
        <span className={classes.now}>
          <span>{messages.printing}:</span>
          {load.printing.map((order) => (
            <Link key={order.id} href={`/?order=${order.id}`}>
              {order.model_name}
            </Link>
          ))}
          {printing > load.printing.length && <span>{messages.more(printing - load.printing.length)}</span>}
        </span>
      )}
      {lastLine}
    </span>
  );
}

/** Outcome and time of the last reported print. */
function LastReport({ report: { printer_id, outcome, filename, at } }: { report: Report }) {
  const { formatDateTime } = useI18n();
  const { reports, outcome: names } = useMessages(AGENT_MESSAGES);
  return (
    <span className={classes.now}>
      <Link href={`/printers/${printer_id}`} className={classes.last}>
        <PrintOutcome outcome={outcome}>{reports.last(names[outcome], filename)}</PrintOutcome>
      </Link>
      <time dateTime={at}>{formatDateTime(at)}</time>
    </span>
  );
}

/** Leads to the reports that the server refused. */
function RefusedCount({ id, refused }: { id: string; refused: number }) {
  const messages = useMessages(AGENT_MESSAGES);
  return (
    <span className={classes.now}>
      <Link href={`/printers/${id}`} className={classes.last}>
        <PrintOutcome outcome="failed">{messages.refused.count(refused)}</PrintOutcome>
      </Link>
    </span>
  );
}
