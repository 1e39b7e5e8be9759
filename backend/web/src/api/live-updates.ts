import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, Problem } from './api';
import { dropOrders, putOrders } from '../orders/orders-cache';

/** Changes that come together are asked for together. */
const GATHER_MS = 30;
/** From so many on, all is read anew: pages of 200 are cheaper than single orders. */
const MAX_SINGLE = 100;
const AT_ONCE = 6;
const RETRY_MS = 1_000;
/** A browser opens six connections to a host: pages that nobody looks at give theirs back. */
const HIDDEN_MS = 60_000;

/** By what changed: the first words of the query keys that show it. Orders are more than that, see below. */
const SHOWS: Record<string, string[]> = {
  // what was consumed stands in the history of its order too
  filament: ['filaments', 'figures', 'history'],
  printer: ['printers', 'printer-groups', 'agents', 'figures'],
  report: ['reports', 'agents', 'figures'],
  // an event's deliveries go with their channel
  channel: ['channels', 'events', 'figures'],
  event: ['events'],
  lead: ['leads', 'profile'],
  delivery: ['deliveries', 'events', 'figures'],
  invoice: ['invoices'],
};

/** What changes again and again is asked for at most so often: an account has its number of requests. */
const BUSY_MS = 1_000;

/** How many long works are under way whose changes are this page's own: what they changed is asked for at their end. */
let holds = 0;
const onRelease = new Set<() => void>();

/** Keeps what one changes oneself by the hundred from being asked for one by one. @returns what ends it */
export function holdLive(): () => void {
  holds++;
  return () => {
    holds--;
    if (holds === 0) for (const release of onRelease) release();
  };
}

/** Asks for orders one by one and takes each out of the set. What is deleted meanwhile may be taken out too. */
async function fetchChanged(client: QueryClient, ids: Set<string>) {
  const work = async () => {
    for (const id of ids) {
      ids.delete(id);
      try {
        putOrders(client, [await api.getOrder(id)]);
      } catch (error) {
        if (error instanceof Problem && error.code === 'not_found') dropOrders(client, [id]);
        else throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.size) }, work));
}

/** Listens for changes and keeps the cache as the service has it. @returns what ends it */
function listen(client: QueryClient, onConnected: (isConnected: boolean) => void): () => void {
  let source: EventSource | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let resting: ReturnType<typeof setTimeout> | undefined;
  const busy = new Map<string, QueryKey>();
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let hasMissed = false;
  const changed = new Set<string>();
  const deleted = new Set<string>();
  /** changed orders that are being asked for */
  const wanted = new Set<string>();

  function readAll() {
    wanted.clear();
    client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  }

  function readChanged() {
    gathering = undefined;
    if (holds > 0) return;
    readBusy([['figures']]);
    for (const id of changed) wanted.add(id);
    changed.clear();
    if (deleted.size > 0) dropOrders(client, [...deleted]);
    deleted.clear();
    if (wanted.size > MAX_SINGLE) readAll();
    else fetchChanged(client, wanted).catch(readAll);
  }

  /** What is busy now is asked for at once, and what comes within the next second at its end. */
  function readBusy(queryKeys: QueryKey[]) {
    for (const queryKey of queryKeys) busy.set(hashKey(queryKey), queryKey);
    if (resting || busy.size === 0) return;
    for (const queryKey of busy.values()) client.invalidateQueries({ queryKey });
    busy.clear();
    resting = setTimeout(() => {
      resting = undefined;
      readBusy([]);
    }, BUSY_MS);
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
        wanted.delete(id);
        deleted.add(id);
        gathering ??= setTimeout(readChanged, GATHER_MS);
      } else if (kind === 'order') {
        changed.add(id);
        gathering ??= setTimeout(readChanged, GATHER_MS);
      } else readBusy((SHOWS[kind] ?? []).map((name) => (name === 'deliveries' ? [name, id] : [name])));
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

  const release = () => {
    if (changed.size + deleted.size > 0) gathering ??= setTimeout(readChanged, GATHER_MS);
  };

  open();
  onRelease.add(release);
  document.addEventListener('visibilitychange', heedVisibility);
  return () => {
    document.removeEventListener('visibilitychange', heedVisibility);
    onRelease.delete(release);
    clearTimeout(gathering);
    clearTimeout(resting);
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
