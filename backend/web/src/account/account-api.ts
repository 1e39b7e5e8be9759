import { queryOptions } from '@tanstack/react-query';
import { get, request, type Schemas } from '../api/api';

export type SessionEntry = Schemas['SessionEntry'];

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<{ items: SessionEntry[] }>('/sessions', signal),
  // others sign in elsewhere, and nobody tells
  staleTime: 0,
});

export const settingsQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => get<Schemas['AccountSettings']>('/account', signal),
  // a price is stored elsewhere, and nobody tells
  staleTime: 0,
});

export const account = {
  setCurrency: (currency: string) => request('PUT', '/account', { body: { currency } }),
  changePassword: (body: Schemas['PasswordChangeInput']) => request('PUT', '/password', { body }),
  signOutElsewhere: () => request('DELETE', '/sessions'),
};
