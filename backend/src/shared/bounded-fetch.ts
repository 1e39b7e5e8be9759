/** More was sent than was to be read. */
class TooLargeError extends Error {
  override name = 'TooLargeError';
}

/**
 * A `fetch` that has read the whole answer when it resolves, and follows no redirect. Both limits are for all of it: an
 * answer that comes byte by byte ends as one does that never comes.
 * @param withinMs from the call to the last byte
 * @param maxBytes of the body, counted after decompression
 * @returns a function that rejects beyond either limit, and as `fetch` does
 */
export function createBoundedFetch({ withinMs, maxBytes }: { withinMs: number; maxBytes: number }): typeof fetch {
  return async (input, init) => {
    const deadline = AbortSignal.timeout(withinMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    const { body, status, headers } = await fetch(input, { ...init, redirect: 'manual', signal });
    return new Response(body && (await readAtMost(body, maxBytes)), { status, headers });
  };
}

async function readAtMost(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // leaving the loop cancels the stream, and so ends the connection
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new TooLargeError(`the answer has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
