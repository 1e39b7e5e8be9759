import bidiFactory from 'bidi-js';
import type { Font } from 'fontkit';
import LineBreaker from 'linebreak';
import { graphemesOf, isShown } from './letters.ts';

// its types describe its ES module, while Node.js loads the other one
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();

/** A part of a line in one font, script and direction. */
export interface Piece {
  font: Font;
  text: string;
  /** what to give to the font, which draws it from left to right */
  drawn: string;
  /** its letters can't be told from those that are drawn, as in Devanagari */
  isRearranged: boolean;
  /** from the left end of the line */
  left: number;
}

export interface Line {
  /** in the order in which they are read, so that programs read the text of the PDF in this order */
  pieces: Piece[];
  width: number;
  isRightToLeft: boolean;
}

const has = (font: Font) => (codePoint: number) => font.hasGlyphForCodePoint(codePoint);

interface Paragraph {
  text: string;
  /** of each UTF-16 unit; odd: from right to left */
  levels: Uint8Array;
  isRightToLeft: boolean;
}

/** A symbol for bidi-js, which takes both halves of one outside the basic plane for Latin letters. */
const SYMBOL = '☃☃';

function toParagraph(text: string): Paragraph {
  const known = text.replace(/[\u{10000}-\u{10ffff}]/gu, (letter) => (/[\p{L}\p{N}]/u.test(letter) ? letter : SYMBOL));
  const { levels, paragraphs } = bidi.getEmbeddingLevels(known);
  return { text, levels, isRightToLeft: ((paragraphs[0]?.level ?? 0) & 1) === 1 };
}

/** Whether pdfkit draws a text rightly by itself: from left to right, in one font. */
export const isPlain = (text: string, font: Font): boolean =>
  isShown(text, has(font)) && text.split('\n').every((line) => toParagraph(line).levels.every((level) => level === 0));

/** Breaks a text into lines and places the parts of each as its direction demands (Unicode Standard Annex #9). */
export function layOut(text: string, fonts: readonly Font[], size: number, width: number): Line[] {
  const split = createSplitter(fonts, size);
  return text.split('\n').flatMap((line) => {
    const paragraph = toParagraph(line);
    const widthOf = (start: number, end: number) => sumOf(split(paragraph, start, end));
    return breakLines(line, width, widthOf).map(([start, end]): Line => {
      const pieces = split(paragraph, start, end);
      return { pieces: place(pieces), width: sumOf(pieces), isRightToLeft: paragraph.isRightToLeft };
    });
  });
}

const sumOf = (pieces: readonly { width: number }[]): number => pieces.reduce((sum, { width }) => sum + width, 0);

type Range = [start: number, end: number];
type WidthOf = (start: number, end: number) => number;

const trimmedEnd = (text: string, start: number, end: number): number =>
  start + text.slice(start, end).trimEnd().length;

/** Fills lines of a width with as much of a text as fits. Their ranges leave out the spaces at their ends. */
function breakLines(text: string, width: number, widthOf: WidthOf): Range[] {
  const lines: Range[] = [];
  let start = 0;
  let used = 0;
  for (const [from, to] of unbreakableParts(text, width, widthOf)) {
    if (from > start && used + widthOf(from, trimmedEnd(text, from, to)) > width) {
      lines.push([start, trimmedEnd(text, start, from)]);
      start = from;
      used = 0;
    }
    used += widthOf(from, to);
  }
  return [...lines, [start, trimmedEnd(text, start, text.length)]];
}

/** Words with the spaces after them (Unicode Standard Annex #14), and letters of words that are longer than a line. */
function unbreakableParts(text: string, width: number, widthOf: WidthOf): Range[] {
  const parts: Range[] = [];
  const breaker = new LineBreaker(text);
  let start = 0;
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) {
    const isTooLong = widthOf(start, trimmedEnd(text, start, next.position)) > width;
    const word = text.slice(start, next.position);
    for (const part of isTooLong ? graphemesOf(word) : [word]) {
      parts.push([start, start + part.length]);
      start += part.length;
    }
  }
  return parts;
}

interface Measured extends Omit<Piece, 'left'> {
  level: number;
  width: number;
}

