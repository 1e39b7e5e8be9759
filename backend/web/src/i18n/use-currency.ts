import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api';
import { SESSION } from '../api/query-client';

/** The account's currency; a default while signed out. */
export function useCurrency(): string {
  const { data } = useQuery({ queryKey: SESSION, queryFn: ({ signal }) => api.session(signal) });
  return data?.person?.currency ?? 'EUR';
}
