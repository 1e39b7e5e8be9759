import { queryOptions } from '@tanstack/react-query';
import { get, request, type Schemas } from '../api/client';
import { renewSession } from '../api/renew-session';

export type SessionEntry = Schemas['SessionEntry'];

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<{ items: SessionEntry[] }>('/sessions', signal),
  // the server sends no live update when another session signs in
  staleTime: 0,
});

export const settingsQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => get<Schemas['AccountSettings']>('/account', signal),
  // the server sends no live update when the first price is stored
  staleTime: 0,
});

export const account = {
  setCurrency: (currency: string) => request('PUT', '/account', { body: { currency } }),
  changePassword: (body: Schemas['PasswordChangeInput']) => renewSession('PUT', '/password', body),
  signOutElsewhere: () => request('DELETE', '/sessions'),
  endSession: (id: string) => request('DELETE', `/sessions/${id}`),
};
