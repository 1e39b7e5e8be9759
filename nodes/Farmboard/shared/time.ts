/** Offset of a time zone at a moment, in milliseconds: what its clocks show less what UTC shows. */
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
  // n8n's own dates (luxon); of one that is none it is null
  const { toISO } = (value ?? {}) as { toISO?: () => string | null };
  return typeof toISO === 'function' ? (toISO.call(value) ?? '') : String(value ?? '').trim();
};

/**
 * A moment as Farmboard takes it (UTC, `Z`), from every form of ISO 8601, a date object or milliseconds. A time without a
 * zone, as the date field of n8n gives it, is one of `timeZone`.
 *
 * @returns undefined when it is no time
 */
export function toTimestamp(value: unknown, timeZone: string): string | undefined {
  if (typeof value === 'number') return toIso(value);
  const text = toText(value);
  // what else JavaScript reads it guesses: which of 11/12/2026 is the month?
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  if (!LOCAL.test(text)) return toIso(Date.parse(text));
  const asUtc = Date.parse(`${text.replace(' ', 'T')}${text.length > 10 ? '' : 'T00:00:00'}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  // twice, for the hours around a change of the clocks
  const near = asUtc - offsetAt(asUtc, timeZone);
  const found = asUtc - offsetAt(near, timeZone);
  // an hour that is left out: the one after it
  const isShown = found + offsetAt(found, timeZone) === asUtc;
  return toIso(isShown ? found : Math.max(near, found));
}

/** A day `YYYY-MM-DD`: as it is written, whatever time and zone follow. */
export function toDay(value: unknown): string | undefined {
  const [day] = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(toText(value)) ?? [];
  return day;
}
