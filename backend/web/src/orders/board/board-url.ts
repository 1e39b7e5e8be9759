import { useSearchParams } from 'wouter';

type ParamName = 'q' | 'printer' | 'closed' | 'order' | 'new';

/** Board state kept in the URL, so that a view can be bookmarked and shared. */
export function useBoardUrl() {
  const [params, setParams] = useSearchParams();
  return {
    q: params.get('q') ?? '',
    printerId: params.get('printer'),
    showsClosed: params.get('closed') === '1',
    orderId: params.get('order'),
    isNew: params.get('new') === '1',
    /** @param value null removes the parameter */
    set: (name: ParamName, value: string | null, { replace = true } = {}) =>
      setParams(
        (old) => {
          const next = new URLSearchParams(old);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace },
      ),
  };
}
