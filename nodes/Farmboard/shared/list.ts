import { STATUS_NAMES, toStatus } from './vocabulary';

export type Fault = (field: string, what: string, remedy: string) => Error;

/**
 * The members of a field with several values. An expression may return a list, comma-separated text, a list as JSON text
 * or a single value. Members that aren't text become JSON, so that whoever checks them can quote them.
 */
export function toList(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const members = toMembers(value).map((member) => member.trim());
  return [...new Set(members)].filter((member) => member !== '');
}

function toMembers(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(toMembers);
  if (typeof value === 'string') return readText(value);
  return [toJson(value)];
}

function readText(text: string): string[] {
  if (/^\s*["[]/.test(text)) {
    try {
      return toMembers(JSON.parse(text));
    } catch {
      // its parts are quoted in an error then
    }
  }
  return text.split(/[,\n]/);
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/**
 * The members of a filter with several values; none if it isn't set, or set to an empty list.
 * @throws an error if an expression gives no value, which would select everything without a word
 */
export function readFilter(fault: Fault, field: string, filters: Record<string, unknown>, name: string): string[] {
  if (!(name in filters)) return [];
  const value = filters[name];
  if (value !== undefined && value !== null) return toList(value);
  throw fault(field, 'it is empty', 'If the value comes from an expression, check what it returns.');
}

/** A filter by workflow statuses, as values or names. @throws an error that lists the known ones for an unknown one */
export function readStatuses(fault: Fault, field: string, filters: Record<string, unknown>, name: string): string[] {
  const statuses = readFilter(fault, field, filters, name).map(toStatus);
  const unknown = statuses.find((status) => !STATUS_NAMES.has(status));
  if (unknown === undefined) return [...new Set(statuses)];
  const remedy = `Use one of: ${[...STATUS_NAMES.keys()].join(', ')}.`;
  throw fault(field, `${JSON.stringify(unknown)} is not a workflow status`, remedy);
}
