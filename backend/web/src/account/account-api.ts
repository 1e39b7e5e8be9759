import { queryOptions } from '@tanstack/react-query';
import { call, get, type Schemas } from '../api';

export type SessionEntry = Schemas['SessionEntry'];

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<{ items: SessionEntry[] }>('/sessions', signal),
  // others sign in elsewhere, and nobody tells
  staleTime: 0,
});

export const account = {
  changePassword: (body: Schemas['PasswordChangeInput']) => call('PUT', '/password', { body }),
  signOutElsewhere: () => call('DELETE', '/sessions'),
};
