import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, type Order } from '../api/api';

/** The orders the board holds. */
export interface Book {
  orders: ReadonlyMap<string, Order>;
  /** how many there are on the service; more than `orders` while they are loading */
  total: number;
}

type Part = 'open' | 'closed';

const PER_PAGE = 200;
const AT_ONCE = 3;
/** While the book is read the board is used already: it is drawn anew only so often. */
const SHOWN_EVERY_MS = 400;
/** The archive only grows: of it the newest pages are shown. */
const MAX_CLOSED_PAGES = 10;

// open ones oldest first, which is nearly by due date, as columns have them: what is read later stands further down
const FILTERS: Record<Part, string> = { open: 'sort=created_at', closed: 'workflow_status=closed&sort=-updated_at' };

export const bookKey = (part: Part) => ['orders', part] as const;

/** An id is never used again: a late answer must not bring back what was deleted. */
const gone = new Set<string>();

/** The newer of two answers about one order stands, in whatever order they arrive. */
function merge(known: ReadonlyMap<string, Order>, arrived: Iterable<Order>): Map<string, Order> {
  const orders = new Map(known);
  for (const order of arrived) {
    const other = orders.get(order.id);
    if (!gone.has(order.id) && !(other && other.updated_at > order.updated_at)) orders.set(order.id, order);
  }
  return orders;
}

const belongs = (order: Order, part: Part) => (order.workflow_status === 'closed') === (part === 'closed');

/** What arrives by itself while pages are read, for each reading under way: it is newer than those pages. */
const readings = new Set<Map<string, Order>>();

/** All orders of a part, page by page. The first load shows each page as it comes; a later one replaces the whole. */
export const bookQuery = (part: Part) =>
  queryOptions({
    queryKey: bookKey(part),
    async queryFn({ client, signal }): Promise<Book> {
      const isFirst = client.getQueryData(bookKey(part)) === undefined;
      const loaded: Order[] = [];
      const arrived = new Map<string, Order>();
      let total = 0;
      let shown = 0;
      let shownAt = Number.NEGATIVE_INFINITY;

      async function load(page: number) {
        const list = await api.listOrders(FILTERS[part], page, signal);
        total = list.total;
        loaded.push(...list.items);
        if (isFirst && performance.now() - shownAt > SHOWN_EVERY_MS) {
          shownAt = performance.now();
          const fresh = loaded.slice(shown);
          shown = loaded.length;
          client.setQueryData<Book>(bookKey(part), (book) => ({
            orders: merge(book?.orders ?? new Map(), fresh),
            total,
          }));
        }
      }

      readings.add(arrived);
      try {
        await load(1);
        let next = 2;
        const hasMore = () => (next - 1) * PER_PAGE < total && (part === 'open' || next <= MAX_CLOSED_PAGES);
        const loadNext = async () => {
          while (hasMore()) await load(next++);
        };
        await Promise.all(Array.from({ length: AT_ONCE }, loadNext));
      } finally {
        readings.delete(arrived);
      }
      const newest = merge(merge(new Map(), loaded), arrived.values());
      const orders = new Map([...newest].filter(([, order]) => belongs(order, part)));
      return { orders, total: part === 'open' ? orders.size : Math.max(total, orders.size) };
    },
    // a Map of records: compared by identity
    structuralSharing: false,
  });

function change(client: QueryClient, part: Part, edit: (orders: Map<string, Order>) => void) {
  client.setQueryData<Book>(bookKey(part), (book) => {
    if (!book) return book;
    const orders = new Map(book.orders);
    edit(orders);
    return { orders, total: book.total + orders.size - book.orders.size };
  });
}

/** Puts what the service answered where the pages see it. */
export function putOrders(client: QueryClient, arrived: Order[]) {
  for (const reading of readings) for (const order of arrived) reading.set(order.id, order);
  for (const part of ['open', 'closed'] as const) {
    change(client, part, (orders) => {
      for (const order of arrived) {
        const known = orders.get(order.id);
        if (known && known.updated_at > order.updated_at) continue;
        if (belongs(order, part) && !gone.has(order.id)) orders.set(order.id, order);
        else orders.delete(order.id);
      }
    });
  }
  for (const order of arrived) {
    client.setQueryData<Order>(['order', order.id], (known) =>
      known && known.updated_at <= order.updated_at ? order : known,
    );
    client.invalidateQueries({ queryKey: ['history', order.id] });
  }
}

export function dropOrders(client: QueryClient, ids: string[]) {
  for (const id of ids) gone.add(id);
  for (const part of ['open', 'closed'] as const) {
    change(client, part, (orders) => {
      for (const id of ids) orders.delete(id);
    });
  }
}

export const findInBook = (client: QueryClient, id: string): Order | undefined =>
  (['open', 'closed'] as const).map((part) => client.getQueryData<Book>(bookKey(part))?.orders.get(id)).find(Boolean);
