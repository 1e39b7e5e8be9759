import { dropOldest } from '../shared/bounded';

const MAX_PER_TRIGGER = 500;
const MAX_TRIGGERS = 500;

/**
 * Recent deliveries of each trigger, to detect repeats. Kept in memory: n8n writes static data back as a whole after a
 * request, so concurrent requests would overwrite each other's entries and could restore a secret that a publish has
 * just replaced. n8n's stored deduplication (`checkProcessedAndRecord`) is offered to `execute` only. After a restart of
 * n8n, and between its processes, the maximum age still limits repeats.
 */
const seenDeliveries = new Map<string, Set<string>>();

/** Records a delivery. @returns false if it was recorded before */
export function isFirst(trigger: string, delivery: string): boolean {
  const deliveries = seenDeliveries.get(trigger) ?? new Set<string>();
  if (deliveries.has(delivery)) return false;
  deliveries.add(delivery);
  dropOldest(deliveries, MAX_PER_TRIGGER);
  // least recently used triggers are forgotten first
  seenDeliveries.delete(trigger);
  seenDeliveries.set(trigger, deliveries);
  dropOldest(seenDeliveries, MAX_TRIGGERS);
  return true;
}
