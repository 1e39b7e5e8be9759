import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem, type Session } from './api';

export const SESSION = ['session'];

const MAX_TRIES = 3;
const RETRY_MS = 1_000;

/** Asking again helps where nobody answered or too much was asked; what was refused once is refused again. */
const isPassing = (error: Error) =>
  !(error instanceof Problem) || error.status === 0 || error.status === 429 || error.status >= 500;

/** A session that ended elsewhere: the page turns into the sign-in page. */
function noticeSignedOut(error: Error) {
  if (!(error instanceof Problem) || error.status !== 401) return;
  queryClient.setQueryData<Session>(SESSION, (session) => session && { ...session, person: null });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignedOut }),
  mutationCache: new MutationCache({ onError: noticeSignedOut }),
  defaultOptions: {
    queries: {
      retry: (failed, error) => failed < MAX_TRIES && isPassing(error),
      // soon: a service that returns is noticed within seconds
      retryDelay: RETRY_MS,
      // changes arrive by themselves (live.ts)
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // a service in the LAN is there also when the machine thinks it is offline
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

// a dropped card must be in its new column before the next frame is painted
notifyManager.setScheduler(queueMicrotask);
