import type { QueryClient } from '@tanstack/react-query';
import { api, type Order, Problem } from '../../api/api';
import { isId } from '../../api/ids';
import { pauseLiveUpdates } from '../../api/live-updates';
import { type ItemResult, mapConcurrent } from '../../api/map-concurrent';
import { findCachedOrder, putOrders } from '../orders-cache';
import { idOf, plan, type Step } from './import-plan';
import type { Table } from './read';

export type Write = Extract<Step, { action: 'create' | 'update' }>;
export const isWrite = (step: Step): step is Write => step.action === 'create' || step.action === 'update';

/** Compares a table with the existing orders, fetching those that aren't cached. @throws Problem */
export async function compare(client: QueryClient, table: Table): Promise<Step[]> {
  const ids = [...new Set(table.rows.map((row) => idOf(table, row)))].filter(isId);
  const orders = new Map<string, Order>();
  const outcomes = await mapConcurrent(
    ids,
    async (id) => findCachedOrder(client, id) ?? (await api.getOrder(id)),
    () => undefined,
  );
  for (const { item, result, error } of outcomes) {
    if (result) orders.set(item, result);
    const isUnknown = error instanceof Problem && (error.status === 404 || error.status === 422);
    if (error && !isUnknown) throw error;
  }
  const { items: printers } = await client.fetchQuery({
    queryKey: ['printers'],
    queryFn: ({ signal }) => api.printers(signal),
  });
  return plan(table, { orders, printers });
}

/** Executes the plan. Retries are safe: creations have an idempotency key, updates are idempotent. */
export async function write(
  client: QueryClient,
  steps: Write[],
  onProgress: (done: number) => void,
): Promise<ItemResult<Write, Order>[]> {
  const resume = pauseLiveUpdates();
  const outcomes = await mapConcurrent(
    steps,
    (step) =>
      step.action === 'create' ? api.createOrder(step.body, step.key) : api.updateOrder(step.order.id, step.patch),
    onProgress,
  );
  putOrders(
    client,
    outcomes.map(({ result }) => result).filter((order): order is Order => order !== undefined),
  );
  resume();
  return outcomes;
}
