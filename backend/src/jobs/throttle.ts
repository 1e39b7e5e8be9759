import type { Change, PublishChange } from '../shared/change.ts';

const INTERVAL_MS = 250;

/** Throttles events and deliveries, which occur in thousands; other changes are published individually. */
export function throttleBusy(publishChange: PublishChange): PublishChange {
  const busy = throttle(publishChange, INTERVAL_MS, ({ kind, id }) => (kind === 'event' ? kind : `${kind} ${id}`));
  return (accountId, change) =>
    (change.kind === 'event' || change.kind === 'delivery' ? busy : publishChange)(accountId, change);
}

/**
 * Publishes the first change of a key immediately, then at most the latest one per interval. Costs the caller one map
 * lookup.
 * @param keyOf groups changes that are throttled together
 */
export function throttle(
  publishChange: PublishChange,
  intervalMs: number,
  keyOf: (change: Change) => string,
): PublishChange {
  /** keys published within the last interval → the latest change since */
  const recent = new Map<string, Change | undefined>();

  function onChange(accountId: string, key: string, change: Change): void {
    recent.set(key, undefined);
    publishChange(accountId, change);
    setTimeout(() => {
      const next = recent.get(key);
      recent.delete(key);
      if (next) onChange(accountId, key, next);
    }, intervalMs).unref();
  }

  return (accountId, change) => {
    const key = `${accountId} ${keyOf(change)}`;
    if (recent.has(key)) recent.set(key, change);
    else onChange(accountId, key, change);
  };
}
