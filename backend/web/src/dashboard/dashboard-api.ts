import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get, type List, type Schemas } from '../api/client';

export type DashboardStats = Schemas['DashboardStats'];
export type Filament = Schemas['Filament'];

export const PERIODS = ['7', '30', '90'] as const;
export type Period = (typeof PERIODS)[number];

/** The server sends no live update for failed attempts or a new day. */
const REFRESH_MS = 60_000;
const MAX_LOW = 12;

/** The browser's time zone in IANA form. */
function timeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return !timeZone || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
}

export const useDashboardStats = (days: Period) =>
  useQuery({
    queryKey: ['stats', 'overview', days],
    queryFn: ({ signal }) =>
      get<DashboardStats>(`/stats?days=${days}&time_zone=${encodeURIComponent(timeZone())}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useLowFilaments = () =>
  useQuery({
    queryKey: ['filaments', 'overview'],
    queryFn: ({ signal }) => get<List<Filament>>(`/filaments?low_stock=true&per_page=${MAX_LOW}`, signal),
  }).data;
