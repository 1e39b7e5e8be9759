import { z } from 'zod';
import type { Actor } from '../accounts/token.ts';
import { type Route, routesOf } from './route.ts';

const { get } = routesOf('Live');

interface Live {
  listen(accountId: string, onChange: (change: { kind: string; id: string; gone?: true }) => void): Promise<() => void>;
}

/** Per process. Browsers open six per host over HTTP/1.1; the console closes those of hidden pages. */
const MAX_OF_SESSION = 20;
const MAX_OF_ACCOUNT = 100;

interface OpenStream {
  sessionId: string;
  finish(): void;
}

/**
 * Limits the open streams. Beyond the limit the oldest one ends rather than the new one being refused: the new page is
 * the one somebody looks at.
 */
export function createStreamLimit() {
  /** streams of each account, oldest first */
  const open = new Map<string, Set<OpenStream>>();

  /** @returns a function that removes the stream */
  return (accountId: string, stream: OpenStream): (() => void) => {
    const streams = open.get(accountId) ?? new Set();
    open.set(accountId, streams);
    const ofSession = [...streams].filter(({ sessionId }) => sessionId === stream.sessionId);
    const [oldest] = ofSession.length >= MAX_OF_SESSION ? ofSession : streams.size >= MAX_OF_ACCOUNT ? streams : [];
    const remove = (one: OpenStream) => {
      if (streams.delete(one) && streams.size === 0) open.delete(accountId);
    };
    streams.add(stream);
    if (oldest) {
      remove(oldest);
      oldest.finish();
    }
    return () => remove(stream);
  };
}

/** The live stream for open pages, so that changes by automations show immediately. */
export const liveRoutes = (live: Live, admit = createStreamLimit()): Route[] => [
  {
    ...get('/live', {
      operationId: 'listen',
      summary: 'Stream changes (text/event-stream)',
      description:
        'Each event is named `change` and contains `{ kind, id }`, plus `gone: true` for a deleted order: an order, filament, printer, subscription, request (`lead`) or invoice was created, changed or deleted. Request the record to see its current state. `event`: new events were recorded, this one among the latest. `delivery`: deliveries of the subscription with this ID finished. One `event` or `delivery` can stand for many. `report`: a new report for the printer with this ID. The stream ends with the session. Beyond 20 streams of a session or 100 of an account, the oldest one ends.',
      responses: {
        200: {
          description: 'A stream of events',
          schema: z.object({
            kind: z.enum([
              'order',
              'filament',
              'printer',
              'subscription',
              'event',
              'delivery',
              'report',
              'lead',
              'invoice',
            ]),
            id: z.string(),
            gone: z.literal(true).optional(),
          }),
        },
      },
      reply: async () => ({ status: 200 }),
    }),
    async stream({ actor }: { actor: Actor }, send, finish) {
      const { accountId, tokenId } = actor;
      let isOver = false;
      const end = () => {
        isOver = true;
        finish();
      };
      // before it waits, so that those that begin together count
      const release = admit(accountId, { sessionId: tokenId, finish: end });
      const listening = live.listen(accountId, (change) => {
        if (change.kind === 'session') {
          if (change.id === tokenId) end();
        } else if (!isOver) send('change', change);
      });
      const stop = await listening.catch((error: unknown) => {
        release();
        throw error;
      });
      return () => {
        release();
        stop();
      };
    },
  } as Route,
];
