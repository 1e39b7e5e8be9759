import { closeSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 64 * 1024;

/**
 * Reads a file, a pipe or a device that a person named, and no more of it than such a file has.
 * @throws Error if it has more than `maxBytes`, or can't be read
 */
export function readFileAtMost(path: string, maxBytes: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let bytes = 0; bytes <= maxBytes; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const length = readSync(file, piece);
      if (length === 0) return Buffer.concat(pieces, bytes);
      pieces.push(piece.subarray(0, length));
      bytes += length;
    }
  } finally {
    closeSync(file);
  }
  throw new Error(`it has more than ${maxBytes} bytes`);
}
