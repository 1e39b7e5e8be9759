import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Problem } from '../api/client';
import { isId } from '../api/ids';
import { type Order, ordersApi } from '../order-data/orders-api';
import { findCachedOrder } from '../order-data/orders-cache';

/** Orders by ID, from the cache or from the server. */
export function useOrders(requestedIds: string[]) {
  const ids = requestedIds.filter(isId);
  const client = useQueryClient();
  const results = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['order', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => ordersApi.get(id, signal),
      initialData: () => findCachedOrder(client, id),
      structuralSharing: false as const,
    })),
  });
  const found = results.map(({ data }) => data).filter((order): order is Order => order !== undefined);
  // memoized, because label layout is expensive
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the orders themselves
  const orders = useMemo(() => found, [found.map(({ id, updated_at }) => `${id}@${updated_at}`).join()]);
  const isDeleted = (error: Error | null) => error instanceof Problem && error.status === 404;
  return {
    orders,
    isLoading: results.some(({ isPending }) => isPending),
    missingIds:
      requestedIds.length - ids.length + results.filter(({ data, error }) => !data && isDeleted(error)).length,
    error: results.find(({ data, error }) => !data && error && !isDeleted(error))?.error ?? null,
    retry: () => {
      for (const { error, refetch } of results) if (error) refetch();
    },
  };
}
