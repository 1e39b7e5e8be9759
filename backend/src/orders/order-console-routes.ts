import { type Route, route } from '../http/route.ts';
import { FindQuery, FoundOrders } from './order-schema.ts';
import type { OrderService } from './order-service.ts';

/** Console routes of orders. The console has the orders it shows already, so its search needs only their IDs. */
export const orderConsoleRoutes = (orders: Pick<OrderService, 'find'>): Route[] => [
  route({
    method: 'get',
    path: '/order-search',
    operationId: 'findOrders',
    tag: 'Orders',
    summary: 'Find orders',
    description: 'Finds what `q` of the list of orders finds.',
    query: FindQuery,
    responses: { 200: { description: 'The IDs of the orders', schema: FoundOrders } },
    async handle({ actor, query }) {
      return { status: 200, body: { ids: await orders.find(actor.accountId, query.q) } };
    },
  }),
];
