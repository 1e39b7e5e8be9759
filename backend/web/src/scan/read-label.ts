const RUSSIAN = 'йцукенгшщзхъфывапролджэячсмитьбю';
const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.";

const TO_LATIN: ReadonlyMap<string, string> = new Map(
  Array.from(RUSSIAN, (letter, index) => [letter, LATIN[index] ?? '']),
);

/** Between the groups of an id another keyboard layout may have put another sign than `-`. */
const ID =
  /([0-9a-f]{8})[^0-9a-f]([0-9a-f]{4})[^0-9a-f]([0-9a-f]{4})[^0-9a-f]([0-9a-f]{4})[^0-9a-f]([0-9a-f]{12})(?![0-9a-f])/;

/**
 * The id of the order in what a scanner typed or a person pasted: `ORDER-<id>`, an id alone, an address of the console. A
 * scanner presses keys: on a Russian layout `ORDER` comes as `ЩКВУК`, and so do the letters of the id.
 */
export function readLabel(text: string): string | undefined {
  const latin = Array.from(text.toLowerCase(), (letter) => TO_LATIN.get(letter) ?? letter).join('');
  // of an address, what it says of the order
  const named = /[?&]order=([^&#]*)/.exec(latin)?.[1] ?? latin;
  const parts = ID.exec(named.replace(/\s/g, ''));
  return parts ? parts.slice(1).join('-') : undefined;
}
