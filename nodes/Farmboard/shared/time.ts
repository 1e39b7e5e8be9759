/** Offset of a time zone from UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(moment)) part[type] = Number(value);
  const shown = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
  return shown - Math.floor(moment / 1000) * 1000;
}

const LOCAL = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$/;

const toIso = (ms: number): string | undefined => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

const toText = (value: unknown): string => {
  if (value instanceof Date) return toIso(value.getTime()) ?? '';
  // n8n's luxon dates; toISO returns null if invalid
  const { toISO } = (value ?? {}) as { toISO?: () => string | null };
  return typeof toISO === 'function' ? (toISO.call(value) ?? '') : String(value ?? '').trim();
};

/**
 * Converts any ISO 8601 form, date object or milliseconds to a UTC timestamp ending in `Z`. A time without a zone, as
 * n8n's date field returns it, is in `timeZone`.
 * @returns undefined if it isn't a time
 */
export function toTimestamp(value: unknown, timeZone: string): string | undefined {
  if (typeof value === 'number') return toIso(value);
  const text = toText(value);
  // JavaScript would guess other formats: in 11/12/2026 the month is ambiguous
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  if (!LOCAL.test(text)) return toIso(Date.parse(text));
  const asUtc = Date.parse(`${text.replace(' ', 'T')}${text.length > 10 ? '' : 'T00:00:00'}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  // two iterations handle hours around a clock change
  const near = asUtc - offsetAt(asUtc, timeZone);
  const found = asUtc - offsetAt(near, timeZone);
  // a skipped hour becomes the hour after it
  const isShown = found + offsetAt(found, timeZone) === asUtc;
  return toIso(isShown ? found : Math.max(near, found));
}

/** A day `YYYY-MM-DD` as written, ignoring any time and zone after it. */
export function toDay(value: unknown): string | undefined {
  const [day] = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(toText(value)) ?? [];
  return day;
}
