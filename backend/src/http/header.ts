const MAX_HEADER_CHARACTERS = 64;

/** Percent-encoded so that any text can stand in a header, cut at 64 characters without breaking a character in two. */
export function toHeaderValue(text: string): string {
  let encoded = '';
  for (const character of text.slice(0, MAX_HEADER_CHARACTERS).toWellFormed()) {
    const next = encoded + encodeURIComponent(character);
    if (next.length > MAX_HEADER_CHARACTERS) break;
    encoded = next;
  }
  return encoded;
}
