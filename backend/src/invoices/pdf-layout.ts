import bidiFactory from 'bidi-js';
import type { Font, Glyph } from 'fontkit';
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

const hasOf = (font: Font) => (codePoint: number) => font.hasGlyphForCodePoint(codePoint);

/** A symbol for bidi-js, which takes both halves of one outside the basic plane for Latin letters. */
const SYMBOL = '☃☃';

/** @returns the level of each UTF-16 unit, odd: from right to left, and that of the paragraph */
function levelsOf(text: string): { levels: Uint8Array; base: number } {
  const known = text.replace(/[\u{10000}-\u{10ffff}]/gu, (letter) => (/[\p{L}\p{N}]/u.test(letter) ? letter : SYMBOL));
  const { levels, paragraphs } = bidi.getEmbeddingLevels(known);
  return { levels, base: paragraphs[0]?.level ?? 0 };
}

const isOdd = (level: number): boolean => level % 2 === 1;

/** Whether pdfkit draws a text rightly by itself: from left to right, in one font. */
export const isPlain = (text: string, font: Font): boolean =>
  isShown(text, hasOf(font)) && text.split('\n').every((line) => levelsOf(line).levels.every((level) => level === 0));

/**
 * @returns a function that breaks a text into lines and places the parts of each as its direction demands (Unicode
 * Standard Annex #9)
 */
export function createLayout() {
  const scriptOf = createScripts();
  return function layOut(text: string, fonts: readonly Font[], size: number, width: number): Line[] {
    return text.split('\n').flatMap((paragraph) => {
      const { levels, base } = levelsOf(paragraph);
      const letters = withFonts(paragraph, fonts).map((found) => ({
        ...found,
        level: levels[found.start] as number,
        script: scriptOf(found.font, found.text),
      }));
      // in the size 1
      const breaks = breakLines(paragraph, letters, width / size, (part) => sumOf(toPieces(part)));
      return breaks.map((line): Line => {
        const pieces = toPieces(line).map((piece) => ({ ...piece, width: piece.width * size }));
        return { pieces: place(pieces), width: sumOf(pieces), isRightToLeft: isOdd(base) };
      });
    });
  };
}

const sumOf = (pieces: readonly { width: number }[]): number => pieces.reduce((sum, { width }) => sum + width, 0);

interface FoundLetter {
  text: string;
  start: number;
  font: Font;
}

interface Script {
  name: string;
  isRightToLeft: boolean;
}

/** As much of a letter as is in one font. */
interface Letter extends FoundLetter {
  level: number;
  /** undefined for what belongs to no script, such as digits and spaces */
  script: Script | undefined;
}

/** Cursive words, whose letters join only in one font, or other text. */
const CURSIVE_OR_NOT = /([\p{Script_Extensions=Arabic}\u200c\u200d]+)|[^\p{Script_Extensions=Arabic}\u200c\u200d]+/gu;

/** The letters of a text with the first font that has all of the word, or else of the letter, or else of the character. */
function withFonts(text: string, fonts: readonly Font[]): FoundLetter[] {
  const find = (part: string) => fonts.find((font) => isShown(part, hasOf(font)));
  const letters: FoundLetter[] = [];
  let start = 0;
  const add = (part: string, font = fonts[0] as Font) => {
    letters.push({ text: part, start, font });
    start += part.length;
  };
  for (const [found, cursive] of text.matchAll(CURSIVE_OR_NOT)) {
    const ofWord = cursive && find(cursive);
    for (const letter of graphemesOf(found)) {
      const font = ofWord || find(letter);
      if (font) add(letter, font);
      else for (const part of letter) add(part, find(part));
    }
  }
  return letters;
}

/** fontkit shapes a text by the rules of its first letter's script, and reverses some. */
function createScripts() {
  const scripts = new Map<string, Script | undefined>();
  return function scriptOf(font: Font, letter: string): Script | undefined {
    if (!scripts.has(letter)) {
      const { script, direction } = font.layout(letter);
      const name = String(script);
      scripts.set(letter, name === 'zzzz' ? undefined : { name, isRightToLeft: direction === 'rtl' });
    }
    return scripts.get(letter);
  };
}

