// What the moving picture takes of two packages without types.
declare module 'gifenc' {
  type Palette = number[][];
  export function quantize(rgba: Uint8Array, maxColors: number): Palette;
  export function applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array;
  export function GIFEncoder(): {
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: { palette: Palette; delay: number; transparent: boolean; transparentIndex: number; dispose: number },
    ): void;
    finish(): void;
    bytes(): Uint8Array;
  };
}

declare module 'pngjs' {
  export class PNG {
    static sync: { read(file: Buffer): PNG };
    constructor(size: { width: number; height: number });
    width: number;
    height: number;
    data: Buffer;
  }
}
