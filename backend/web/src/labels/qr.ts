import { create } from 'qrcode';

/** 29 × 29 modules hold the 42 letters of `ORDER-<uuid>` at error correction M exactly: every label is alike. */
const VERSION = 3;
/** What a reader needs to be white around the modules, counted in modules. */
const QUIET = 4;
/** Modules along a side, the quiet zone included. */
export const SIDE = 29 + 2 * QUIET;

/** Dark modules next to each other: `[x, y, length]` in modules, the quiet zone counted. */
export type Run = [x: number, y: number, length: number];

export const labelText = (orderId: string) => `ORDER-${orderId}`;

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
