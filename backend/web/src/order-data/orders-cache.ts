import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Order, ordersApi } from './orders-api';

/** The orders that are loaded. */
export interface CachedOrders {
  orders: ReadonlyMap<string, Order>;
  /** total on the server; greater than `orders.size` while pages load */
  total: number;
}

type OrderSet = 'open' | 'closed';

/** First element of the key of every search, which changes of orders invalidate. */
export const ORDER_SEARCH = 'order-search';

export const PER_PAGE = 200;
const CONCURRENCY = 3;
/** Minimum interval between updates of the board while the first load is running. */
const RENDER_INTERVAL_MS = 400;
/** The archive only grows, so only its newest pages are loaded. */
const MAX_CLOSED_PAGES = 10;

// open orders are loaded oldest first, which is close to the due-date order of the columns
const FILTERS: Record<OrderSet, string> = {
  open: 'sort=created_at',
  closed: 'workflow_status=closed&sort=-updated_at',
};

export const ordersKey = (orderSet: OrderSet) => ['orders', orderSet] as const;

/** IDs are never reused, so a late response must not bring a deleted order back. */
const deletedIds = new Set<string>();

/** Keeps the newer version of each order, whatever order the responses arrive in. */
function merge(known: ReadonlyMap<string, Order>, received: Iterable<Order>): Map<string, Order> {
  const orders = new Map(known);
  for (const order of received) {
    const other = orders.get(order.id);
    if (!deletedIds.has(order.id) && !(other && other.updated_at > order.updated_at)) orders.set(order.id, order);
  }
  return orders;
}

const belongsTo = (order: Order, orderSet: OrderSet) =>
  (order.workflow_status === 'closed') === (orderSet === 'closed');

/** Live updates received during each active load: they are newer than its pages. */
const activeLoads = new Set<Map<string, Order>>();

/** All orders of a set, page by page. The first load shows pages as they arrive; a refetch replaces the whole set. */
export const ordersQuery = (orderSet: OrderSet) =>
  queryOptions({
    queryKey: ordersKey(orderSet),
    async queryFn({ client, signal }): Promise<CachedOrders> {
      const isFirst = client.getQueryData(ordersKey(orderSet)) === undefined;
      const loaded: Order[] = [];
      const received = new Map<string, Order>();
      let total = 0;
      let rendered = 0;
      let renderedAt = Number.NEGATIVE_INFINITY;

      async function load(page: number) {
        const list = await ordersApi.list(FILTERS[orderSet], page, signal);
        total = list.total;
        loaded.push(...list.items);
        if (isFirst && performance.now() - renderedAt > RENDER_INTERVAL_MS) {
          renderedAt = performance.now();
          const fresh = loaded.slice(rendered);
          rendered = loaded.length;
          client.setQueryData<CachedOrders>(ordersKey(orderSet), (cached) => ({
            orders: merge(cached?.orders ?? new Map(), fresh),
            total,
          }));
        }
      }

      activeLoads.add(received);
      try {
        await load(1);
        let next = 2;
        const hasMore = () => (next - 1) * PER_PAGE < total && (orderSet === 'open' || next <= MAX_CLOSED_PAGES);
        const loadNext = async () => {
          while (hasMore()) await load(next++);
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, loadNext));
      } finally {
        activeLoads.delete(received);
      }
      const newest = merge(merge(new Map(), loaded), received.values());
      const orders = new Map([...newest].filter(([, order]) => belongsTo(order, orderSet)));
      return { orders, total: orderSet === 'open' ? orders.size : Math.max(total, orders.size) };
    },
    // structural sharing can't compare a Map
    structuralSharing: false,
  });

function updateCached(client: QueryClient, orderSet: OrderSet, edit: (orders: Map<string, Order>) => void) {
  client.setQueryData<CachedOrders>(ordersKey(orderSet), (cached) => {
    if (!cached) return cached;
    const orders = new Map(cached.orders);
    edit(orders);
    return { orders, total: cached.total + orders.size - cached.orders.size };
  });
}

/** Writes orders returned by the server to every cache that shows them. */
export function putOrders(client: QueryClient, received: Order[]) {
  for (const activeLoad of activeLoads) for (const order of received) activeLoad.set(order.id, order);
  for (const orderSet of ['open', 'closed'] as const) {
    updateCached(client, orderSet, (orders) => {
      for (const order of received) {
        const known = orders.get(order.id);
        if (known && known.updated_at > order.updated_at) continue;
        if (belongsTo(order, orderSet) && !deletedIds.has(order.id)) orders.set(order.id, order);
        else orders.delete(order.id);
      }
    });
  }
  client.invalidateQueries({ queryKey: [ORDER_SEARCH] });
  for (const order of received) {
    client.setQueryData<Order>(['order', order.id], (known) =>
      known && known.updated_at <= order.updated_at ? order : known,
    );
    client.invalidateQueries({ queryKey: ['history', order.id] });
  }
}

export function removeOrders(client: QueryClient, ids: string[]) {
  for (const id of ids) deletedIds.add(id);
  for (const orderSet of ['open', 'closed'] as const) {
    updateCached(client, orderSet, (orders) => {
      for (const id of ids) orders.delete(id);
    });
  }
}

export const findCachedOrder = (client: QueryClient, id: string): Order | undefined =>
  (['open', 'closed'] as const)
    .map((orderSet) => client.getQueryData<CachedOrders>(ordersKey(orderSet))?.orders.get(id))
    .find(Boolean);
