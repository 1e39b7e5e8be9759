import { download } from '../ui/download';
import { FONT, type LabelPage, shortId } from './layout';

/** 406 dpi: twice the resolution of common label printers, so modules are whole pixels on both. */
const PIXELS_PER_MM = 16;

const fileNameOf = (page: LabelPage, size: string, index: number) =>
  page.labels.length === 1 ? `ORDER-${shortId(page.labels[0]?.label.id ?? '')}-${size}` : `labels-${size}-${index + 1}`;

/** Browsers drop downloads that start at the same time. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 250));

/** @param pictures the rendered pages, in order */
export async function downloadSvg(pages: LabelPage[], size: string, pictures: Iterable<SVGSVGElement>): Promise<void> {
  const texts = Array.from(pictures, (picture) => new XMLSerializer().serializeToString(picture));
  for (const [index, page] of pages.entries()) {
    if (index > 0) await pause();
    download(`${fileNameOf(page, size, index)}.svg`, new Blob([texts[index] ?? ''], { type: 'image/svg+xml' }));
  }
}

function draw(page: LabelPage): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const px = (mm: number) => Math.round(mm * PIXELS_PER_MM);
  canvas.width = px(page.width);
  canvas.height = px(page.height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser gives no canvas to draw on');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#000';
  for (const { x, y, label } of page.labels) {
    const { qr, text } = label;
    for (const [column, row, length] of qr.runs) {
      const [left, top] = [x + qr.x + column * qr.module, y + qr.y + row * qr.module];
      context.fillRect(px(left), px(top), px(length * qr.module), px(qr.module));
    }
    context.save();
    context.beginPath();
    context.rect(px(x + text.x), px(y), px(text.width), px(label.height));
    context.clip();
    for (const line of text.lines) {
      context.font = `${line.weight} ${line.size * PIXELS_PER_MM}px ${FONT}`;
      context.fillText(line.text, px(x + text.x), (y + line.y) * PIXELS_PER_MM);
    }
    context.restore();
  }
  return canvas;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

const crc32 = (bytes: Uint8Array) =>
  ~bytes.reduce((crc, byte) => (CRC_TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8), 0xffffffff) >>> 0;

/** End of IHDR, the first chunk of every PNG. */
const AFTER_HEADER = 33;

/** Adds the physical size (pHYs); without it programs print at 72 or 96 dpi. */
function withPhysicalSize(png: Uint8Array<ArrayBuffer>): Blob {
  const chunk = new Uint8Array(21);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, 9);
  chunk.set(new TextEncoder().encode('pHYs'), 4);
  view.setUint32(8, PIXELS_PER_MM * 1000);
  view.setUint32(12, PIXELS_PER_MM * 1000);
  chunk[16] = 1; // pixels per meter
  view.setUint32(17, crc32(chunk.subarray(4, 17)));
  return new Blob([png.subarray(0, AFTER_HEADER), chunk, png.subarray(AFTER_HEADER)], { type: 'image/png' });
}

export async function downloadPng(pages: LabelPage[], size: string): Promise<void> {
  for (const [index, page] of pages.entries()) {
    if (index > 0) await pause();
    const canvas = draw(page);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (!blob) throw new Error('this browser could not make the picture');
    download(`${fileNameOf(page, size, index)}.png`, withPhysicalSize(new Uint8Array(await blob.arrayBuffer())));
  }
}
