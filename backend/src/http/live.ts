import { z } from 'zod';
import { type Route, route } from './route.ts';

interface Live {
  listen(accountId: string, onChange: (change: { kind: string; id: string; gone?: true }) => void): Promise<() => void>;
}

/** The live stream for open pages, so that changes by automations show immediately. */
export const liveRoutes = (live: Live): Route[] => [
  {
    ...route({
      method: 'get',
      path: '/live',
      operationId: 'listen',
      tag: 'Live',
      summary: 'Stream changes (text/event-stream)',
      description:
        'Each event is named `change` and contains `{ kind, id }`, plus `gone: true` for a deleted order: an order, filament, printer, channel, request (`lead`) or invoice was created, changed or deleted. Request the record to see its current state. `event`: new events were recorded, this one among the latest. `delivery`: deliveries of the channel with this ID finished. One `event` or `delivery` can stand for many. `report`: a new report for the printer with this ID.',
      responses: {
        200: {
          description: 'A stream of events',
          schema: z.object({
            kind: z.enum(['order', 'filament', 'printer', 'channel', 'event', 'delivery', 'report', 'lead', 'invoice']),
            id: z.string(),
            gone: z.literal(true).optional(),
          }),
        },
      },
      handle: async () => ({ status: 200 }),
    }),
    stream: ({ actor }: { actor: { accountId: string } }, send) =>
      live.listen(actor.accountId, (change) => send('change', change)),
  } as Route,
];
