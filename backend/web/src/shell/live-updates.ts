import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createOrderUpdates } from '../order-data/order-updates';

const RETRY_MS = 1_000;
/** Browsers allow six connections per host, so hidden pages close theirs after this time. */
const HIDDEN_MS = 60_000;

/** Query keys to invalidate, by the kind of record that changed. Orders are handled in order-updates.ts. */
const QUERIES_BY_KIND: Record<string, string[]> = {
  // consumption also appears in the history of its order
  filament: ['filaments', 'stats', 'history'],
  printer: ['printers', 'printer-groups', 'agents', 'stats'],
  report: ['reports', 'agents', 'stats'],
  // deleting a subscription deletes its deliveries
  subscription: ['channels', 'events', 'stats'],
  event: ['events'],
  lead: ['leads', 'profile'],
  delivery: ['deliveries', 'channels', 'events', 'stats'],
  invoice: ['invoices'],
};

/** Minimum interval between refetches of frequently changing data, to stay within the rate limit. */
const THROTTLE_MS = 1_000;

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
      close();
      // a hidden page reconnects when it is shown: the server ends the oldest of too many streams
      if (!document.hidden) reconnectTimer = setTimeout(open, RETRY_MS);
      // entering the password in any tab ends an open stream, before the browser has the session's new cookie
      if (wasOpen) return;
      onConnected(false);
      // EventSource doesn't expose a 401, so an ended session is detected by this query
      client.invalidateQueries({ queryKey: ['session'] });
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
  document.addEventListener('visibilitychange', onVisibilityChange);
  return () => {
    document.removeEventListener('visibilitychange', onVisibilityChange);
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
