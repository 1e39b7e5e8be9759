import { EVENTS } from './vocabulary';

/** Subtitle of the trigger: its events by name. An expression must not contain two closing braces in a row. */
export function toEventSubtitle(): string {
  const names = Object.fromEntries([['*', 'All Events'], ...EVENTS.map(({ name, value }) => [String(value), name])]);
  return `={{ [$parameter["events"]].flat().map((event) => (${JSON.stringify(names)})[event] || event).join(", ") }}`;
}
