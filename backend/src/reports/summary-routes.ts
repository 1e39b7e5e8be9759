import { z } from 'zod';
import { type Clock, toDay } from '../../../common/src/clock.ts';
import { type Route, routesOf } from '../http/route.ts';
import { WORKFLOW_STATUSES } from '../orders/status.ts';

const { get } = routesOf('Account');

const count = () => z.int();

const Summary = z
  .object({
    ...Object.fromEntries(WORKFLOW_STATUSES.map((status) => [`orders_${status}`, count()])),
    orders_overdue: count().describe('open orders past their due date'),
    orders_due_today: count(),
    orders_status_reset: count().describe("orders whose status was last set to a value that isn't listed"),
    filaments: count(),
    filaments_low: count().describe('at or below their low-stock threshold'),
    printers: count(),
    printer_groups: count(),
  })
  .meta({ id: 'Summary' });

export interface SummarySource {
  clock: Clock;
  /** @param day `YYYY-MM-DD`, today */
  orders(
    accountId: string,
    day: string,
  ): Promise<{ byStatus: Map<string, number>; overdue: number; dueToday: number; statusReset: number }>;
  filaments(accountId: string): Promise<{ filaments: number; low_stock: number }>;
  printers(accountId: string): Promise<{ printers: number; groups: number }>;
}

/** Flat numbers for external dashboards: one call, no nesting, all keys always present. */
export const summaryRoutes = (source: SummarySource): Route[] => [
  get('/summary', {
    operationId: 'getSummary',
    summary: 'Get a summary',
    description: 'Plain numbers for a dashboard or a sensor: orders by status, low filaments, printers.',
    responses: { 200: { description: 'The summary', schema: Summary } },
    async handle({ actor: { accountId } }) {
      const [orders, filaments, printers] = await Promise.all([
        source.orders(accountId, toDay(source.clock())),
        source.filaments(accountId),
        source.printers(accountId),
      ]);
      return {
        ...Object.fromEntries(
          WORKFLOW_STATUSES.map((status) => [`orders_${status}`, orders.byStatus.get(status) ?? 0]),
        ),
        orders_overdue: orders.overdue,
        orders_due_today: orders.dueToday,
        orders_status_reset: orders.statusReset,
        filaments: filaments.filaments,
        filaments_low: filaments.low_stock,
        printers: printers.printers,
        printer_groups: printers.groups,
      };
    },
  }),
];
