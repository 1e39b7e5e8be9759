import type { QueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/client';
import { isId } from '../../api/ids';
import { type ItemResult, mapConcurrent } from '../../api/map-concurrent';
import { pauseOrderUpdates } from '../../order-data/order-updates';
import { type Order, ordersApi } from '../../order-data/orders-api';
import { findCachedOrder, ordersKey, ordersQuery, putOrders } from '../../order-data/orders-cache';
import { printersQuery } from '../../printers/use-printers';
import type { Mapping } from './fields';
import { idOf, type Known } from './import-plan';
import type { Step } from './step';
import type { Table } from './table';

export type Write = Extract<Step, { action: 'create' | 'update' }>;
export const isWrite = (step: Step): step is Write => step.action === 'create' || step.action === 'update';

/**
 * What a table is compared with: the orders that it names by ID, and the open and recently closed ones, which the file
 * may have created before. Fetches what isn't cached. @throws Problem
 */
export async function loadKnown(client: QueryClient, table: Table, mapping: Mapping): Promise<Known> {
  const ids = [...new Set(table.rows.map((row) => idOf(mapping, row)))].filter(isId);
  const orders = new Map<string, Order>();
  // while the first load is running, only a part is cached
  const loadAll = (orderSet: 'open' | 'closed') =>
    client.fetchQuery({
      ...ordersQuery(orderSet),
      staleTime: client.isFetching({ queryKey: ordersKey(orderSet) }) > 0 ? 0 : Number.POSITIVE_INFINITY,
    });
  const outcomes = await mapConcurrent(
    ids,
    async (id) => findCachedOrder(client, id) ?? (await ordersApi.get(id)),
    () => undefined,
  );
  for (const { item, result, error } of outcomes) {
    if (result) orders.set(item, result);
    const isUnknown = error instanceof Problem && (error.status === 404 || error.status === 422);
    if (error && !isUnknown) throw error;
  }
  const [open, closed, { items: printers }] = await Promise.all([
    loadAll('open'),
    loadAll('closed'),
    client.fetchQuery(printersQuery),
  ]);
  return { orders, existing: [...open.orders.values(), ...closed.orders.values()], printers };
}

/** Executes the plan. Retries are safe: creations have an idempotency key, updates are idempotent. */
export async function write(
  client: QueryClient,
  steps: Write[],
  onProgress: (done: number) => void,
): Promise<ItemResult<Write, Order>[]> {
  const resume = pauseOrderUpdates();
  const outcomes = await mapConcurrent(
    steps,
    (step) =>
      step.action === 'create' ? ordersApi.create(step.body, step.key) : ordersApi.update(step.order.id, step.patch),
    onProgress,
  );
  putOrders(
    client,
    outcomes.map(({ result }) => result).filter((order): order is Order => order !== undefined),
  );
  resume();
  return outcomes;
}
