import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { getAll } from '../api/client';
import { favoritesFirst, type Printer } from './placements';

export const printersQuery = queryOptions({
  queryKey: ['printers'],
  queryFn: ({ signal }) => getAll<Printer>('/printers', signal),
});

/** The printers to choose from: favorites first, then in the owner's order. */
export function usePrinters() {
  const { data } = useQuery(printersQuery);
  return useMemo(() => [...(data?.items ?? [])].sort(favoritesFirst), [data]);
}
