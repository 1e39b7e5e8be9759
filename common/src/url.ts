/**
 * Parses a URL; null if it is invalid. Not `URL.canParse`: after enough calls to be optimized, that of Node.js 20
 * refuses names with letters like "ü".
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
