import { Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, memo, useEffect, useRef, useState } from 'react';
import { useI18n, useMessages } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { LABELS } from '../messages';
import { type ColumnName, columnOf, isNumber } from '../order-columns';
import { Cell, StatusMark } from './cell';
import type { Sort } from './list-url';
import { MESSAGES } from './messages';
import classes from './orders.module.css';
import type { Selection } from './selection';

const ROW_HEIGHT = 36;
const CARD_HEIGHT = 76;
const CHECKBOX_WIDTH = 2.5;

interface GridProps {
  rows: Order[];
  columns: ColumnName[];
  sort: Sort;
  setSort(sort: Sort): void;
  selection: Selection;
  open(id: string): void;
  isPhone: boolean;
}

const widthOf = (columns: ColumnName[]) =>
  columns.reduce((sum, name) => sum + (columnOf(name).width ?? 0), CHECKBOX_WIDTH);

const templateOf = (columns: ColumnName[]) =>
  [
    `${CHECKBOX_WIDTH}rem`,
    ...columns.map((name) => `minmax(${columnOf(name).width}rem, ${columnOf(name).grows ? '3fr' : '1fr'})`),
  ].join(' ');

/** The row index a key moves to. */
function stepFrom(at: number, key: string, page: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at - 1;
    case 'PageDown':
      return at + page;
    case 'PageUp':
      return at - page;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** The order table, virtualized. On a phone each row is a card. */
export function Grid({ rows, columns, sort, setSort, selection, open, isPhone }: GridProps) {
  const pageMessages = useMessages(MESSAGES);
  const labels = useMessages(LABELS);
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<{ id: string; takesFocus: boolean }>();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isPhone ? CARD_HEIGHT : ROW_HEIGHT),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
    scrollPaddingStart: isPhone ? 0 : ROW_HEIGHT,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row height depends on the layout
  useEffect(() => virtualizer.measure(), [isPhone]);

  const activeAt = active ? rows.findIndex(({ id }) => id === active.id) : -1;
  const { toggle, extendTo, choose, clear } = selection;

  function go(index: number) {
    const order = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!order) return undefined;
    virtualizer.scrollToIndex(rows.indexOf(order));
    setActive({ id: order.id, takesFocus: true });
    return order.id;
  }

  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
  function handleKeyDown(event: KeyboardEvent<HTMLElement>) {
    const id = (event.target as HTMLElement).dataset.order;
    if (id === undefined) return;
    const at = rows.findIndex((order) => order.id === id);
    const next = stepFrom(at, event.key, page, rows.length - 1);
    const act = next === undefined ? actionOf(event, id) : () => moveTo(next, id, event.shiftKey);
    if (!act) return;
    act();
    event.preventDefault();
  }

  /** Moves to a row; with Shift, selects the rows on the way. */
  function moveTo(index: number, from: string, isShift: boolean) {
    if (isShift && selection.ids.size === 0) toggle(from);
    const to = go(index);
    if (isShift && to !== undefined) extendTo(to);
  }

  /** What a key does to the active row or the selection. */
  function actionOf(event: KeyboardEvent, id: string): (() => void) | undefined {
    if (event.code === 'Space') return () => toggle(id);
    if (event.key === 'Enter') return () => open(id);
    if (event.key === 'Escape' && selection.chosen.length > 0) return clear;
    if (event.code === 'KeyA' && (event.ctrlKey || event.metaKey)) return () => choose(rows);
    return undefined;
  }

  return (
    <div ref={scroller} className={classes.scroller} data-scroller>
      {/* biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized */}
      <div
        role="grid"
        aria-label={pageMessages.table}
        aria-description={pageMessages.how}
        aria-multiselectable
        aria-rowcount={rows.length + 1}
        tabIndex={-1}
        onKeyDown={handleKeyDown}
        style={isPhone ? undefined : { minWidth: `${widthOf(columns)}rem` }}
      >
        {!isPhone && (
          // biome-ignore lint/a11y/useFocusableInteractive: its contents take the focus
          // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized
          <div
            role="row"
            aria-rowindex={1}
            className={classes.head}
            style={{ gridTemplateColumns: templateOf(columns) }}
          >
            {/* biome-ignore lint/a11y/useSemanticElements: as above */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
            <span role="columnheader" className={classes.cell}>
              <Checkbox
                size="xs"
                aria-label={pageMessages.chooseAll}
                checked={rows.length > 0 && selection.chosen.length === rows.length}
                indeterminate={selection.chosen.length > 0 && selection.chosen.length < rows.length}
                onChange={() => (selection.chosen.length === rows.length ? clear() : choose(rows))}
              />
            </span>
            {columns.map((name) => (
              <Header key={name} name={name} label={labels[name]} sort={sort} setSort={setSort} />
            ))}
          </div>
        )}
        <div className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ key, index, start }) => {
            const order = rows[index];
            if (!order) return null;
            const isActive = index === activeAt;
            return (
              <Row
                key={key}
                order={order}
                index={index}
                start={start}
                columns={columns}
                isPhone={isPhone}
                isChosen={selection.ids.has(order.id)}
                // roving tabindex: Tab reaches one row, the arrow keys move between rows
                isStop={activeAt >= 0 ? isActive : index === 0}
                takesFocus={isActive && (active?.takesFocus ?? false)}
                measure={isPhone ? virtualizer.measureElement : undefined}
                activate={setActive}
                toggle={toggle}
                extendTo={extendTo}
                open={open}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface HeaderProps {
  name: ColumnName;
  label: string;
  sort: Sort;
  setSort(sort: Sort): void;
}

function Header({ name, label, sort, setSort }: HeaderProps) {
  const isSorted = sort.by === name;
  const Arrow = sort.descending ? IconArrowDown : IconArrowUp;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized
    // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus
    <span
      role="columnheader"
      className={classes.cell}
      data-number={isNumber(name) || undefined}
      aria-sort={isSorted ? (sort.descending ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        className={classes.sort}
        onClick={() => setSort({ by: name, descending: isSorted ? !sort.descending : false })}
      >
        <span className={classes.heading}>{label}</span>
        {isSorted && <Arrow size={14} aria-hidden />}
      </button>
    </span>
  );
}

interface RowProps {
  order: Order;
  index: number;
  start: number;
  columns: ColumnName[];
  isPhone: boolean;
  isChosen: boolean;
  isStop: boolean;
  takesFocus: boolean;
  measure: ((element: HTMLElement | null) => void) | undefined;
  activate(active: { id: string; takesFocus: boolean }): void;
  toggle(id: string): void;
  extendTo(id: string): void;
  open(id: string): void;
}

const Row = memo(function Row(props: RowProps) {
  const { order, index, start, columns, isPhone, isChosen, isStop, takesFocus, measure } = props;
  const pageMessages = useMessages(MESSAGES);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) element.current?.focus({ preventScroll: true });
  }, [takesFocus]);

  function handleCheckboxClick(event: MouseEvent) {
    event.stopPropagation();
    if (event.shiftKey) props.extendTo(order.id);
    else props.toggle(order.id);
    props.activate({ id: order.id, takesFocus: false });
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
    <div
      ref={(node) => {
        element.current = node;
        measure?.(node);
      }}
      role="row"
      tabIndex={isStop ? 0 : -1}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      data-index={index}
      data-order={order.id}
      className={isPhone ? classes.card : classes.row}
      style={{
        transform: `translateY(${start}px)`,
        ...(isPhone ? {} : { gridTemplateColumns: templateOf(columns), height: ROW_HEIGHT }),
      }}
      onFocus={(event) => {
        if (event.target === event.currentTarget) props.activate({ id: order.id, takesFocus: false });
      }}
      onClick={() => props.open(order.id)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row takes the focus */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys */}
      <span role="gridcell" className={classes.cell} onClick={handleCheckboxClick}>
        <Checkbox
          size="xs"
          tabIndex={-1}
          aria-label={pageMessages.choose(order.model_name)}
          checked={isChosen}
          onChange={() => undefined}
        />
      </span>
      {isPhone ? (
        <CardCells order={order} />
      ) : (
        columns.map((name) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <span
            key={name}
            role="gridcell"
            className={classes.cell}
            data-column={name}
            data-number={isNumber(name) || undefined}
          >
            <Cell order={order} name={name} />
          </span>
        ))
      )}
    </div>
  );
});

function CardCells({ order }: { order: Order }) {
  const { messages } = useI18n();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized
    // biome-ignore lint/a11y/useFocusableInteractive: the row takes the focus
    <span role="gridcell" className={classes.lines}>
      <span className={classes.line}>
        <strong className={classes.cell}>
          <Cell order={order} name="model_name" />
        </strong>
        <Cell order={order} name="due_date" />
      </span>
      <span className={classes.line}>
        <StatusMark order={order} />
        <span className={classes.text}>
          {[messages.board.pieces(order.quantity_pieces), order.material_name].filter(Boolean).join(' · ')}
        </span>
      </span>
      {(order.printer_name ?? order.customer_name) && (
        <span className={classes.line}>
          <span className={classes.text}>{order.customer_name}</span>
          <span className={classes.text}>{order.printer_name}</span>
        </span>
      )}
    </span>
  );
}
