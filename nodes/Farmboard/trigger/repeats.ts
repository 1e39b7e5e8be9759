import { dropOldest } from '../shared/bounded';

const MOST_PER_TRIGGER = 500;
const MOST_TRIGGERS = 500;

/**
 * The last events of each trigger, to know a repetition. In memory: n8n writes a trigger's static data back as a whole
 * after a request, so that two events at once would lose one another's marks there — and could bring back a secret that
 * a publish has just replaced. After a restart of n8n the age of an event still bounds what could be repeated.
 */
const seen = new Map<string, Set<string>>();

/** Notes an event. @returns false when it was noted before */
export function isFirst(trigger: string, signature: string): boolean {
  const events = seen.get(trigger) ?? new Set<string>();
  if (events.has(signature)) return false;
  events.add(signature);
  dropOldest(events, MOST_PER_TRIGGER);
  // the trigger that had an event last is the last to be forgotten
  seen.delete(trigger);
  seen.set(trigger, events);
  dropOldest(seen, MOST_TRIGGERS);
  return true;
}
