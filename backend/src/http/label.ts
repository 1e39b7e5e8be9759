import { create, toBuffer } from 'qrcode';
import { z } from 'zod';
import { lookupTable } from '../../../common/src/lookup-table.ts';
import type { Reply } from './route.ts';

export const LabelQuery = z.strictObject({ format: z.enum(['svg', 'png']).default('svg') });

type Format = z.output<typeof LabelQuery>['format'];

/** For routes that answer with a label. */
export const LABEL_RESPONSE = {
  description: 'The label: black on white, with its quiet zone. A PNG has the code only, without the text',
  types: ['image/svg+xml', 'image/png'],
  headers: { 'Content-Disposition': 'attachment, with a file name', 'X-Content-Type-Options': '`nosniff`' },
};

/** As the console's labels have it. */
const LEVEL = 'M';
/** Quiet zone around the modules, in modules. */
const QUIET = 4;
/** Of a module of an SVG, whole dots at 203 dpi; its unit is a module. */
const MODULE_MM = 0.75;
/** Of a module of a PNG. */
const PIXELS = 8;
const TEXT_SIZE = 2.2;
/** The code's text is shrunk to the width of the label. */
const CODE_SIZE = 1.4;
const LINE_HEIGHT = 1.3;
const MAX_CHARACTERS = 28;

const ENTITIES = lookupTable<string>({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });

/** Without line breaks, and without what XML can't contain. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\uFFFE\uFFFF]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES.get(character) as string);

function shorten(text: string): string {
  const graphemes = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  return graphemes.length > MAX_CHARACTERS ? `${graphemes.slice(0, MAX_CHARACTERS - 1).join('')}…` : text;
}

/** The dark modules as one path: a run of them is a rectangle. */
function pathOf(code: string): { size: number; path: string } {
  const { size, data } = create(code, { errorCorrectionLevel: LEVEL }).modules;
  let path = '';
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const from = x;
      while (x < size && data[y * size + x]) x++;
      if (x > from) path += `M${from + QUIET} ${y + QUIET}h${x - from}v1h-${x - from}z`;
    }
  }
  return { size, path };
}

function toSvg(code: string, lines: string[]): string {
  const { size, path } = pathOf(code);
  const width = size + 2 * QUIET;
  const shown = lines.map(clean).filter((line) => line !== '');
  const textAt = (index: number) => width + LINE_HEIGHT * TEXT_SIZE * index;
  const height = textAt(shown.length) + LINE_HEIGHT * CODE_SIZE;
  const texts = shown.map(
    (line, index) =>
      `<text x="${QUIET}" y="${textAt(index).toFixed(2)}" font-size="${TEXT_SIZE}">${escapeXml(shorten(line))}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * MODULE_MM}mm" height="${(height * MODULE_MM).toFixed(2)}mm"`,
    ` viewBox="0 0 ${width} ${height.toFixed(2)}" font-family="Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif">`,
    `<title>${escapeXml(code)}</title>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<path d="${path}" shape-rendering="crispEdges"/>`,
    ...texts,
    `<text x="${QUIET}" y="${textAt(shown.length).toFixed(2)}" font-size="${CODE_SIZE}" textLength="${size}"`,
    ` lengthAdjust="spacingAndGlyphs">${escapeXml(code)}</text></svg>`,
  ].join('');
}

/** @param code what a scanner reads @param lines what people read: shown above the code's own text, under the code */
export async function labelReply(format: Format, code: string, lines: string[]): Promise<Reply> {
  const bytes =
    format === 'svg'
      ? Buffer.from(toSvg(code, lines))
      : await toBuffer(code, { type: 'png', errorCorrectionLevel: LEVEL, margin: QUIET, scale: PIXELS });
  return {
    status: 200,
    bytes,
    headers: {
      'Content-Type': format === 'svg' ? 'image/svg+xml' : 'image/png',
      'Content-Disposition': `attachment; filename="${code}.${format}"`,
      'X-Content-Type-Options': 'nosniff',
    },
  };
}
