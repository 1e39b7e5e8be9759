import type { Announce, Change } from './jobs.ts';

const EVERY_MS = 250;

/** Events and deliveries come in thousands, so that open pages are told of many at once; of all else one by one. */
export function gatherBusy(announce: Announce): Announce {
  const busy = gather(announce, EVERY_MS, ({ kind, id }) => (kind === 'event' ? kind : `${kind} ${id}`));
  return (accountId, change) =>
    (change.kind === 'event' || change.kind === 'delivery' ? busy : announce)(accountId, change);
}

/**
 * For what happens thousands of times: the first is told at once, and then at most one in each stretch of time, the latest.
 * Costs whoever calls it a look into a map.
 * @param keyOf what is told once for all of the same key
 */
export function gather(announce: Announce, everyMs: number, keyOf: (change: Change) => string): Announce {
  /** told within the last stretch → what came since */
  const recent = new Map<string, Change | undefined>();

  function tell(accountId: string, key: string, change: Change): void {
    recent.set(key, undefined);
    announce(accountId, change);
    setTimeout(() => {
      const next = recent.get(key);
      recent.delete(key);
      if (next) tell(accountId, key, next);
    }, everyMs).unref();
  }

  return (accountId, change) => {
    const key = `${accountId} ${keyOf(change)}`;
    if (recent.has(key)) recent.set(key, change);
    else tell(accountId, key, change);
  };
}
