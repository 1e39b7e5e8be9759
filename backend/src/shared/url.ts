/**
 * The URL that a text is, or null. Not `URL.canParse`: once it has been called often enough to be optimised, that of
 * Node.js 20 refuses every name with letters like "ü".
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
