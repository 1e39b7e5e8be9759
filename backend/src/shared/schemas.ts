import { z } from 'zod';
import { roundToThousandths, toExactUnits } from '../../../common/src/numbers.ts';
import { toThousandths } from './units.ts';

/** Free text without NUL (PostgreSQL cannot store it) and lone surrogates (UTF-8 cannot encode them). */
export const text = (maxLength: number, min = 0) =>
  z
    .string()
    .min(min)
    .max(maxLength)
    .refine(
      (value) => !value.includes('\0') && value.isWellFormed(),
      'must be well-formed text without NUL characters',
    );

/**
 * What a list is searched for.
 * @param fields which fields are searched, as in "the name or the brand"
 * @param more what else it finds, if anything
 */
export const searchText = (fields: string, more = '') =>
  text(200, 1)
    .describe(
      `words in ${fields}, all of them in any order, a number as part of the word before it${more && `; or ${more}`}`,
    )
    .meta({ example: 'bracket' });

/** Text that is not blank; surrounding spaces are kept. */
export const nonBlank = (maxLength: number) =>
  text(maxLength, 1).refine((value) => value.trim() !== '', 'must not be blank');

/** A UUID in any case (RFC 9562), converted to lower case. */
export const uuid = () => z.guid().toLowerCase();

export const color = () =>
  z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color in the form #RRGGBB')
    .meta({ examples: ['#1E90FF'] });

/** Three capital letters, as in ISO 4217. */
export const currencyCode = () =>
  z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency code of three capital letters')
    .describe('ISO 4217');

/** An existing calendar day, `YYYY-MM-DD`. */
export const day = () => {
  const message = 'must be a date that exists, YYYY-MM-DD';
  return z.iso.date(message).refine((value) => !value.startsWith('0000'), message);
};

export const MIN_TIME = Date.parse('0000-01-01T00:00:00.000Z');
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');
/** Far more than a time has: a long text of another kind would be searched for one in quadratic time. */
const MAX_TIME_LENGTH = 100;

/**
 * An instant. At either end of the calendar, an offset can lead to a year without four digits, which has no ISO form.
 */
export const timestamp = () =>
  z.iso
    .datetime({
      offset: true,
      error: ({ input }) =>
        // the query parser decodes + as a space
        typeof input === 'string' && input.length <= MAX_TIME_LENGTH && /T\S* \d\d:?\d\d$/.test(input)
          ? 'has a space where its offset begins: write + as %2B in a URL, or give the time in UTC with Z'
          : 'must be an ISO 8601 time with Z or an offset, such as 2026-11-22T09:30:00Z',
    })
    .refine((value) => !(Date.parse(value) < MIN_TIME || Date.parse(value) > MAX_TIME), {
      error: 'must be a time in the years 0000 to 9999 in UTC',
    });

/** Whether an amount above 0 would be rounded to 0. Binary noise around 0 is 0. */
const isLost = (value: number): boolean =>
  value > 0 && toThousandths(value) === 0 && toExactUnits(value, 3) === undefined;

/** Grams or hours, rounded to thousandths because programs calculate in doubles. The limits apply after rounding. */
export const decimal = (min: number, max: number) =>
  z
    .number()
    .refine(
      (value) => !isLost(value),
      `would be rounded to 0: send at least ${Math.max(min, 0.001)}${min <= 0 ? ', or 0' : ''}`,
    )
    .overwrite(roundToThousandths)
    .min(min)
    .max(max);

/** A whole number. Binary noise of a calculation is removed; fractions are refused. */
export const wholeNumber = (min: number, max: number, message?: string) =>
  z
    .number(message)
    .overwrite((value) => toExactUnits(value, 0) ?? value)
    .int(message)
    .min(min, message)
    .max(max, message);

/** Decimal places of the currency with the most of them. */
const MAX_CURRENCY_DIGITS = 4;

/** A price in the main unit of a currency that isn't known here, so `toMinor` checks its decimal places. */
export const price = () =>
  z
    .number()
    .overwrite((value) => {
      const units = toExactUnits(value, MAX_CURRENCY_DIGITS);
      return units === undefined ? value : units / 10 ** MAX_CURRENCY_DIGITS;
    })
    .min(0)
    .max(100_000_000);

export const idParams = z.object({ id: uuid() });

/** What a query string says instead of a number; any other text stays one, for its error. */
const readNumber = (sent: unknown): unknown =>
  typeof sent === 'string' && /^\d{1,15}(?:\.\d+)?$/.test(sent) ? Number(sent) : sent;

/*
 * A parameter of a query string has the schema of what it means, so that the OpenAPI document and clients made from it
 * know numbers and booleans; a preprocess reads the text.
 */

/** A whole number in a query string. */
export const wholeNumberText = (min: number, max: number, message = `must be a whole number from ${min} to ${max}`) =>
  z.preprocess(readNumber, wholeNumber(min, max, message));

/** One of several whole numbers in a query string. */
export const oneNumberOf = <N extends number>(values: readonly N[]) =>
  z.preprocess(readNumber, z.literal(values)).meta({ type: 'integer' });

/** `true` or `false` in a query string. */
export const flag = () =>
  z.preprocess(
    (sent) => (sent === 'true' || sent === 'false' ? sent === 'true' : sent),
    z.boolean('must be one of true, false'),
  );

/** A parameter that may be repeated: a list, also if it is sent once. */
export const repeatable = <T extends z.ZodType>(one: T) => z.union([one.transform((value) => [value]), z.array(one)]);
