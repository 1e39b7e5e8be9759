import { Checkbox } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, memo, useEffect, useRef } from 'react';
import { useI18n, useMessages } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { IconArrowDown, IconArrowUp } from '../../ui/icons.tsx';
import { LABELS } from '../messages';
import { type ColumnName, columnOf, isNumber } from '../order-columns';
import { Cell, StatusMark } from './cell';
import type { Sort } from './list-url';
import { MESSAGES } from './messages';
import classes from './orders.module.css';
import type { Selection } from './selection';
import { useGridKeyboard } from './use-grid-keyboard';

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

/** The order table, virtualized. On a phone each row is a card. */
export function Grid({ rows, columns, sort, setSort, selection, open, isPhone }: GridProps) {
  const pageMessages = useMessages(MESSAGES);
  const scroller = useRef<HTMLDivElement>(null);
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

  const { active, setActive, handleKeyDown } = useGridKeyboard({
    rows,
    selection,
    open,
    pageSize: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2),
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  });
  const activeAt = active ? rows.findIndex(({ id }) => id === active.id) : -1;

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
        {!isPhone && <Head rows={rows} columns={columns} sort={sort} setSort={setSort} selection={selection} />}
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
                toggle={selection.toggle}
                extendTo={selection.extendTo}
                open={open}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The headings, and a checkbox that selects all rows. */
function Head({ rows, columns, sort, setSort, selection }: Omit<GridProps, 'open' | 'isPhone'>) {
  const pageMessages = useMessages(MESSAGES);
  const labels = useMessages(LABELS);
  const chosen = selection.chosen.length;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its contents take the focus
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized
    <div role="row" aria-rowindex={1} className={classes.head} style={{ gridTemplateColumns: templateOf(columns) }}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <span role="columnheader" className={classes.cell}>
        <Checkbox
          size="xs"
          aria-label={pageMessages.chooseAll}
          checked={rows.length > 0 && chosen === rows.length}
          indeterminate={chosen > 0 && chosen < rows.length}
          onChange={() => (chosen === rows.length ? selection.clear() : selection.choose(rows))}
        />
      </span>
      {columns.map((name) => (
        <Header key={name} name={name} label={labels[name]} sort={sort} setSort={setSort} />
      ))}
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
