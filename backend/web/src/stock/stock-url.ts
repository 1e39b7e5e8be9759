import { useSearchParams } from 'wouter';

export const SORTS = ['name', 'left', 'new'] as const;
export type Sort = (typeof SORTS)[number];

const isSort = (value: string | null): value is Sort => SORTS.includes(value as Sort);

/** List state kept in the URL, so that `/stock?low=1` can be bookmarked and shared. */
export function useStockUrl() {
  const [params, setParams] = useSearchParams();
  const sort = params.get('sort');
  return {
    q: params.get('q') ?? '',
    showsLow: params.get('low') === '1',
    sort: isSort(sort) ? sort : 'name',
    /** the form of a new filament, which the first steps lead to */
    isNew: params.has('new'),
    /** @param value null removes the parameter */
    set: (name: 'q' | 'low' | 'sort' | 'new', value: string | null) =>
      setParams(
        (old) => {
          const next = new URLSearchParams(old);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: true },
      ),
  };
}
