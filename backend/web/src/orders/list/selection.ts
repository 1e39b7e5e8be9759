import { useCallback, useMemo, useRef, useState } from 'react';
import type { Order } from '../../order-data/orders-api';

/** The selected rows. Rows hidden by a filter are never selected. */
export function useSelection(rows: Order[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string>(undefined);
  const chosen = useMemo(() => rows.filter(({ id }) => ids.has(id)), [rows, ids]);

  const toggle = useCallback((id: string) => {
    anchor.current = id;
    setIds((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);

  /** Selects the range from the last selected row to this one. */
  const extendTo = useCallback(
    (id: string) => {
      const from = rows.findIndex((order) => order.id === (anchor.current ?? id));
      const to = rows.findIndex((order) => order.id === id);
      if (to < 0) return;
      anchor.current ??= id;
      const range = rows.slice(Math.min(from < 0 ? to : from, to), Math.max(from, to) + 1);
      setIds((old) => new Set([...old, ...range.map((order) => order.id)]));
    },
    [rows],
  );

  const choose = useCallback((orders: Order[]) => setIds(new Set(orders.map(({ id }) => id))), []);
  const clear = useCallback(() => {
    anchor.current = undefined;
    setIds(new Set());
  }, []);
  return { ids, chosen, toggle, extendTo, choose, clear };
}

export type Selection = ReturnType<typeof useSelection>;
