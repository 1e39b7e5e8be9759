import { create } from 'qrcode';

/** 29 × 29 modules hold exactly the 42 characters of `ORDER-<uuid>` at error correction level M. */
const VERSION = 3;
/** Quiet zone around the modules, in modules. */
const QUIET = 4;
/** Modules per side, including the quiet zone. */
export const SIDE = 29 + 2 * QUIET;

/** A run of dark modules: `[x, y, length]` in modules, including the quiet zone. */
export type Run = [x: number, y: number, length: number];

const labelText = (orderId: string) => `ORDER-${orderId}`;

export function qrRuns(orderId: string): Run[] {
  const { size, data } = create(labelText(orderId), { errorCorrectionLevel: 'M', version: VERSION }).modules;
  const runs: Run[] = [];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const from = x;
      while (x < size && data[y * size + x]) x++;
      if (x > from) runs.push([from + QUIET, y + QUIET, x - from]);
    }
  }
  return runs;
}
