import type { Order } from '../order-data/orders-api';
import { qrRuns, type Run, SIDE } from './qr';
import { type LabelSize, labelsPerPage, pageOf } from './sizes';

/** One of these exists on every system and supports Cyrillic. */
export const FONT = "Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
const LINE_HEIGHT = 1.18;
const MAX_MODEL_LINES = 3;
/** The end of an ID; the start encodes the time and is similar for orders created together. */
export const shortId = (id: string) => id.slice(-8);
/** Positions are whole dots at 203 dpi. */
const DOT_MM = 0.125;
/** Font widths vary slightly with size. */
const TOLERANCE = 0.98;

/** A line of text; `y` is its baseline, in millimeters from the top left corner of the label. */
interface TextLine {
  text: string;
  y: number;
  size: number;
  weight: 400 | 700;
}

/** A laid-out label. Print, SVG and PNG all render exactly this. */
export interface Label {
  id: string;
  title: string;
  width: number;
  height: number;
  qr: { x: number; y: number; module: number; runs: Run[] };
  text: { x: number; width: number; lines: TextLine[] };
}

export interface LabelMessages {
  pieces(n: number): string;
  due(day: string): string;
}

type Measure = (text: string, size: number, weight: number) => number;

const MEASURED_AT = 100;
let ruler: CanvasRenderingContext2D | null | undefined;

/** Text width in millimeters. */
const measure: Measure = (text, size, weight) => {
  ruler ??= document.createElement('canvas').getContext('2d');
  if (!ruler) return text.length * size;
  ruler.font = `${weight} ${MEASURED_AT}px ${FONT}`;
  return (ruler.measureText(text).width * size) / MEASURED_AT / TOLERANCE;
};

const segmenter = 'Segmenter' in Intl ? new Intl.Segmenter() : undefined;

/** Grapheme clusters, so that an emoji of several code points isn't split. */
const splitGraphemes = (text: string) =>
  segmenter ? Array.from(segmenter.segment(text), ({ segment }) => segment) : Array.from(text);

/** Replaces line breaks and control characters, which SVG text can't contain. */
const clean = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\uFFFE\uFFFF]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** How many graphemes fit the width. */
function fitting(letters: string[], fits: (text: string) => boolean): number {
  let [low, max] = [0, letters.length];
  while (low < max) {
    const middle = Math.ceil((low + max) / 2);
    if (fits(letters.slice(0, middle).join(''))) low = middle;
    else max = middle - 1;
  }
  return low;
}

/** Wraps text to a width, at spaces where possible; overflow ends in `…`. */
function breakLines(text: string, max: number, fits: (text: string) => boolean): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < max) {
    const isLast = lines.length === max - 1;
    const letters = splitGraphemes(rest);
    const whole = fitting(letters, fits);
    if (whole === letters.length) return [...lines, rest];
    if (isLast) {
      const kept = fitting(letters, (part) => fits(`${part}…`));
      return [...lines, `${letters.slice(0, kept).join('').trimEnd()}…`];
    }
    const part = letters.slice(0, Math.max(1, whole)).join('');
    const space = rest[part.length] === ' ' ? part.length : part.lastIndexOf(' ');
    const line = space > 0 ? part.slice(0, space) : part;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

const toDot = (mm: number) => Math.round(mm / DOT_MM) * DOT_MM;

export function layoutLabel(order: Order, size: LabelSize, messages: LabelMessages): Label {
  const side = SIDE * size.module;
  const x = toDot(size.left + side + 0.5);
  const width = size.width - x - size.right;
  const lines: TextLine[] = [];
  let bottom: number = size.top;

  function write(text: string, fontSize: number, weight: 400 | 700, max = 1) {
    for (const line of breakLines(clean(text), max, (part) => measure(part, fontSize, weight) <= width)) {
      bottom += fontSize * LINE_HEIGHT;
      // the baseline is above the bottom of its line
      lines.push({ text: line, y: bottom - fontSize * 0.3, size: fontSize, weight });
    }
  }

  write(order.model_name, size.model, 700, MAX_MODEL_LINES);
  bottom += size.text * 0.3;
  const pieces = messages.pieces(order.quantity_pieces);
  if (size.joinsFacts) write([pieces, order.material_name].filter(Boolean).join(' · '), size.text, 400);
  else for (const fact of [pieces, order.material_name]) write(fact, size.text, 400);
  write(messages.due(order.due_date), size.text, 700);
  bottom = size.height - size.top - size.text * LINE_HEIGHT;
  write(shortId(order.id), size.text, 400);

  return {
    id: order.id,
    title: clean(order.model_name),
    width: size.width,
    height: size.height,
    qr: { x: size.left, y: toDot((size.height - side) / 2), module: size.module, runs: qrRuns(order.id) },
    text: { x, width, lines },
  };
}

/** A label with its position on a page. */
interface Placed {
  x: number;
  y: number;
  label: Label;
}

export interface LabelPage {
  width: number;
  height: number;
  labels: Placed[];
}

/** @param skipped used positions on the first sheet */
export function paginate(labels: Label[], size: LabelSize, skipped: number): LabelPage[] {
  const { columns, width, height, top } = pageOf(size);
  const perPage = labelsPerPage(size);
  const first = perPage === 1 ? 0 : Math.min(skipped, perPage - 1);
  const pages: LabelPage[] = [];
  labels.forEach((label, index) => {
    const place = (first + index) % perPage;
    if (index === 0 || place === 0) pages.push({ width, height, labels: [] });
    pages
      .at(-1)
      ?.labels.push({ x: (place % columns) * size.width, y: top + Math.floor(place / columns) * size.height, label });
  });
  return pages;
}
