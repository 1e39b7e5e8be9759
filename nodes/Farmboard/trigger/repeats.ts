import { dropOldest } from '../shared/bounded';

const MAX_PER_TRIGGER = 500;
const MAX_TRIGGERS = 500;

/**
 * The last deliveries to each trigger, to recognise a repeated one. They are kept in memory: n8n writes a trigger's static
 * data back as a whole after a request, so that two requests at once would overwrite each other's entries there, and could
 * bring back a secret that a publish has just replaced. After a restart of n8n the maximum age still limits repetition.
 */
const seenDeliveries = new Map<string, Set<string>>();

/** Notes a delivery. @returns false when it was noted before */
export function isFirst(trigger: string, delivery: string): boolean {
  const deliveries = seenDeliveries.get(trigger) ?? new Set<string>();
  if (deliveries.has(delivery)) return false;
  deliveries.add(delivery);
  dropOldest(deliveries, MAX_PER_TRIGGER);
  // the trigger that had an event last is the last to be forgotten
  seenDeliveries.delete(trigger);
  seenDeliveries.set(trigger, deliveries);
  dropOldest(seenDeliveries, MAX_TRIGGERS);
  return true;
}
