import { type KeyboardEvent, useState } from 'react';
import type { Order } from '../../order-data/orders-api';
import type { Selection } from './selection';

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

/** The row to which the arrow keys have moved, or that was clicked. */
interface ActiveRow {
  id: string;
  takesFocus: boolean;
}

interface GridKeyboardProps {
  rows: Order[];
  selection: Selection;
  open(id: string): void;
  /** how many rows a page has */
  pageSize(): number;
  scrollTo(index: number): void;
}

/** What a key does to the active row or the selection. */
function actionOf(event: KeyboardEvent, id: string, { rows, selection, open }: GridKeyboardProps) {
  if (event.code === 'Space') return () => selection.toggle(id);
  if (event.key === 'Enter') return () => open(id);
  if (event.key === 'Escape' && selection.chosen.length > 0) return selection.clear;
  if (event.code === 'KeyA' && (event.ctrlKey || event.metaKey)) return () => selection.choose(rows);
  return undefined;
}

/** Keys move between the rows of the grid, select them and open one. */
export function useGridKeyboard(props: GridKeyboardProps) {
  const { rows, selection, pageSize, scrollTo } = props;
  const [active, setActive] = useState<ActiveRow>();

  /** Moves to a row; with Shift, selects the rows on the way. */
  function moveTo(index: number, from: string, isShift: boolean) {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    const order = rows[to];
    if (!order) return;
    if (isShift && selection.ids.size === 0) selection.toggle(from);
    scrollTo(to);
    setActive({ id: order.id, takesFocus: true });
    if (isShift) selection.extendTo(order.id);
  }

  function handleKeyDown(event: KeyboardEvent<HTMLElement>) {
    const id = (event.target as HTMLElement).dataset.order;
    if (id === undefined) return;
    const at = rows.findIndex((order) => order.id === id);
    const next = stepFrom(at, event.key, pageSize(), rows.length - 1);
    const act = next === undefined ? actionOf(event, id, props) : () => moveTo(next, id, event.shiftKey);
    if (!act) return;
    act();
    event.preventDefault();
  }

  return { active, setActive, handleKeyDown };
}
