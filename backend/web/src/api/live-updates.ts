import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { PER_PAGE, putOrders, removeOrders } from '../orders/orders-cache';
import { api, Problem } from './api';

/** Changes within this window are fetched together. */
const BATCH_WINDOW_MS = 30;
/** The next batch begins at least this long after the last one; longer each time while changes keep coming. */
const BATCH_INTERVAL_MS = { first: 250, last: 2_000 };
/** More orders are fetched by pages of those changed last. */
const MAX_SINGLE_READS = 6;
/** Above this number everything is refetched. */
const MAX_CHANGED = 1_000;
const RETRY_MS = 1_000;
/** Browsers allow six connections per host, so hidden pages close theirs after this time. */
const HIDDEN_MS = 60_000;

/** Query keys to invalidate, by the kind of record that changed. Orders are handled separately below. */
const QUERIES_BY_KIND: Record<string, string[]> = {
  // consumption also appears in the history of its order
  filament: ['filaments', 'stats', 'history'],
  printer: ['printers', 'printer-groups', 'agents', 'stats'],
  report: ['reports', 'agents', 'stats'],
  // deleting a channel deletes its deliveries
  channel: ['channels', 'events', 'stats'],
  event: ['events'],
  lead: ['leads', 'profile'],
  delivery: ['deliveries', 'channels', 'events', 'stats'],
  invoice: ['invoices'],
};

/** Minimum interval between refetches of frequently changing data, to stay within the rate limit. */
const THROTTLE_MS = 1_000;

/** Number of running bulk operations. Their own changes are fetched when the last one ends. */
let pauseCount = 0;
const onResume = new Set<() => void>();

/** Pauses live updates during a bulk operation. @returns a function that resumes them */
export function pauseLiveUpdates(): () => void {
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
      putOrders(client, [await api.getOrder(id)]);
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
    const { items } = await api.listOrders('include_closed=true&sort=-updated_at', page);
    const changed = items.filter(({ id }) => ids.delete(id));
    putOrders(client, changed);
    if (items.length < PER_PAGE) return;
  }
}

/** Refetches queries at once, then at most once per interval. */
function createThrottledInvalidation(client: QueryClient) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pending = new Map<string, QueryKey>();

  function invalidate(queryKeys: QueryKey[]) {
    for (const queryKey of queryKeys) pending.set(hashKey(queryKey), queryKey);
    if (timer || pending.size === 0) return;
    for (const queryKey of pending.values()) client.invalidateQueries({ queryKey });
    pending.clear();
    timer = setTimeout(() => {
      timer = undefined;
      invalidate([]);
    }, THROTTLE_MS);
  }

  return { invalidate, stop: () => clearTimeout(timer) };
}

/** The interval after a batch: twice the last, or the first again if nothing waited for it. */
const nextInterval = (last: number, sinceLastBatch: number): number =>
  sinceLastBatch > 2 * last + BATCH_INTERVAL_MS.first
    ? BATCH_INTERVAL_MS.first
    : Math.min(2 * last, BATCH_INTERVAL_MS.last);

/** Collects changed and deleted orders and updates the cache with all of a batch. */
function createOrderUpdates(client: QueryClient, invalidateThrottled: (queryKeys: QueryKey[]) => void) {
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
    clearTimeout(timer);
    // a batch that is being fetched resumes when it has ended
    changed.clear();
    deleted.clear();
  }

  return { add, resume, readAll, stop };
}

/** Listens for changes and keeps the cache up to date. @returns a function that stops listening */
function subscribeToChanges(client: QueryClient, onConnected: (isConnected: boolean) => void): () => void {
  let source: EventSource | undefined;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let hasMissed = false;
  const throttle = createThrottledInvalidation(client);
  const orders = createOrderUpdates(client, throttle.invalidate);

  function open() {
    reconnectTimer = undefined;
    let wasOpen = false;
    source = new EventSource('/console/api/live');
    source.addEventListener('open', () => {
      wasOpen = true;
      onConnected(true);
      if (hasMissed) orders.readAll();
      hasMissed = false;
    });
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      const { kind, id, gone } = JSON.parse(data) as { kind: string; id: string; gone?: true };
      if (kind === 'order') orders.add(id, gone === true);
      else
        throttle.invalidate((QUERIES_BY_KIND[kind] ?? []).map((name) => (name === 'deliveries' ? [name, id] : [name])));
    });
    source.addEventListener('error', () => {
      onConnected(false);
      close();
      // a hidden page reconnects when it is shown: the server ends the oldest of too many streams
      if (!document.hidden) reconnectTimer = setTimeout(open, RETRY_MS);
      // EventSource doesn't expose a 401, so an ended session is detected by this query. Not when an open stream ends:
      // entering the password in any tab ends it, before the browser has the session's new cookie
      if (!wasOpen) client.invalidateQueries({ queryKey: ['session'] });
    });
  }

  function close() {
    source?.close();
    source = undefined;
    clearTimeout(reconnectTimer);
    hasMissed = true;
  }

  function onVisibilityChange() {
    clearTimeout(reconnectTimer);
    if (document.hidden) reconnectTimer = setTimeout(close, HIDDEN_MS);
    else if (!source) open();
  }

  open();
  onResume.add(orders.resume);
  document.addEventListener('visibilitychange', onVisibilityChange);
  return () => {
    document.removeEventListener('visibilitychange', onVisibilityChange);
    onResume.delete(orders.resume);
    orders.stop();
    throttle.stop();
    close();
  };
}

/** @returns whether live updates are connected */
export function useLiveUpdates(): boolean {
  const client = useQueryClient();
  const [isConnected, setConnected] = useState(true);
  useEffect(() => subscribeToChanges(client, setConnected), [client]);
  return isConnected;
}
