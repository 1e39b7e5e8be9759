import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { get } from '../api/client';
import { ORDER_SEARCH } from '../order-data/orders-cache';

const MAX_LENGTH = 200;

/** `data` is null if nothing is searched, so that every order is shown. */
const searchQuery = (q: string) =>
  queryOptions<ReadonlySet<string> | null>({
    queryKey: [ORDER_SEARCH, q],
    queryFn: async ({ signal }) => {
      const { ids } = await get<{ ids: string[] }>(`/order-search?q=${encodeURIComponent(q)}`, signal);
      return new Set(ids);
    },
    ...(q === '' && { enabled: false, initialData: null }),
    // what was shown stays while the next result loads
    placeholderData: keepPreviousData,
    structuralSharing: false,
  });

/** Which orders a search finds. The server decides, so that the console and programs find the same. */
export function useOrderSearch(text: string) {
  const { data, error, refetch } = useQuery(searchQuery(text.trim().slice(0, MAX_LENGTH)));
  const isFound = useCallback((id: string) => data === null || data?.has(id) === true, [data]);
  return { isFound, isWaiting: data === undefined && !error, error, refetch };
}
