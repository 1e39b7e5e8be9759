/** Far more than a printer's or the server's longest response. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Reads a response's text. Counts decompressed bytes. @throws Error if there are too many */
export async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  // leaving the loop cancels the rest
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new Error('the response is larger than 1 MiB');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
