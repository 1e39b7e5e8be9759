import { type Route, routesOf } from '../http/route.ts';
import { FindQuery, FoundOrders } from './order-schema.ts';
import type { OrderService } from './order-service.ts';

const { get } = routesOf('Orders');

/** Console routes of orders. The console has the orders it shows already, so its search needs only their IDs. */
export const orderConsoleRoutes = (orders: Pick<OrderService, 'find'>): Route[] => [
  get('/order-search', {
    operationId: 'findOrders',
    summary: 'Find orders',
    description: 'Finds what `q` of the list of orders finds.',
    query: FindQuery,
    responses: { 200: { description: 'The IDs of the orders', schema: FoundOrders } },
    handle: async ({ actor, query }) => ({ ids: await orders.find(actor.accountId, query.q) }),
  }),
];
