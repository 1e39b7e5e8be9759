import { z } from 'zod';
import type { Clock } from '../../../common/src/clock.ts';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { type Route, routesOf } from '../http/route.ts';
import { WORKFLOW_STATUSES, type WorkflowStatus } from '../orders/status.ts';
import { day, oneNumberOf, uuid } from '../shared/schemas.ts';
import { type Day, isTimeZone, lastDays } from './calendar.ts';

const { get } = routesOf('Reports');

/** How many rows a list has at most, so that it can be taken in at a glance. */
const MAX_LINES = 12;
/** How many orders are listed per printer. */
const MAX_PRINTING = 3;

const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
  .default('UTC')
  .describe('IANA time zone that defines the calendar days')
  .meta({ example: 'Europe/Berlin' });

const StatsQuery = z.strictObject({
  days: oneNumberOf([7, 30, 90]).default(30).describe('number of days, including today'),
  time_zone: timeZone,
});

const name = z.enum(WORKFLOW_STATUSES);

const orderFacts = {
  id: uuid(),
  model_name: z.string(),
  color_hex: z.string(),
  quantity_pieces: z.int(),
  due_date: day(),
};

const DashboardStats = z
  .object({
    since: day().describe('the first day of the range'),
    today: day().describe('the last day of the range'),
    due: z
      .object({
        overdue: z.int().describe('open orders whose due date has passed'),
        today: z.int(),
        orders: z.array(z.object({ ...orderFacts, workflow_status: name, printer_name: z.string().nullable() })),
      })
      .describe(`open orders due today or before, the oldest ${MAX_LINES}`),
    orders_by_status: z
      .array(z.object({ workflow_status: name, orders: z.int() }))
      .describe('the number of orders in each status now'),
    days: z
      .array(
        z.object({
          day: day(),
          created: z.int(),
          done: z.int().describe('orders that moved to `done`, each counted once a day'),
          print_error: z.int().describe('how often orders moved to `print_error`'),
        }),
      )
      .describe("every day, oldest first; orders that were deleted aren't counted"),
    failures: z
      .array(z.object({ printer_id: uuid().nullable(), printer_name: z.string().nullable(), failures: z.int() }))
      .describe(`of these days, by the printer the order is on now; the ${MAX_LINES} with the most`),
    prints: z
      .array(
        z.object({
          printer_id: uuid(),
          printer_name: z.string(),
          finished: z.int(),
          failed: z.int(),
          cancelled: z.int(),
        }),
      )
      .describe(
        `prints that ended in these days, as printers reported them; the ${MAX_LINES} printers with the most failures`,
      ),
    materials: z
      .array(z.object({ type_name: z.string(), grams: z.number() }))
      .describe(`taken from stock in these days; the ${MAX_LINES} most used`),
    failing_subscriptions: z
      .array(
        z.object({
          id: uuid(),
          name: z.string(),
          url: z.string(),
          consecutive_failures: z.int().describe('owners are warned from 10 on'),
          paused_at: z.iso.datetime().nullable().describe('since when `pause_after_failures` has disabled it'),
          error: z.string().nullable().describe('of the latest attempt, as everything below'),
          response_status: z.int().nullable(),
          attempted_at: z.iso.datetime(),
          event: z.string().meta({ example: 'order.status_changed' }),
          subject: z
            .string()
            .describe('what the event is about')
            .meta({ example: `order:${EXAMPLE_IDS.order}` }),
          subject_name: z
            .string()
            .nullable()
            .describe('its name; null if the event has none')
            .meta({ example: 'Camera mount' }),
        }),
      )
      .describe('subscriptions whose latest attempt failed and that are enabled or paused'),
  })
  .meta({ id: 'DashboardStats' });

const PrinterStats = z
  .object({
    items: z.array(
      z.object({
        printer_id: uuid().nullable().describe('null: orders without a printer'),
        open: z.array(z.object({ workflow_status: name, orders: z.int() })),
        printing: z.array(z.object(orderFacts)).describe(`what is due first; at most ${MAX_PRINTING}`),
      }),
    ),
  })
  .meta({ id: 'PrinterStats' });

