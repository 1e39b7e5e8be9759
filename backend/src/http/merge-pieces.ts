import type { IncomingMessage, ServerResponse } from 'node:http';

/** Smaller pieces of a body are merged. */
const MIN_PIECE_BYTES = 4_096;
/** More pieces than this, of fewer bytes on average than MIN_AVERAGE_BYTES, are not worth parsing. */
const MAX_SMALL_PIECES = 2_000;
const MIN_AVERAGE_BYTES = 32;

const fragmented = new WeakSet<IncomingMessage>();

/** Whether the body arrived in very many tiny pieces. What follows is dropped. */
export const isFragmented = (req: IncomingMessage): boolean => fragmented.has(req);

/**
 * Merges small pieces of a body as Node.js parses them: each HTTP chunk becomes a Buffer, and a Buffer takes hundreds of
 * bytes however short it is. Streams count only their content, so a body that nobody reads yet could hold megabytes.
 * A piece waits for the next ones or the end of the body. Call it before the first piece arrives.
 */
export function mergePieces(req: IncomingMessage, res: ServerResponse): void {
  const push = req.push.bind(req);
  let pieces = 0;
  let bytes = 0;
  /** the only piece so far, or what holds all of them */
  let merged: Buffer | undefined;
  let length = 0;

  const flush = (): boolean => {
    const piece = merged?.subarray(0, length);
    merged = undefined;
    length = 0;
    return piece === undefined || push(piece);
  };
  const merge = (piece: Buffer): boolean => {
    if (!merged) merged = piece;
    else {
      if (merged.length === length) {
        const all = Buffer.allocUnsafe(2 * MIN_PIECE_BYTES);
        merged.copy(all);
        merged = all;
      }
      piece.copy(merged, length);
    }
    length += piece.length;
    return length < MIN_PIECE_BYTES || flush();
  };
  const pushNow = (piece: Buffer | null): boolean => {
    flush();
    return push(piece);
  };
  /** Parsing the rest would cost far more than it is worth: the reader responds, and the connection ends. */
  const giveUp = (): void => {
    fragmented.add(req);
    flush();
    if (res.headersSent) req.socket.destroy();
    else res.once('finish', () => req.socket.destroySoon());
  };

  // After a response, Node.js no longer passes on what arrives of an unread body, however much its pieces cost to parse.
  Object.assign(req, { _dump: () => req.resume() });
  // an own property, because Express replaces the prototype of each request
  req.push = (piece: Buffer | null): boolean => {
    if (piece === null) return pushNow(piece);
    // false: nothing more is read of the connection
    if (fragmented.has(req)) return false;
    pieces += 1;
    bytes += piece.length;
    const hasRoom = piece.length < MIN_PIECE_BYTES ? merge(piece) : pushNow(piece);
    if (pieces <= MAX_SMALL_PIECES || bytes >= pieces * MIN_AVERAGE_BYTES) return hasRoom;
    giveUp();
    return false;
  };
}
