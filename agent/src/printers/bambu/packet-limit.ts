/**
 * Checks a stream of MQTT packets for one that is too large, or comes in too many pieces, before its content has
 * arrived: the client would collect it all. A packet begins with its type and its remaining length, 7 bits per byte
 * (MQTT 3.1.1, 2.2.3).
 * @returns a function that gets each chunk and returns false if a packet is too large
 */
export function createPacketLimit(maxBytes: number, maxPieces: number): (chunk: Buffer) => boolean {
  /** chunks since the current packet began */
  let pieces = 0;
  /** bytes of the current packet that have not arrived */
  let remaining = 0;
  let length = 0;
  /** value of the next length byte's lowest bit; 0: a packet begins */
  let factor = 0;

  function readLength(byte: number): void {
    length += (byte & 127) * factor;
    factor = byte < 128 ? 0 : factor * 128;
    if (factor === 0) remaining = length;
  }

  return (chunk) => {
    let at = 0;
    pieces += 1;
    while (at < chunk.length && length <= maxBytes) {
      const skipped = Math.min(remaining, chunk.length - at);
      remaining -= skipped;
      at += skipped;
      if (at === chunk.length) break;
      if (factor === 0) {
        length = 0;
        factor = 1;
        pieces = 1;
      } else readLength(chunk[at] as number);
      at += 1;
    }
    return length <= maxBytes && pieces <= maxPieces;
  };
}
