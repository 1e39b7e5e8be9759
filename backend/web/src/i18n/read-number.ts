/** What separates the whole part of a number from its decimals. */
export type Mark = '.' | ',';

const SPACES = '[ \u00A0\u2009\u202F]';
const APOSTROPHES = "['’]";

/** Groups of three digits, all separated by the same character. */
const grouped = (separator: string) => `[1-9]\\d{0,2}(?:${separator}\\d{3})+`;

/** `1234`, `1 234`, `1'234`, and groups separated by what isn't the decimal mark. */
const wholePart = (other: Mark) => `(?:\\d+|${grouped(SPACES)}|${grouped(APOSTROPHES)}|${grouped(`[${other}]`)})`;

const withMark = (mark: Mark) =>
  new RegExp(`^[-\u2212]?(?:${wholePart(mark === '.' ? ',' : '.')}(?:[${mark}]\\d+)?|[${mark}]\\d+)$`);

const PATTERNS: Record<Mark, RegExp> = { '.': withMark('.'), ',': withMark(',') };

const readWith = (text: string, mark: Mark): number | undefined =>
  PATTERNS[mark].test(text)
    ? Number(
        text
          .replace('\u2212', '-')
          .replaceAll(mark === '.' ? ',' : '.', '')
          .replace(/[^\d.,-]/g, '')
          .replace(mark, '.'),
      )
    : undefined;

/** A number as people write it, with both readings: they differ for `1,234`, which is 1234 or 1.234. */
function readingsOf(text: string): Record<Mark, number | undefined> {
  const trimmed = text.trim();
  return { '.': readWith(trimmed, '.'), ',': readWith(trimmed, ',') };
}

/** A number that can be read in two ways. */
export const UNCLEAR = 'unclear';

/**
 * Reads `1234.5`, `1,234.5`, `1.234,5`, `1 234,5` and `1'234.5`. Groups have three digits.
 * @param mark the decimal mark, which decides what `1,234` means
 * @returns undefined if it isn't a number
 */
export function readNumber(text: string, mark?: Mark): number | typeof UNCLEAR | undefined {
  const { '.': withDot, ',': withComma } = readingsOf(text);
  if (withDot === undefined || withComma === undefined) return withDot ?? withComma;
  if (withDot === withComma) return withDot;
  return mark ? readingsOf(text)[mark] : UNCLEAR;
}

/** The decimal mark that a number proves: `22,90` and `1.234.567` do, `1,234` and `12` don't. */
export function provenMark(text: string): Mark | undefined {
  const { '.': withDot, ',': withComma } = readingsOf(text);
  if ((withDot === undefined) === (withComma === undefined)) return undefined;
  return withDot === undefined ? ',' : '.';
}

/**
 * The number without groups. `1.234` gets a fourth decimal, so that nobody takes its mark for one between thousands.
 * @param text a number with a decimal point
 */
export function writeNumber(text: string, mark: Mark): string {
  const written = text.replace('.', mark);
  return readNumber(written) === UNCLEAR ? `${written}0` : written;
}
