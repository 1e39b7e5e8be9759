import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { WorkflowStatus } from '../../order-data/orders-api';
import { STATUSES } from '../../order-data/statuses';
import type { ColumnName } from '../order-columns';
import { isColumn } from './columns';

export const DUE_FILTERS = ['overdue', 'today', 'week'] as const;
export type DueFilter = (typeof DUE_FILTERS)[number];

export interface Sort {
  by: ColumnName;
  descending: boolean;
}

type ParamName = 'q' | 'printer' | 'closed' | 'order' | 'status' | 'due' | 'sort' | 'new';

const DEFAULT_SORT = '-created_at';

function toSort(text: string | null): Sort {
  const descending = text?.startsWith('-') ?? true;
  const by = text?.replace(/^-/, '') ?? '';
  return isColumn(by) ? { by, descending } : { by: 'created_at', descending: true };
}

export const fromSort = ({ by, descending }: Sort) => `${descending ? '-' : ''}${by}`;

/** List state kept in the URL. The first four parameters are shared with the board. */
export function useListUrl() {
  const [params, setParams] = useSearchParams();
  const statusText = params.get('status') ?? '';
  const sortText = params.get('sort');
  const statuses = useMemo(() => STATUSES.filter((status) => statusText.split(',').includes(status)), [statusText]);
  const sort = useMemo(() => toSort(sortText), [sortText]);
  const due = DUE_FILTERS.find((name) => name === params.get('due')) ?? null;
  const showsClosed = params.get('closed') === '1' || statuses.includes('closed');
  return {
    q: params.get('q') ?? '',
    printerId: params.get('printer'),
    showsClosed,
    orderId: params.get('order'),
    isNew: params.get('new') === '1',
    statuses: statuses as WorkflowStatus[],
    due,
    sort,
    /** @param values null removes a parameter */
    set: (values: Partial<Record<ParamName, string | null>>, { replace = true } = {}) =>
      setParams(
        (old) => {
          const next = new URLSearchParams(old);
          for (const [name, value] of Object.entries(values)) {
            if (value && !(name === 'sort' && value === DEFAULT_SORT)) next.set(name, value);
            else next.delete(name);
          }
          return next;
        },
        { replace },
      ),
  };
}

export type ListUrl = ReturnType<typeof useListUrl>;
