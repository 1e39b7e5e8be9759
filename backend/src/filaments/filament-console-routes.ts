import { type Route, routesOf } from '../http/route.ts';
import { Usage, UsageQuery } from './filament-schema.ts';
import type { FilamentService } from './filament-service.ts';

const { get } = routesOf('Filaments');

/** Console routes for what the overview shows of stock. */
export const filamentConsoleRoutes = (filaments: FilamentService): Route[] => [
  get('/filaments/usage', {
    operationId: 'getFilamentUsage',
    summary: 'Grams used per day',
    description:
      'By UTC day and filament, excluding undone entries. The twelve most used filaments are listed, all others are summed up.',
    query: UsageQuery,
    responses: { 200: { description: 'Usage, most used first', schema: Usage } },
    handle: ({ actor, query }) => filaments.usage(actor.accountId, query.days, query.filament_id),
  }),
];
