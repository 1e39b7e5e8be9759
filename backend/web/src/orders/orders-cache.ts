import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, type Order } from '../api/api';

/** The orders the board holds. */
export interface CachedOrders {
  orders: ReadonlyMap<string, Order>;
  /** how many there are on the service; more than `orders` while they are loading */
  total: number;
}

type OrderSet = 'open' | 'closed';

const PER_PAGE = 200;
const CONCURRENCY = 3;
/** While the book is read the board is used already: it is drawn anew only so often. */
const RENDER_INTERVAL_MS = 400;
/** The archive only grows: of it the newest pages are shown. */
const MAX_CLOSED_PAGES = 10;

// open ones oldest first, which is nearly by due date, as columns have them: what is read later stands further down
const FILTERS: Record<OrderSet, string> = {
  open: 'sort=created_at',
  closed: 'workflow_status=closed&sort=-updated_at',
};

export const ordersKey = (orderSet: OrderSet) => ['orders', orderSet] as const;

/** An id is never used again: a late answer must not bring back what was deleted. */
const deletedIds = new Set<string>();

/** The newer of two answers about one order stands, in whatever order they arrive. */
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

/** What arrives by itself while pages are read, for each reading under way: it is newer than those pages. */
const activeLoads = new Set<Map<string, Order>>();

/** All orders of a part, page by page. The first load shows each page as it comes; a later one replaces the whole. */
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
        const list = await api.listOrders(FILTERS[orderSet], page, signal);
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
    // a Map of records: compared by identity
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

/** Puts what the service answered where the pages see it. */
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
