import { queryOptions } from '@tanstack/react-query';
import { get, request, type Schemas, type Session } from '../api/client';
import { SESSION } from '../api/query-client';

export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: ({ signal }) => get<Session>('/session', signal),
});

export const sessionApi = {
  signIn: async (body: Schemas['CredentialsInput']) => (await request<Session>('POST', '/session', { body })).answer,
  signOut: () => request('DELETE', '/session'),
  signUp: async (body: Schemas['NewOwnerInput']) => (await request<Session>('POST', '/sign-up', { body })).answer,
  createFirstOwner: async (body: Schemas['SetupInput']) => (await request<Session>('POST', '/setup', { body })).answer,
};
