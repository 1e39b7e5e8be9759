import type { INodePropertyOptions } from 'n8n-workflow';
import type { Resource } from './operation';
import { EVENTS } from './vocabulary';

/** An expression that looks a name up. It must not hold two closing braces in a row, which would end it. */
const lookUp = (names: Record<string, string>, key: string): string => `(${JSON.stringify(names)})[${key}]`;

/** Below the action node: what it does, as in the list of actions. */
export function toSubtitle(resources: Record<string, Resource>): string {
  const names: Record<string, string> = {};
  for (const [resource, { operation }] of Object.entries(resources)) {
    for (const { value, action } of operation.options as INodePropertyOptions[]) {
      names[`${resource}.${String(value)}`] = String(action);
    }
  }
  return `={{ ${lookUp(names, '$parameter["resource"] + "." + $parameter["operation"]')} }}`;
}

/** Below the trigger: its events by name. */
export function toEventSubtitle(): string {
  const names = Object.fromEntries([['*', 'All Events'], ...EVENTS.map(({ name, value }) => [String(value), name])]);
  return `={{ [$parameter["events"]].flat().map((event) => ${lookUp(names, 'event')} || event).join(", ") }}`;
}
