const MAX_HEADER_CHARACTERS = 64;

/** Percent-encodes any text for a header value, limited to 64 characters without cutting an encoded character. */
export function toHeaderValue(text: string): string {
  let encoded = '';
  for (const character of text.slice(0, MAX_HEADER_CHARACTERS).toWellFormed()) {
    const next = encoded + encodeURIComponent(character);
    if (next.length > MAX_HEADER_CHARACTERS) break;
    encoded = next;
  }
  return encoded;
}
