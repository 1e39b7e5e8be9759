import { UNCLEAR } from './read-number';

export type DayOrder = 'dayFirst' | 'monthFirst';

/** @returns `YYYY-MM-DD`, or undefined if the calendar has no such day */
function toDay(year: string, month: string, day: string): string | undefined {
  const iso = `${year.length === 2 ? '20' : ''}${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : undefined;
}

const TIME = /[T ]\s*\d{1,2}:\d{2}.*$/;
const YEAR_FIRST = /^(\d{4})([-./])(\d{1,2})\2(\d{1,2})\.?$/;
const DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{2}|\d{4})$/;
const SLASHES = /^(\d{1,2})([-/])(\d{1,2})\2(\d{2}|\d{4})$/;

function readingsOf(text: string): Record<DayOrder, string | undefined> {
  const trimmed = text.trim().replace(TIME, '');
  const [, year, , month, day] = YEAR_FIRST.exec(trimmed) ?? [];
  if (year && month && day) {
    const read = toDay(year, month, day);
    return { dayFirst: read, monthFirst: read };
  }
  // with dots, the day comes first everywhere
  const dots = DOTS.exec(trimmed);
  if (dots) {
    const read = toDay(dots[3] ?? '', dots[2] ?? '', dots[1] ?? '');
    return { dayFirst: read, monthFirst: read };
  }
  const [, first = '', , second = '', last = ''] = SLASHES.exec(trimmed) ?? [];
  return { dayFirst: toDay(last, second, first), monthFirst: toDay(last, first, second) };
}

/**
 * Reads `2026-11-30`, `30.11.2026`, `11/30/2026` and `30-11-26`, with or without a time.
 * @param order decides what `05/12/2026` means
 * @returns `YYYY-MM-DD`; undefined if it isn't a day
 */
export function readDay(text: string, order?: DayOrder): string | typeof UNCLEAR | undefined {
  const readings = readingsOf(text);
  const { dayFirst, monthFirst } = readings;
  if (dayFirst === undefined || monthFirst === undefined) return dayFirst ?? monthFirst;
  if (dayFirst === monthFirst) return dayFirst;
  return order ? readings[order] : UNCLEAR;
}

/** The order that a date proves: `25/12/2026` does, `05/12/2026` and `2026-12-05` don't. */
export function provenOrder(text: string): DayOrder | undefined {
  const { dayFirst, monthFirst } = readingsOf(text);
  if ((dayFirst === undefined) === (monthFirst === undefined)) return undefined;
  return dayFirst === undefined ? 'monthFirst' : 'dayFirst';
}