type Body<S extends z.ZodType> = z.output<S>;
type PrinterLine = Body<typeof PrinterStats>['items'][number];
type Span = Pick<Day, 'since' | 'until'>;

/** Each feature computes its own part. */
export interface StatsSource {
  clock: Clock;
  orders: {
    byStatus(accountId: string): Promise<Map<string, number>>;
    byDay(accountId: string, days: readonly Day[]): Promise<Body<typeof DashboardStats>['days']>;
    failures(accountId: string, span: Span, limit: number): Promise<Body<typeof DashboardStats>['failures']>;
    due(accountId: string, day: string, limit: number): Promise<Body<typeof DashboardStats>['due']>;
    byPrinter(
      accountId: string,
    ): Promise<{ printer_id: string | null; workflow_status: WorkflowStatus; orders: number }[]>;
    printing(
      accountId: string,
      maxPerPrinter: number,
    ): Promise<(PrinterLine['printing'][number] & { printer_id: string | null })[]>;
  };
  prints(accountId: string, span: Span, limit: number): Promise<Body<typeof DashboardStats>['prints']>;
  materials(accountId: string, span: Span, limit: number): Promise<Body<typeof DashboardStats>['materials']>;
  failingSubscriptions(accountId: string): Promise<Body<typeof DashboardStats>['failing_subscriptions']>;
}

/** The owner's dashboard, in the console API only: automation uses the flat numbers of /summary. */
export const dashboardRoutes = (source: StatsSource): Route[] => [
  get('/stats', {
    operationId: 'getStats',
    summary: 'Get the overview',
    description:
      'Due orders, orders by status and by day, failures, reported prints, material used and failing subscriptions. All lists are limited.',
    query: StatsQuery,
    responses: { 200: { description: 'The report', schema: DashboardStats } },
    async handle({ actor: { accountId }, query }) {
      const days = lastDays(query.time_zone, query.days, source.clock());
      const [first, last] = [days[0], days.at(-1)] as [Day, Day];
      const span = { since: first.since, until: last.until };
      const [due, byStatus, byDay, failures, prints, materials, failing_subscriptions] = await Promise.all([
        source.orders.due(accountId, last.day, MAX_LINES),
        source.orders.byStatus(accountId),
        source.orders.byDay(accountId, days),
        source.orders.failures(accountId, span, MAX_LINES),
        source.prints(accountId, span, MAX_LINES),
        source.materials(accountId, span, MAX_LINES),
        source.failingSubscriptions(accountId),
      ]);
      const orders_by_status = WORKFLOW_STATUSES.map((workflow_status) => ({
        workflow_status,
        orders: byStatus.get(workflow_status) ?? 0,
      }));
      return {
        since: first.day,
        today: last.day,
        due,
        orders_by_status,
        days: byDay,
        failures,
        prints,
        materials,
        failing_subscriptions,
      };
    },
  }),
  get('/stats/printers', {
    operationId: 'getPrinterStats',
    summary: "Get each printer's workload",
    description:
      'Open orders per printer and status, and those being printed. Printers without open orders are left out.',
    responses: { 200: { description: 'The report', schema: PrinterStats } },
    async handle({ actor: { accountId } }) {
      const [counts, printing] = await Promise.all([
        source.orders.byPrinter(accountId),
        source.orders.printing(accountId, MAX_PRINTING),
      ]);
      const lines = new Map<string | null, PrinterLine>();
      const lineOf = (printer_id: string | null) => {
        const line = lines.get(printer_id) ?? { printer_id, open: [], printing: [] };
        lines.set(printer_id, line);
        return line;
      };
      for (const { printer_id, ...count } of counts) lineOf(printer_id).open.push(count);
      for (const { printer_id, ...order } of printing) lineOf(printer_id).printing.push(order);
      return { items: [...lines.values()] };
    },
  }),
];
