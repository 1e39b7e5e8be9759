import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem, type Session } from './client';

export const SESSION = ['session'];

const MAX_TRIES = 3;
const RETRY_MS = 1_000;

/** Only rate limits and missing responses are worth a retry; other refusals are final. */
const isPassing = (error: Error) =>
  !(error instanceof Problem) || error.status === 0 || error.status === 429 || error.status >= 500;

/** If the session ended elsewhere, switches to the sign-in page. */
function showSignedOut(error: Error) {
  if (!(error instanceof Problem) || error.status !== 401) return;
  queryClient.setQueryData<Session>(SESSION, (session) => session && { ...session, person: null });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: showSignedOut }),
  mutationCache: new MutationCache({ onError: showSignedOut }),
  defaultOptions: {
    queries: {
      retry: (failed, error) => failed < MAX_TRIES && isPassing(error),
      // short, so that a restarted server is noticed within seconds
      retryDelay: RETRY_MS,
      // live updates invalidate queries (live-updates.ts)
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // a server in the LAN is reachable even when the browser believes it is offline
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** Removes cached data of an account before someone else signs in. Loaded parts of the console stay. */
export const forgetAccount = (): void =>
  queryClient.removeQueries({ predicate: ({ queryKey: [name] }) => name !== SESSION[0] && name !== 'part' });

/** Shows the account that has signed in. The previous one's session may have ended elsewhere. */
export function startSession(session: Session): void {
  forgetAccount();
  queryClient.setQueryData(SESSION, session);
}

// a dropped card must be in its new column before the next frame
notifyManager.setScheduler(queueMicrotask);