/** Letters that belong on one line. */
interface Word {
  start: number;
  end: number;
  width: number;
  /** without the spaces at its end */
  trimmedWidth: number;
}

type WidthOf = (letters: readonly Letter[]) => number;

/** Fills lines of a width with as many letters as fit, and leaves out the spaces at their ends. */
function breakLines(text: string, letters: readonly Letter[], width: number, widthOf: WidthOf): Letter[][] {
  const lines: Letter[][] = [];
  let start = 0;
  let used = 0;
  for (const word of toWords(text, letters, width, widthOf)) {
    if (word.start > start && used + word.trimmedWidth > width) {
      lines.push(trimmed(letters.slice(start, word.start)));
      start = word.start;
      used = 0;
    }
    used += word.width;
  }
  return [...lines, trimmed(letters.slice(start))];
}

const trimmed = (letters: Letter[]): Letter[] =>
  letters.slice(0, letters.findLastIndex(({ text }) => text.trim() !== '') + 1);

/** Words with the spaces after them (Unicode Standard Annex #14), and letters of words that are longer than a line. */
function toWords(text: string, letters: readonly Letter[], width: number, widthOf: WidthOf): Word[] {
  const words: Word[] = [];
  const breaker = new LineBreaker(text);
  let start = 0;
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) {
    const { position } = next;
    let end = start;
    while (end < letters.length && (letters[end] as Letter).start < position) end += 1;
    const word = toWord(letters, start, end, widthOf);
    if (word.trimmedWidth <= width) words.push(word);
    else for (let at = start; at < end; at++) words.push(toWord(letters, at, at + 1, widthOf));
    start = end;
  }
  return words;
}

function toWord(letters: readonly Letter[], start: number, end: number, widthOf: WidthOf): Word {
  const word = letters.slice(start, end);
  const withoutSpaces = trimmed(word);
  const trimmedWidth = widthOf(withoutSpaces);
  return { start, end, trimmedWidth, width: trimmedWidth + widthOf(word.slice(withoutSpaces.length)) };
}

interface Measured extends Omit<Piece, 'left'> {
  level: number;
  /** in the size 1 */
  width: number;
}

/** Combines letters into pieces, in the order in which they are read. */
function toPieces(letters: readonly Letter[]): Measured[] {
  return toRuns(letters).map(({ font, text, level, script }) => {
    const drawn = toDrawn(text, level, script);
    const { advanceWidth, glyphs } = font.layout(drawn);
    // what runs from right to left, programs that read PDFs put into order by themselves
    const isRearranged = !isOdd(level) && lettersOf(glyphs) !== text;
    return { font, text, drawn, level, width: advanceWidth / font.unitsPerEm, isRearranged };
  });
}

/** What glyphs say that they are, from left to right. */
const lettersOf = (glyphs: readonly Glyph[]): string =>
  glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)).join('');

type Run = Omit<Letter, 'start'>;

function toRuns(letters: readonly Letter[]): Run[] {
  const runs: Run[] = [];
  for (const { font, text, level, script } of letters) {
    const last = runs.at(-1);
    const isSameScript = !last?.script || !script || last.script.name === script.name;
    if (last && last.font === font && last.level === level && isSameScript) {
      last.text += text;
      last.script ??= script;
    } else runs.push({ font, text, level, script });
  }
  return runs;
}

/**
 * fontkit reverses Hebrew, Arabic and others by itself, but not brackets between them, and also Persian digits, which
 * are read from left to right. It doesn't mirror brackets.
 */
function toDrawn(text: string, level: number, script: Script | undefined): string {
  const mirrored = isOdd(level)
    ? Array.from(text, (letter) => bidi.getMirroredCharacter(letter) ?? letter).join('')
    : text;
  const isReversedByFont = script?.isRightToLeft ?? false;
  return isOdd(level) === isReversedByFont ? mirrored : graphemesOf(mirrored).reverse().join('');
}

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
