import { z } from 'zod';
import { type Route, route } from './route.ts';

interface Live {
  listen(accountId: string, heard: (change: { kind: string; id: string; gone?: true }) => void): Promise<() => void>;
}

/** What open pages listen to, so that a change by an automation is seen at once on every board. */
export const liveRoutes = (live: Live): Route[] => [
  {
    ...route({
      method: 'get',
      path: '/live',
      operationId: 'listen',
      tag: 'Live',
      summary: 'Changes as they happen (text/event-stream)',
      description:
        'Each event is named `change` and has `{ kind, id }`, and `gone: true` for an order that was deleted: an order, a filament, a printer or a channel was made, changed or taken away. What it is now is asked for. `event`: events were written, this one among the last; `delivery`: deliveries of the channel of this id ended. Of these two kinds one may stand for many. `report`: the printer of this id was reported on; `lead` and `invoice`: one was made, changed or taken away.',
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
