import { invalid } from './errors.ts';

/** Control characters, line separators, tags, and characters that override, embed or isolate text direction. */
const REFUSED = /[\p{Cc}\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const REFUSED_ALL = new RegExp(REFUSED, 'gu');

/**
 * Spaces, and characters that show nothing by themselves: joiners, fillers, variation selectors, marks on other letters.
 * The single ones are drawn blank, although Unicode calls them letters or symbols.
 */
const INVISIBLE = /^[\p{Z}\p{Cc}\p{Cf}\p{Mn}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1d159}]+$/u;

const toCode = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;

/** Quotes a received text, with escapes for characters that names may not contain. */
export const quote = (value: string): string =>
  JSON.stringify(value).replace(REFUSED_ALL, (sign) =>
    sign.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

/** Whether a text shows anything. */
export const isVisible = (text: string): boolean => text !== '' && !INVISIBLE.test(text);

/** The first of these free texts that shows anything, without refused characters, which its sender cannot correct. */
export const toName = (...texts: string[]): string =>
  texts.map((text) => text.replace(REFUSED_ALL, ' ').trim()).find(isVisible) ?? '';

/**
 * Refuses names that display as something else or as nothing; whether a name may be blank is up to its schema.
 * Unchanged fields are skipped, so that records from before this rule can be read and written back.
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
    if (found !== undefined) {
      throw invalid(
        `/${field}`,
        `must not contain control characters (such as line breaks and tabs), tags or characters that override the direction of text; received ${toCode(found)} in ${quote(value.slice(0, 60))}`,
      );
    }
    if (value.trim() !== '' && !isVisible(value)) {
      const codes = [...new Set(value)].slice(0, 5).map(toCode).join(', ');
      throw invalid(`/${field}`, `must have a visible character; received nothing but ${codes}`);
    }
  }
}
