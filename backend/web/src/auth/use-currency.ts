import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from './session-api';

/** The account's currency; a default while signed out. */
export function useCurrency(): string {
  const { data } = useQuery(sessionQuery);
  return data?.person?.currency ?? 'EUR';
}
