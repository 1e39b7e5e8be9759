/** Far more than a printer's longest message, except for the histories of OctoPrint and Moonraker. */
const MAX_TEXT = 256 * 1024;
/** Ten times as many as half an hour of temperatures. An empty object has three bytes as text, and 60 in memory. */
const MAX_VALUES = 300_000;

const SEPARATORS = /[,[{]/g;

/** How many values a text of JSON may have. Those within strings are counted, too, because this is only a limit. */
function countValues(text: string): number {
  let count = 0;
  SEPARATORS.lastIndex = 0;
  while (count <= MAX_VALUES && SEPARATORS.test(text)) count += 1;
  return count;
}

/**
 * Parses what another program has sent.
 * @param isLong it may be longer than 256 kB
 * @throws Error if it is too long, or would take far more memory than its text; SyntaxError
 */
export function parseJson(text: string, { isLong = false } = {}): unknown {
  if (!isLong && text.length > MAX_TEXT) throw new Error('a message is larger than 256 kB');
  if (text.length > MAX_TEXT && countValues(text) > MAX_VALUES) throw new Error('a message has too many values');
  return JSON.parse(text);
}

/** The longest text that is kept: a file name with its folders. */
const MAX_KEPT = 1_000;

/**
 * A text as it is kept. A part of a string keeps the whole one in memory, so a long one is copied.
 * @returns undefined for what is neither text nor a number
 */
export function clip(value: unknown, maxLength = MAX_KEPT): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  return value.length <= maxLength ? value : Buffer.from(value.slice(0, maxLength)).toString();
}

export const toNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
