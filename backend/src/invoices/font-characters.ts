import { SettingError } from '../shared/setting-error.ts';

/** @returns a function that resolves with the characters that PDFs can show; it reads the fonts when first called */
export function createFontCharacters(fontFiles: readonly string[]) {
  let characters: Promise<ReadonlySet<number>> | undefined;
  return function findCharacters(): Promise<ReadonlySet<number>> {
    characters ??= readCharacters(fontFiles);
    return characters;
  };
}

/** @throws SettingError if one of the files is not a font that a PDF can contain */
async function readCharacters(fontFiles: readonly string[]): Promise<ReadonlySet<number>> {
  // loaded on demand: it takes as long as a tenth of the start
  const { charactersOf, checkFont, openFonts } = await import('./pdf-fonts.ts');
  for (const path of fontFiles) {
    try {
      checkFont(path);
    } catch (error) {
      const reason = (error as Error).message;
      throw new SettingError(
        'INVOICE_FONT_FILES',
        `${JSON.stringify(path)} is not a font that a PDF can contain, such as .ttf, .otf or .ttc (${reason})`,
      );
    }
  }
  return charactersOf(openFonts(fontFiles).text);
}
