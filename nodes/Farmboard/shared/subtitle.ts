import { EVENTS } from './vocabulary';

/** Below the trigger: its events by name. A table in an expression must not end in two closing braces in a row. */
export function toEventSubtitle(): string {
  const names = Object.fromEntries([['*', 'All Events'], ...EVENTS.map(({ name, value }) => [String(value), name])]);
  return `={{ [$parameter["events"]].flat().map((event) => (${JSON.stringify(names)})[event] || event).join(", ") }}`;
}
