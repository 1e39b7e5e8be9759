import { DAY_MS, toDay } from '../../../common/src/clock.ts';

/** Dates further in the future are taken for mistakes. */
const MAX_DAYS_AHEAD = 5 * 365;

/** How the names of months begin in English and Russian, in order: `5 Dec`, `5 декабря`. */
const MONTHS = [
  /^(jan|янв)/,
  /^(feb|фев)/,
  /^(mar|мар)/,
  /^(apr|апр)/,
  /^(may$|ма[йя]$)/,
  /^(jun|июн)/,
  /^(jul|июл)/,
  /^(aug|авг)/,
  /^(sep|сен)/,
  /^(oct|окт)/,
  /^(nov|ноя)/,
  /^(dec|дек)/,
];
/** Indexed as in `Date.getUTCDay`. */
const WEEKDAYS = [
  /\b(sunday)\b|воскресень[ея]/,
  /\b(monday)\b|понедельник/,
  /\b(tuesday)\b|вторник/,
  /\b(wednesday)\b|сред[ауы](?!\p{L})/u,
  /\b(thursday)\b|четверг/,
  /\b(friday)\b|пятниц[ауы]/,
  /\b(saturday)\b|суббот[ауы]/,
];

/** `YYYY-MM-DD`, or undefined if the calendar has no such day. */
function dateOf(year: number, month: number, day: number): string | undefined {
  const at = new Date(Date.UTC(year, month - 1, day));
  const exists = at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
  return exists ? toDay(at.getTime()) : undefined;
}

/** A date without a year is its next occurrence. */
function inYear(year: string | undefined, month: number, day: number, today: string): string | undefined {
  if (year !== undefined) return dateOf(year.length === 2 ? 2000 + Number(year) : Number(year), month, day);
  const thisYear = Number(today.slice(0, 4));
  const found = dateOf(thisYear, month, day);
  return found !== undefined && found < today ? dateOf(thisYear + 1, month, day) : found;
}

const monthOf = (name: string): number => MONTHS.findIndex((begin) => begin.test(name)) + 1;

const after = (today: string, days: number): string => toDay(Date.parse(today) + days * DAY_MS);

function readDate(text: string, today: string): string | undefined {
  const iso = /(?<!\d)(\d{4})-(\d\d?)-(\d\d?)(?!\d)/.exec(text);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const dotted = /(?<![\d.])(\d\d?)\.(\d\d?)(?:\.(\d{4}|\d\d))?(?!\.?\d)/.exec(text);
  if (dotted) return inYear(dotted[3], Number(dotted[2]), Number(dotted[1]), today);
  const slashed = /(?<![\d/])(\d\d?)\/(\d\d?)\/(\d{4})(?![\d/])/.exec(text);
  if (slashed) {
    const [first, second] = [Number(slashed[1]), Number(slashed[2])];
    // 3/4 is a different day in London than in Boston, so only unambiguous dates are read
    if (first <= 12 && second <= 12 && first !== second) return undefined;
    return first > 12 ? inYear(slashed[3], second, first, today) : inYear(slashed[3], first, second, today);
  }
  for (const [, day = '', name = '', year] of text.matchAll(
    /(?<!\d)(\d\d?)(?:st|nd|rd|th|-?го)?(?:\s+of)?\s+(\p{L}{3,})\.?,?(?:\s+(\d{4}))?/gu,
  )) {
    if (monthOf(name) > 0) return inYear(year, monthOf(name), Number(day), today);
  }
  for (const [, name = '', day = '', year] of text.matchAll(
    /(?<!\p{L})(\p{L}{3,})\.?\s+(\d\d?)(?:st|nd|rd|th)?(?!\d)(?:,?\s+(\d{4}))?/gu,
  )) {
    if (monthOf(name) > 0) return inYear(year, monthOf(name), Number(day), today);
  }
  return undefined;
}

function readSpan(text: string, today: string): string | undefined {
  if (/\bday after tomorrow\b|послезавтра/.test(text)) return after(today, 2);
  if (/\btomorrow\b|завтра/.test(text)) return after(today, 1);
  if (/\btoday\b|сегодня/.test(text)) return today;
  const days = /(?:\b(?:in|within)|через|за|в течение)\s+(\d{1,3})\s*(?:days?\b|дн|день)/.exec(text);
  if (days) return after(today, Number(days[1]));
  const weeks = /(?:\b(?:in|within)|через|за|в течение)\s+(?:(\d{1,2}|a|one)\s+)?(?:weeks?\b|недел)/.exec(text);
  if (weeks) return after(today, 7 * (Number(weeks[1]) || 1));
  const weekday = WEEKDAYS.findIndex((name) => name.test(text));
  if (weekday < 0) return undefined;
  const ahead = (weekday - new Date(`${today}T00:00:00Z`).getUTCDay() + 7) % 7;
  return after(today, ahead || 7);
}

/**
 * The date in a free text, in English or Russian: `2026-12-05`, `5 December`, `до 05.12`, `in 2 weeks`. Undefined if
 * there is no unambiguous date, or if it is in the past.
 * @param today `YYYY-MM-DD`
 */
export function readDeadline(text: string, today: string): string | undefined {
  const lowerCase = text.toLowerCase();
  const found = readDate(lowerCase, today) ?? readSpan(lowerCase, today);
  return found !== undefined && found >= today && found <= after(today, MAX_DAYS_AHEAD) ? found : undefined;
}
