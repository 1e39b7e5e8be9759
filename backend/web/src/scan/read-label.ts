const RUSSIAN = 'йцукенгшщзхъфывапролджэячсмитьбю';
const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.";

const TO_LATIN: ReadonlyMap<string, string> = new Map(
  Array.from(RUSSIAN, (letter, index) => [letter, LATIN[index] ?? '']),
);

/** Other keyboard layouts may produce a different character than `-` between the groups. */
const ID =
  /([0-9a-f]{8})[^0-9a-f]([0-9a-f]{4})[^0-9a-f]([0-9a-f]{4})[^0-9a-f]([0-9a-f]{4})[^0-9a-f]([0-9a-f]{12})(?![0-9a-f])/;

/**
 * Extracts the order ID from scanned or pasted text: `ORDER-<id>`, a bare ID or a console URL. Scanners emulate a
 * keyboard: with a Russian layout `ORDER` arrives as `ЩКВУК`, and the ID's letters likewise.
 */
export function readLabel(text: string): string | undefined {
  const latin = Array.from(text.toLowerCase(), (letter) => TO_LATIN.get(letter) ?? letter).join('');
  // for a URL, the part that names the order
  const named = /[?&]order=([^&#]*)/.exec(latin)?.[1] ?? latin;
  const parts = ID.exec(named.replace(/\s/g, ''));
  return parts ? parts.slice(1).join('-') : undefined;
}
