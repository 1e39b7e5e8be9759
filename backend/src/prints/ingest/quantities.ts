/** Longer texts are no quantities. */
const MAX_LENGTH = 60;

/** How numbers are written: what groups their thousands, if anything, and their decimal mark. */
const FORMS: readonly { pattern: RegExp; group?: RegExp; mark: string }[] = [
  { pattern: /^(?:\d+\.?\d*|\.\d+)$/, mark: '.' },
  // three digits after a comma may also be thousands, unless what precedes them can't be
  { pattern: /^(?:(?:0|\d{4,}),\d{3}|\d*,(?:\d{0,2}|\d{4,}))$/, mark: ',' },
  { pattern: /^\d{1,3}(?:(?:,\d{3})+\.\d*|(?:,\d{3}){2,})$/, group: /,/g, mark: '.' },
  { pattern: /^\d{1,3}(?:(?:\.\d{3})+,\d*|(?:\.\d{3}){2,})$/, group: /\./g, mark: ',' },
  { pattern: /^\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d*)?$/, group: /[\s'’]/g, mark: ',' },
];

/**
 * The number in a text such as `1234.5`, `45,5`, `1,234.5`, `1.234,5` or `1 234,5`. Undefined if it has none or more than
 * one meaning: `1,234` may be 1.234 or 1234, and a guess would be wrong a thousandfold. A single dot is a decimal point,
 * because that is what programs write.
 */
function readNumber(text: string): number | undefined {
  const form = FORMS.find(({ pattern }) => pattern.test(text));
  if (!form || !/\d/.test(text)) return undefined;
  const digits = form.group ? text.replace(form.group, '') : text;
  return Number(digits.replace(form.mark, '.'));
}

/** No print takes this much. Such a number is recorded, but only a person may deduct it. */
export const IMPLAUSIBLE_GRAMS = 100_000;
/** Larger numbers aren't even recorded. */
const MAX_GRAMS = 1_000_000;

const GRAMS_PER_UNIT: readonly [RegExp, number][] = [
  [/(?:kgs?|kilos?|kilogramm?s?|кг|килограмм(?:а|ов)?)$/i, 1000],
  [/(?:mg|milligramm?s?|мг|миллиграмм(?:а|ов)?)$/i, 0.001],
  [/(?:gramm?s?|gr|g|грамм(?:а|ов)?|гр|г)$/i, 1],
];

/** Forms that some programs take for numbers, but that nobody writes for a weight. */
const NONSENSE = /^(?:[-−–]\s*[.,]?\d.*|[+-]?0[xob][\da-f]+|\d+(?:\.\d+)?e\+?\d+|[+-]?nan|[+-]?inf(?:inity)?)$/i;

export type Grams = { grams: number } | { fault: 'unreadable_grams' | 'implausible_grams' };

/** Reads what a message says about its grams, such as `45,5`, `~12 g`, `0.0455 kg` or `45.5 g (15.2 m)`. */
export function readGrams(received: string): Grams {
  if (received.length > MAX_LENGTH) return { fault: 'unreadable_grams' };
  const text = received
    .trim()
    .replace(/\s*\([^()]*\)$/, '')
    .replace(/^(?:[~≈≃=+]|ca\.?|approx\.?|about)\s*/i, '')
    .replace(/(\D)\.$/, '$1');
  const [unit, factor] = GRAMS_PER_UNIT.find(([pattern]) => pattern.test(text)) ?? [/$/, 1];
  const amount = text.replace(unit, '').trim();
  // how Python writes a very small number
  const value = /^\d+(?:\.\d+)?e-\d+$/i.test(amount) ? Number(amount) : readNumber(amount);
  if (value === undefined) return { fault: NONSENSE.test(amount) ? 'implausible_grams' : 'unreadable_grams' };
  const grams = value * factor;
  return grams <= MAX_GRAMS ? { grams } : { fault: 'implausible_grams' };
}

/** The longest plausible print; a longer time is ignored. */
const MAX_SECONDS = 100 * 24 * 60 * 60;

const SECONDS_PER_UNIT: readonly [RegExp, number][] = [
  [/^(?:d|days?|д|дн|день|дня|дней)$/i, 86_400],
  [/^(?:h|hrs?|hours?|ч|час|часа|часов)$/i, 3600],
  [/^(?:m|mins?|minutes?|м|мин|минут[аы]?)$/i, 60],
  [/^(?:s|secs?|seconds?|с|сек|секунд[аы]?)$/i, 1],
];

/** `1:20:30` with hours, also as Python writes it: `1 day, 1:20:30.5`. Without them `20:30` has two meanings. */
const CLOCK = /^(?:(\d{1,3}) days?, ?)?(\d{1,4}):([0-5]?\d):([0-5]?\d(?:[.,]\d+)?)$/;

/** `1h 20m 5.5s` */
const PARTS = /^(?:\d+(?:[.,]\d+)?\s*\p{L}+\.?,?\s*)+$/u;
const PART = /(\d+(?:[.,]\d+)?)\s*(\p{L}+)/gu;

function readDuration(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const clock = CLOCK.exec(text);
  if (clock) {
    const [, days = 0, hours, minutes, seconds = ''] = clock;
    return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'));
  }
  if (!PARTS.test(text)) return readNumber(text);
  const parts = [...text.matchAll(PART)].map(([, amount = '', name = '']) => {
    const unit = SECONDS_PER_UNIT.find(([pattern]) => pattern.test(name))?.[1] ?? Number.NaN;
    return (readNumber(amount) ?? Number.NaN) * unit;
  });
  return parts.reduce((sum, part) => sum + part, 0);
}

/** How long a print took, in seconds: `3600`, `3600,5`, `3600 s`, `1h 20m`, `01:20:30`. Undefined if it can't be read. */
export function readSeconds(received: unknown): number | undefined {
  const seconds = typeof received === 'string' ? readDuration(received.trim()) : received;
  return typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_SECONDS ? seconds : undefined;
}
