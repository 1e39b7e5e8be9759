import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, Problem } from '../api';
import { dropOrders, putOrders } from './book';

/** Changes that come together are asked for together. */
const GATHER_MS = 30;
/** From so many on, all is read anew: pages of 200 are cheaper than single orders. */
const MOST_SINGLE = 100;
const AT_ONCE = 6;
const RETRY_MS = 2_000;
/** Lists and figures are asked for at most so often, however much changes. */
const REFRESH_MS = 1_000;
/** A browser opens six connections to a host: pages that nobody looks at give theirs back. */
const HIDDEN_MS = 60_000;

/** By what changed: the first words of the query keys that show it. Orders are more than that, see below. */
const SHOWS: Record<string, string[]> = {
  filament: ['filaments', 'figures'],
  printer: ['printers', 'printer-groups', 'figures'],
  channel: ['channels', 'figures'],
};

async function fetchChanged(client: QueryClient, ids: string[]) {
  const left = [...ids];
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      try {
        putOrders(client, [await api.getOrder(id)]);
      } catch (error) {
        if (error instanceof Problem && error.code === 'not_found') dropOrders(client, [id]);
        else throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, work));
}

/** Listens for changes and keeps the cache as the service has it. @returns what ends it */
function listen(client: QueryClient, onConnected: (isConnected: boolean) => void): () => void {
  let source: EventSource | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let hasMissed = false;
  const changed = new Set<string>();
  const deleted = new Set<string>();

  const readAll = () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });

  function readChanged() {
    gathering = undefined;
    refresh(['figures']);
    const ids = [...changed];
    changed.clear();
    if (deleted.size > 0) dropOrders(client, [...deleted]);
    deleted.clear();
    if (ids.length > MOST_SINGLE) readAll();
    else fetchChanged(client, ids).catch(readAll);
  }

  const stale = new Set<string>();
  let refreshing: ReturnType<typeof setTimeout> | undefined;
  let refreshedAt = 0;

  function refreshStale() {
    refreshing = undefined;
    refreshedAt = Date.now();
    const keys = [...stale];
    stale.clear();
    for (const key of keys) client.invalidateQueries({ queryKey: [key] });
  }

  /** What a query shows has changed. */
  function refresh(keys: readonly string[]) {
    for (const key of keys) stale.add(key);
    refreshing ??= setTimeout(refreshStale, Math.max(GATHER_MS, refreshedAt + REFRESH_MS - Date.now()));
  }

  function open() {
    waiting = undefined;
    source = new EventSource('/console/api/live');
    source.addEventListener('open', () => {
      onConnected(true);
      if (hasMissed) readAll();
      hasMissed = false;
    });
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      const { kind, id, gone } = JSON.parse(data) as { kind: string; id: string; gone?: true };
      if (kind === 'order' && gone) {
        changed.delete(id);
        deleted.add(id);
        gathering ??= setTimeout(readChanged, GATHER_MS);
      } else if (kind === 'order') {
        changed.add(id);
        gathering ??= setTimeout(readChanged, GATHER_MS);
      } else refresh(SHOWS[kind] ?? []);
    });
    source.addEventListener('error', () => {
      onConnected(false);
      shut();
      waiting = setTimeout(open, RETRY_MS);
      // an ended session shows as 401 here and nowhere in an EventSource
      client.invalidateQueries({ queryKey: ['session'] });
    });
  }

  function shut() {
    source?.close();
    source = undefined;
    clearTimeout(waiting);
    hasMissed = true;
  }

  function heedVisibility() {
    clearTimeout(waiting);
    if (document.hidden) waiting = setTimeout(shut, HIDDEN_MS);
    else if (!source) open();
  }

  open();
  document.addEventListener('visibilitychange', heedVisibility);
  return () => {
    document.removeEventListener('visibilitychange', heedVisibility);
    clearTimeout(gathering);
    clearTimeout(refreshing);
    shut();
  };
}

/** @returns whether changes reach this page now */
export function useLive(): boolean {
  const client = useQueryClient();
  const [isConnected, setConnected] = useState(true);
  useEffect(() => listen(client, setConnected), [client]);
  return isConnected;
}
