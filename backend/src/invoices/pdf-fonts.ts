import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { create, type Font, type GlyphRun } from 'fontkit';
import { readFileAtMost } from '../../../common/src/read-file.ts';

/** The weights of the built-in font. Not Helvetica, which PDF readers include but which has no Cyrillic letters. */
const BUILT_IN = { text: 'DejaVuSans.ttf', strong: 'DejaVuSans-Bold.ttf' } as const;

/** Twice what the largest collections of Chinese, Japanese and Korean letters have. It is read for every document. */
const MAX_FONT_BYTES = 64 * 1024 * 1024;

export type Weight = keyof typeof BUILT_IN;

function builtInFile(weight: Weight): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf', BUILT_IN[weight]);
}

/** Opens a font file; of a collection (`.ttc`), its first font. @throws Error if it isn't one */
function openFont(path: string): Font {
  const bytes = readFileAtMost(path, MAX_FONT_BYTES);
  // fontkit reads it, but can't copy letters that are composed of others
  if (bytes.toString('latin1', 0, 4) === 'wOF2') throw new Error('it is compressed as WOFF2');
  const opened = create(bytes);
  const font = 'fonts' in opened ? opened.fonts[0] : opened;
  if (!font) throw new Error('the collection is empty');
  return font;
}

/** A font that shapes each text once. pdfkit asks for one up to three times, and scales the positions that it gets. */
function withMemory(font: Font): Font {
  const runs = new Map<string, GlyphRun>();
  function layout(text: string): GlyphRun {
    const run = runs.get(text) ?? font.layout(text);
    runs.set(text, run);
    const positions = run.positions.map((position) => ({ ...position }));
    return Object.assign(Object.create(Object.getPrototypeOf(run)), run, { positions });
  }
  return Object.assign(Object.create(font), { layout });
}

/** The fonts of each weight, in the order in which a letter is looked up. Extra fonts have one weight. */
export function openFonts(extraFiles: readonly string[]): Record<Weight, Font[]> {
  const open = (path: string) => withMemory(openFont(path));
  const text = open(builtInFile('text'));
  const extra = extraFiles.map(open);
  return { text: [text, ...extra], strong: [open(builtInFile('strong')), text, ...extra] };
}

/** @throws Error if a PDF can't contain letters of a font file, such as one with pictures instead of outlines */
export function checkFont(path: string): void {
  const font = openFont(path);
  const subset = font.createSubset();
  for (const codePoint of font.characterSet.slice(0, 10)) subset.includeGlyph(font.glyphForCodePoint(codePoint));
  subset.encode();
}

/** The characters that at least one font has. */
export function charactersOf(fonts: readonly Font[]): ReadonlySet<number> {
  const characters = new Set<number>();
  for (const font of fonts) {
    for (const codePoint of font.characterSet) if (font.hasGlyphForCodePoint(codePoint)) characters.add(codePoint);
  }
  return characters;
}
