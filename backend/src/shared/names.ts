import { invalid } from './errors.ts';

/** Control characters, line separators, and characters that override, embed or isolate text direction. */
const REFUSED = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;
const REFUSED_ALL = new RegExp(REFUSED, 'gu');

/** Quotes a received text, with escapes for invisible characters. */
export const quote = (value: string): string =>
  JSON.stringify(value).replace(REFUSED_ALL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Replaces refused characters in names taken from free text, which their sender cannot correct. */
export const toName = (text: string): string => text.replace(REFUSED_ALL, ' ').trim();

/**
 * Refuses names that display as something else. Unchanged fields are skipped, so that records from before this rule can
 * be read and written back.
 * @throws DomainError validation_error naming the field
 */
export function checkNames<T extends object>(
  fields: readonly (keyof T & string)[],
  after: T,
  before?: Partial<T>,
): void {
  for (const field of fields) {
    const value = after[field];
    if (typeof value !== 'string' || value === before?.[field]) continue;
    const found = REFUSED.exec(value)?.[0];
    if (found === undefined) continue;
    const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw invalid(
      `/${field}`,
      `must not contain control characters (such as line breaks and tabs) or characters that override the direction of text; received U+${code} in ${quote(value.slice(0, 60))}`,
    );
  }
}
