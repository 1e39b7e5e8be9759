import { DomainError } from '../shared/errors.ts';
import type { ToFreeze } from './document.ts';
import { type HasCharacter, isShown, missingLetters } from './letters.ts';

/** Of each text, the message names as many letters as this. */
const MAX_NAMED = 10;

type Texts = Pick<ToFreeze, 'seller' | 'customerName' | 'customerDetails' | 'lines' | 'note'>;

/** Every text of a document, by its pointer. */
function textsOf({ seller, customerName, customerDetails, lines, note }: Texts): [pointer: string, text: string][] {
  const { default_currency: _, ...shownOfSeller } = seller;
  return [
    ...Object.entries(shownOfSeller).map(([name, text]): [string, string] => [`/seller/${name}`, text]),
    ['/customer_name', customerName],
    ['/customer_details', customerDetails],
    ...lines.map(({ description }, index): [string, string] => [`/lines/${index}/description`, description]),
    ['/note', note],
  ];
}

/**
 * @param characters those that the fonts have
 * @throws DomainError validation_error with the letters that the PDF couldn't show
 */
export function checkLetters(texts: Texts, characters: ReadonlySet<number>): void {
  const has: HasCharacter = (codePoint) => characters.has(codePoint);
  const missing = textsOf(texts).flatMap(([pointer, text]) => {
    const letters = missingLetters(text, has);
    return letters.length === 0 ? [] : [{ pointer, letters }];
  });
  if (missing.length === 0) return;
  throw new DomainError('validation_error', "The fonts of invoices don't have all letters of this invoice.", {
    faults: missing.map(({ pointer, letters }) => ({
      pointer,
      detail: `The PDF can't show ${named(letters, has)}. Write it with other letters, or set INVOICE_FONT_FILES to a font that has them.`,
    })),
    facts: { missing_letters: missing },
  });
}

function named(letters: readonly string[], has: HasCharacter): string {
  const shown = letters.slice(0, MAX_NAMED).map((letter) => nameOf(letter, has));
  const more = letters.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** A letter with the code points that no font has; without the letter if it is nothing that can be read. */
function nameOf(letter: string, has: HasCharacter): string {
  const codes = [...letter]
    .filter((character) => !isShown(character, has))
    .map((character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`)
    .join(' ');
  return /^\p{C}+$/u.test(letter) ? codes : `${letter} (${codes})`;
}
