import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { listReply } from '../http/list.ts';
import { type Route, routesOf } from '../http/route.ts';
import { numberCursor } from '../shared/cursor.ts';
import { invalid } from '../shared/errors.ts';
import { type Listed, listOf, pageQuery, toPage } from '../shared/pagination.ts';
import { timestamp, uuid } from '../shared/schemas.ts';
import { EVENT_NAMES, EVENTS, type EventEnvelope } from './catalog.ts';
import type { EventFilter, EventRow, EventSort } from './event-store.ts';

const { get } = routesOf('Events');

const EventQuery = z.strictObject({
  ...pageQuery,
  cursor: numberCursor(),
  event: z.enum(EVENT_NAMES).optional().describe('only events with this name'),
  occurred_since: timestamp().optional().describe('only events that occurred at or after this time'),
  from: uuid()
    .optional()
    .describe('only this event and those that the log has after it; 422 if the log does not have it')
    .meta({ example: EXAMPLE_IDS.event }),
  sort: z
    .enum(['-occurred_at', 'occurred_at'] satisfies EventSort[])
    .default('-occurred_at')
    .describe('`-`: descending'),
});

const kinds = EVENT_NAMES.map((event) =>
  z.object({
    id: uuid().meta({ example: EXAMPLE_IDS.event }),
    event: z.literal(event),
    occurred_at: z.iso.datetime(),
    data: EVENTS[event].data,
  }),
);

const EventList = listOf(z.union(kinds).meta({ id: 'LoggedEvent' }));

export interface EventLog {
  list(accountId: string, filter: EventFilter): Promise<Listed<EventRow>>;
  /** @returns the position of an event in the log; undefined if the account has no such event */
  findSeq(accountId: string, id: string): Promise<number | undefined>;
}

export const eventRoutes = (log: EventLog): Route[] => [
  get('/events', {
    operationId: 'listEvents',
    summary: 'List events, newest first',
    description: 'All events of the last 30 days, including those that no subscription selected.',
    query: EventQuery,
    responses: { 200: { description: 'A page of events', schema: EventList } },
    async reply({ actor, query }) {
      const { event, sort, occurred_since, from } = query;
      const since = occurred_since === undefined ? undefined : Date.parse(occurred_since);
      const fromSeq = from === undefined ? undefined : await log.findSeq(actor.accountId, from);
      if (from !== undefined && fromSeq === undefined)
        throw invalid('query/from', 'must be an event of this account in the last 30 days');
      const page = toPage(query);
      const listed = await log.list(actor.accountId, { ...page, event, sort, occurred_since: since, fromSeq });
      const items = listed.items.map(({ id, body }) => ({ id, ...(JSON.parse(body) as EventEnvelope) }));
      return listReply({ ...listed, items }, page);
    },
  }),
];
