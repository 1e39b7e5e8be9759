import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/api';
import { favoritesFirst } from '../printers/placements';

/** The printers to choose from: favorites first, then in the owner's order. */
export function usePrinters() {
  const { data } = useQuery({ queryKey: ['printers'], queryFn: ({ signal }) => api.printers(signal) });
  return useMemo(() => [...(data?.items ?? [])].sort(favoritesFirst), [data]);
}
