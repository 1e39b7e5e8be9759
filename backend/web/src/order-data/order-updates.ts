import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { Problem } from '../api/client';
import { ordersApi } from './orders-api';
import { PER_PAGE, putOrders, removeOrders } from './orders-cache';

/** Changes within this window are fetched together. */
const BATCH_WINDOW_MS = 30;
/** The next batch begins at least this long after the last one; longer each time while changes keep coming. */
const BATCH_INTERVAL_MS = { first: 250, last: 2_000 };
/** More orders are fetched by pages of those changed last. */
const MAX_SINGLE_READS = 6;
/** Above this number everything is refetched. */
const MAX_CHANGED = 1_000;

/** Number of running bulk operations. Their own changes are fetched when the last one ends. */
let pauseCount = 0;
const onResume = new Set<() => void>();

/** Pauses updates of orders during a bulk operation. @returns a function that resumes them */
export function pauseOrderUpdates(): () => void {
  pauseCount++;
  return () => {
    pauseCount--;
    if (pauseCount === 0) for (const resume of onResume) resume();
  };
}

/**
 * Fetches orders, removing each from the set. IDs deleted meanwhile may be removed by the caller.
 * @returns whether all were fetched
 */
async function fetchChanged(client: QueryClient, ids: Set<string>): Promise<boolean> {
  if (ids.size > MAX_SINGLE_READS) await fetchLastChanged(client, ids);
  if (ids.size > MAX_SINGLE_READS) return false;
  const fetchOne = async (id: string) => {
    ids.delete(id);
    try {
      putOrders(client, [await ordersApi.get(id)]);
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') removeOrders(client, [id]);
      else throw error;
    }
  };
  await Promise.all([...ids].map(fetchOne));
  return true;
}

/** Fetches as many pages of the orders that were changed last as these could fill, and one more for others' changes. */
async function fetchLastChanged(client: QueryClient, ids: Set<string>) {
  const pages = Math.ceil(ids.size / PER_PAGE) + 1;
  for (let page = 1; page <= pages && ids.size > 0; page++) {
    const { items } = await ordersApi.list('include_closed=true&sort=-updated_at', page);
    const changed = items.filter(({ id }) => ids.delete(id));
    putOrders(client, changed);
    if (items.length < PER_PAGE) return;
  }
}

/** The interval after a batch: twice the last, or the first again if nothing waited for it. */
const nextInterval = (last: number, sinceLastBatch: number): number =>
  sinceLastBatch > 2 * last + BATCH_INTERVAL_MS.first
    ? BATCH_INTERVAL_MS.first
    : Math.min(2 * last, BATCH_INTERVAL_MS.last);

/** Collects changed and deleted orders and updates the cache with all of a batch. */
export function createOrderUpdates(client: QueryClient, invalidateThrottled: (queryKeys: QueryKey[]) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let beganAt = Number.NEGATIVE_INFINITY;
  let interval = 0;
  let isFetching = false;
  const changed = new Set<string>();
  const deleted = new Set<string>();
  /** changed orders being fetched */
  const pendingIds = new Set<string>();

  function readAll() {
    pendingIds.clear();
    client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  }

  async function readChanged() {
    timer = undefined;
    if (pauseCount > 0) return;
    interval = nextInterval(interval, performance.now() - beganAt);
    beganAt = performance.now();
    invalidateThrottled([['stats']]);
    for (const id of changed) pendingIds.add(id);
    changed.clear();
    if (deleted.size > 0) removeOrders(client, [...deleted]);
    deleted.clear();
    if (pendingIds.size > MAX_CHANGED) return readAll();
    isFetching = true;
    const isComplete = await fetchChanged(client, pendingIds).catch(() => false);
    isFetching = false;
    if (!isComplete) readAll();
    resume();
  }

  function resume() {
    if (isFetching || changed.size + deleted.size === 0) return;
    const wait = Math.max(BATCH_WINDOW_MS, beganAt + interval - performance.now());
    timer ??= setTimeout(readChanged, wait);
  }

  function add(id: string, isDeleted: boolean) {
    if (isDeleted) {
      changed.delete(id);
      pendingIds.delete(id);
      deleted.add(id);
    } else changed.add(id);
    resume();
  }

  function stop() {
    onResume.delete(resume);
    clearTimeout(timer);
    // a batch that is being fetched resumes when it has ended
    changed.clear();
    deleted.clear();
  }

  onResume.add(resume);
  return { add, readAll, stop };
}
