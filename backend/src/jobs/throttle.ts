import type { Change, PublishChange } from './jobs.ts';

const EVERY_MS = 250;

/** Events and deliveries come in thousands, so that open pages are told of many at once; of all else one by one. */
export function throttleBusy(publishChange: PublishChange): PublishChange {
  const busy = throttle(publishChange, EVERY_MS, ({ kind, id }) => (kind === 'event' ? kind : `${kind} ${id}`));
  return (accountId, change) =>
    (change.kind === 'event' || change.kind === 'delivery' ? busy : publishChange)(accountId, change);
}

/**
 * For what happens thousands of times: the first is told at once, and then at most one in each stretch of time, the latest.
 * Costs whoever calls it a look into a map.
 * @param keyOf what is told once for all of the same key
 */
export function throttle(
  publishChange: PublishChange,
  everyMs: number,
  keyOf: (change: Change) => string,
): PublishChange {
  /** told within the last stretch → what came since */
  const recent = new Map<string, Change | undefined>();

  function onChange(accountId: string, key: string, change: Change): void {
    recent.set(key, undefined);
    publishChange(accountId, change);
    setTimeout(() => {
      const next = recent.get(key);
      recent.delete(key);
      if (next) onChange(accountId, key, next);
    }, everyMs).unref();
  }

  return (accountId, change) => {
    const key = `${accountId} ${keyOf(change)}`;
    if (recent.has(key)) recent.set(key, change);
    else onChange(accountId, key, change);
  };
}
