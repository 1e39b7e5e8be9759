import { z } from 'zod';
import type { DomainError } from '../shared/errors.ts';
import { flag, uuid } from '../shared/schemas.ts';
import { EXAMPLE_IDS } from './examples.ts';
import { toProblem } from './problem.ts';
import type { DryRunResult, Reply, Route, RouteRequest } from './route.ts';

/** Not `application/json`, so that no program takes it for the record that the request would have written. */
const DRY_RUN_TYPE = 'application/vnd.farmboard.dry-run+json';

/** Not a component: no response refers to it, and linters take it for one that nobody needs. */
const DryRun = z
  .object({
    dry_run: z.literal(true),
    status: z.int().describe('the status that the same request would have got now'),
    body: z
      .unknown()
      .describe('its body: a record, an error, or null for none. IDs of new records are not given again'),
    would: z.object({
      events: z
        .array(z.object({ event: z.string(), subject: z.string() }))
        .describe('in this order; the subject is what the event is about')
        .meta({ example: [{ event: 'order.status_changed', subject: `order:${EXAMPLE_IDS.order}` }] }),
      deliveries: z
        .array(z.object({ subscription_id: uuid(), events: z.int() }))
        .describe('how many of these events each subscription would get')
        .meta({ example: [{ subscription_id: EXAMPLE_IDS.subscription, events: 1 }] }),
      deducted_grams: z
        .number()
        .describe("the change of the filament's `used_grams`: negative if grams would be returned")
        .meta({ example: 0 }),
    }),
  })
  .describe('What a request would do. Nothing was changed.');
type DryRun = z.output<typeof DryRun>;

const QUERY = {
  dry_run: flag()
    .default(false)
    .describe(
      `do it all, undo it, and say what would have happened: 200 with \`${DRY_RUN_TYPE}\`, as in \`x-dry-run\``,
    ),
};

const LEADS_ELSEWHERE = new Set(['ETag', 'Location']);

/** Without those of a version or a record that isn't there afterwards. */
const lastingHeaders = <Value>(headers: Record<string, Value> = {}): Record<string, Value> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !LEADS_ELSEWHERE.has(name)));

function toResponses({ responses }: Route): Route['responses'] {
  const headers = Object.values(responses).flatMap((response) => Object.entries(response.headers ?? {}));
  return {
    200: {
      description: 'What the request would do, whatever its status',
      headers: lastingHeaders(Object.fromEntries(headers)),
      schema: DryRun,
      type: DRY_RUN_TYPE,
    },
  };
}

/**
 * Lets the changing ones of these routes take `dry_run`.
 * @param dryRun does what a route's `handle` would do, and undoes it
 */
export const withDryRun = (
  routes: Route[],
  dryRun: (route: Route, request: RouteRequest<never, never, never>) => Promise<DryRunResult>,
): Route[] =>
  routes.map((route) =>
    route.method === 'get'
      ? route
      : {
          ...route,
          query: (route.query ?? z.strictObject({})).extend(QUERY),
          dryRunResponses: toResponses(route),
          dryRun: (request) => dryRun(route, request),
        },
  );

const NOTHING: DryRunResult['would'] = { events: [], deliveries: [], deducted_grams: 0 };

const toReply = (body: DryRun, headers: Reply['headers']): Reply => ({
  status: 200,
  type: DRY_RUN_TYPE,
  body,
  headers: lastingHeaders(headers),
});

/** The answer to a dry run that was carried out. */
export const dryRunReply = ({ status, body = null, headers }: Reply, would: DryRunResult['would']): Reply =>
  toReply({ dry_run: true, status, body, would }, headers);

/** The answer to a dry run that was refused, for what the request would have been refused for. */
export function refusedReply(error: DomainError, requestId: string): Reply {
  const body = toProblem(error, requestId);
  return toReply({ dry_run: true, status: body.status, body, would: NOTHING }, {});
}
