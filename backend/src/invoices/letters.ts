/**
 * What fonts can't and needn't show: joiners, variation selectors and other invisible characters. The exceptions are
 * drawn as a box by fonts that lack them.
 */
const INVISIBLE = /^(?!\u115f|\u1160|\u180f|\u3164|\uffa0)[\p{Default_Ignorable_Code_Point}\p{White_Space}]$/u;

/** Whether a font, or one of several, has a character. */
export type HasCharacter = (codePoint: number) => boolean;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The letters of a text as a reader sees them, with their marks. */
export const graphemesOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Whether a font with these characters shows all of a text. */
export const isShown = (text: string, has: HasCharacter): boolean =>
  [...text].every((character) => INVISIBLE.test(character) || has(character.codePointAt(0) as number));

/**
 * A text as a PDF shows it: letters with their marks composed where Unicode has them as one, and no control characters
 * other than line ends.
 */
export const toShown = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .normalize('NFC');

/** The letters of a text that no font has, each once. */
export const missingLetters = (text: string, has: HasCharacter): string[] => [
  ...new Set(graphemesOf(toShown(text)).filter((letter) => !isShown(letter, has))),
];
