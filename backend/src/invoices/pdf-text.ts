import type { Font } from 'fontkit';
import { toShown } from './letters.ts';
import type { Weight } from './pdf-fonts.ts';
import { createLayout, isPlain, type Line } from './pdf-layout.ts';

type Pdf = PDFKit.PDFDocument;

interface Place {
  x?: number;
  y?: number;
  width: number;
  align?: 'left' | 'right';
}

export type PdfText = ReturnType<typeof createPdfText>;

/** Writes text in any script to a PDF, in the current weight and size. */
export function createPdfText(pdf: Pdf, fonts: Record<Weight, Font[]>) {
  const names = register(pdf, fonts);
  const layOut = createLayout();
  let weight: Weight = 'text';
  let size = 0;

  const use = (font: Font) => pdf.font(names.get(font) as string);
  const main = () => fonts[weight][0] as Font;
  const linesOf = (text: string, width: number) => layOut(text, fonts[weight], size, width);

  /** Above and below the baseline, at least those of the main font. */
  function heightsOf({ pieces }: Line): { ascent: number; height: number } {
    const all = [main(), ...pieces.map(({ font }) => font)];
    const most = (value: (font: Font) => number) =>
      Math.max(...all.map((font) => value(font) / font.unitsPerEm)) * size;
    const ascent = most(({ ascent }) => ascent);
    return { ascent, height: ascent + most(({ descent, lineGap }) => lineGap - descent) };
  }

  /** pdfkit's own would split at spaces, which puts words from right to left in the wrong order. */
  const WHOLE: PDFKit.Mixins.TextOptions = { lineBreak: false, features: [], baseline: 'alphabetic' };

  function drawLine({ pieces }: Line, x: number, baseline: number): void {
    for (const { font, text, drawn, isRearranged, left } of pieces) {
      // what programs that search and copy get
      if (isRearranged) pdf.markContent('Span', { actual: text });
      use(font).text(drawn, x + left, baseline, WHOLE);
      if (isRearranged) pdf.endMarkedContent();
    }
    use(main());
  }

  function drawLines(lines: readonly Line[], { x = pdf.x, y = pdf.y, width, align }: Place): void {
    let top = y;
    for (const line of lines) {
      const { ascent, height } = heightsOf(line);
      if (top + height > pdf.page.maxY()) {
        pdf.addPage();
        top = pdf.y;
      }
      const isAtRight = align === 'right' || line.isRightToLeft;
      drawLine(line, isAtRight ? x + width - line.width : x, top + ascent);
      top += height;
    }
    pdf.x = x;
    pdf.y = top;
  }

  return {
    style(newWeight: Weight, newSize: number): Pdf {
      weight = newWeight;
      size = newSize;
      return use(main()).fontSize(size);
    },

    write(text: string, place: Place): void {
      const shown = toShown(text);
      const { x, y, width, align } = place;
      if (isPlain(shown, main())) pdf.text(shown, x, y, { width, ...(align && { align }) });
      else drawLines(linesOf(shown, width), place);
    },

    heightOf(text: string, { width, align }: Place): number {
      const shown = toShown(text);
      if (isPlain(shown, main())) return pdf.heightOfString(shown, { width, ...(align && { align }) });
      return linesOf(shown, width).reduce((sum, line) => sum + heightsOf(line).height, 0);
    },
  };
}

function register(pdf: Pdf, fonts: Record<Weight, Font[]>): Map<Font, string> {
  const names = new Map<Font, string>();
  for (const font of [...fonts.text, ...fonts.strong]) {
    if (names.has(font)) continue;
    const name = `font ${names.size}`;
    names.set(font, name);
    // it takes opened fonts too, which its types don't say
    pdf.registerFont(name, font as never);
  }
  return names;
}
