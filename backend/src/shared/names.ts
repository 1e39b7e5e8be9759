import { invalid } from './errors.ts';

/** Control characters, line separators, and what overrides or isolates the direction of text (embeddings among it). */
const REFUSED = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;
const REFUSED_ALL = new RegExp(REFUSED, 'gu');

/** A received text in quotes, with escapes for what cannot be seen. */
export const quote = (value: string): string =>
  JSON.stringify(value).replace(REFUSED_ALL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** For names taken from free text, which nobody could correct there. */
export const toName = (text: string): string => text.replace(REFUSED_ALL, ' ').trim();

/**
 * Refuses names that show as something else than they are. Only those that change are looked at, so that a record from
 * before this rule can be read and written back.
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