/** @returns a function that splits a part of a paragraph into pieces, in the order in which they are read */
function createSplitter(fonts: readonly Font[], size: number) {
  const known = new Map<Font, Map<string, ReturnType<typeof measure>>>(fonts.map((font) => [font, new Map()]));
  const scriptOf = createScripts();

  function toPiece({ font, text, level }: Run): Measured {
    const drawn = level % 2 === 1 ? toRightToLeft(font, text) : toLeftToRight(font, text);
    const measured = known.get(font)?.get(drawn) ?? measure(font, drawn);
    known.get(font)?.set(drawn, measured);
    // what runs from right to left, programs that read PDFs put into order by themselves
    const isRearranged = level % 2 === 0 && measured.letters !== text;
    return { font, text, drawn, level, width: measured.width * size, isRearranged };
  }

  return ({ text, levels }: Paragraph, start: number, end: number): Measured[] => {
    const runs: Run[] = [];
    let at = start;
    for (const { font, part } of withFonts(text.slice(start, end), fonts)) {
      const next = { font, text: part, level: levels[at] as number, script: scriptOf(font, part) };
      const last = runs.at(-1);
      if (last && continues(last, next)) {
        last.text += part;
        last.script ??= next.script;
      } else runs.push(next);
      at += part.length;
    }
    return runs.map(toPiece);
  };
}

interface Run {
  font: Font;
  text: string;
  level: number;
  /** undefined for what belongs to no script, such as digits */
  script: string | undefined;
}

const continues = (last: Run, next: Run): boolean =>
  last.font === next.font && last.level === next.level && (!last.script || !next.script || last.script === next.script);

/** @returns the width in the size 1, and what the glyphs say that they are, from left to right */
function measure(font: Font, drawn: string): { width: number; letters: string } {
  const { advanceWidth, glyphs } = font.layout(drawn);
  const letters = glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)).join('');
  return { width: advanceWidth / font.unitsPerEm, letters };
}

/** Cursive words, whose letters join only in one font, or other text. */
const CURSIVE_OR_NOT = /([\p{Script_Extensions=Arabic}\u200c\u200d]+)|[^\p{Script_Extensions=Arabic}\u200c\u200d]+/gu;

interface PartWithFont {
  font: Font;
  part: string;
}

/** The letters of a text with the first font that has all of the word, or else of the letter, or else of the character. */
function withFonts(text: string, fonts: readonly Font[]): PartWithFont[] {
  const find = (part: string) => fonts.find((font) => isShown(part, has(font)));
  return [...text.matchAll(CURSIVE_OR_NOT)].flatMap(([found, cursive]) => {
    const ofWord = cursive && find(cursive);
    return graphemesOf(found).flatMap((letter): PartWithFont[] => {
      const font = ofWord ?? find(letter);
      if (font) return [{ font, part: letter }];
      return [...letter].map((part) => ({ font: find(part) ?? (fonts[0] as Font), part }));
    });
  });
}

/** fontkit shapes a text by the rules of its first letter's script. */
function createScripts() {
  const scripts = new Map<string, string | undefined>();
  /** @returns undefined for what belongs to no script, such as digits and spaces */
  return function scriptOf(font: Font, letter: string): string | undefined {
    if (!scripts.has(letter)) {
      const script = String(font.layout(letter).script);
      scripts.set(letter, script === 'zzzz' ? undefined : script);
    }
    return scripts.get(letter);
  };
}

const isReversedBy = (font: Font, text: string): boolean => font.layout(text).direction === 'rtl';
const reversed = (text: string): string => graphemesOf(text).reverse().join('');

/** fontkit reverses the letters of Hebrew, Arabic and others by itself, but neither mirrors nor reverses brackets. */
function toRightToLeft(font: Font, text: string): string {
  const mirrored = Array.from(text, (letter) => bidi.getMirroredCharacter(letter) ?? letter).join('');
  return isReversedBy(font, mirrored) ? mirrored : reversed(mirrored);
}

/** Persian digits are an example of what fontkit reverses although they are read from left to right. */
const toLeftToRight = (font: Font, text: string): string => (isReversedBy(font, text) ? reversed(text) : text);

/** Rule L2: from the highest level down, what is on a level or above is reversed. */
function place(pieces: readonly Measured[]): Piece[] {
  const visual = [...pieces.keys()];
  const levelAt = (index: number) => pieces[visual[index] ?? -1]?.level ?? 0;
  for (let level = Math.max(0, ...pieces.map((piece) => piece.level)); level > 0; level--) {
    let start = 0;
    for (let end = 0; end <= visual.length; end++) {
      if (levelAt(end) >= level) continue;
      visual.splice(start, end - start, ...visual.slice(start, end).reverse());
      start = end + 1;
    }
  }
  const placed: Piece[] = [];
  let left = 0;
  for (const index of visual) {
    const { font, text, drawn, isRearranged, width } = pieces[index] as Measured;
    placed[index] = { font, text, drawn, isRearranged, left };
    left += width;
  }
  return placed;
}
