import fc from 'fast-check';
import { z } from 'zod';
import { times } from '../../../test/kit/length.ts';
import { toMajor, toMinor } from './currency.ts';
import { offsetOf, pageQuery } from './pagination.ts';
import { color, day, decimal, nonBlank, price, text, timestamp, uuid, wholeNumber } from './schemas.ts';
import { fromThousandths, toThousandths } from './units.ts';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

/** Any JavaScript string, including lone surrogates and NUL. */
const anyString = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff }), fc.constant(0)), {
    maxLength: 20,
  })
  .map((units) => String.fromCharCode(...units));

describe('decimals', () => {
  const grams = decimal(0, 1_000_000);

  test.each([
    [0.1, 10_000],
    [0.001, 100],
    [0.3, 30_000],
    [1.005, 100_500],
    [0.7, 70_000],
  ])('100,000 steps of %d are exactly %d', (step, sum) => {
    let total = 0;
    for (let i = 0; i < 100_000; i++) total += toThousandths(step);
    expect(fromThousandths(total)).toBe(sum);
    for (let i = 0; i < 100_000; i++) total -= toThousandths(step);
    expect(total).toBe(0);
  });

  test('accepts, stores and returns every number with three decimals up to the maximum unchanged', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (thousandths) => {
        // written as decimal text rather than by a division
        const digits = String(thousandths).padStart(4, '0');
        const value = JSON.parse(`${Number(digits.slice(0, -3))}.${digits.slice(-3)}`) as number;
        return accepts(grams, value) && toThousandths(value) === thousandths && fromThousandths(thousandths) === value;
      }),
      { numRuns: times(2_000, 20_000) },
    );
  });

  test.each([
    [37.019999999999996, 37.02],
    [1.0005, 1.001],
    [1_000_000.0004, 1_000_000],
    [0.0005, 0.001],
    // noise around 0
    [-0.0004, 0],
    [-0, 0],
    [5.551115123125783e-17, 0],
  ])('takes %d as %d', (sent, taken) => {
    expect(grams.safeParse(sent)).toEqual({ success: true, data: taken });
  });

  test.each([
    -0.001,
    -0.0005,
    1_000_000.0005,
    0.00049,
    1e-7,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1',
    null,
    true,
    [1],
  ])('refuses %p', (value) => {
    expect(accepts(grams, value)).toBe(false);
  });

  test('says that an amount would become 0, and what can be sent instead', () => {
    const detailOf = (schema: z.ZodType, value: number) => schema.safeParse(value).error?.issues[0]?.message;
    expect(detailOf(grams, 0.0001)).toBe('would be rounded to 0: send at least 0.001, or 0');
    expect(detailOf(decimal(0.001, 1), 0.0001)).toBe('would be rounded to 0: send at least 0.001');
  });
});

describe('money and whole numbers', () => {
  test('prices are exact to the kopeck', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), (minor) => {
        const value = Number(`${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`);
        return price().parse(value) === value && toMinor(value, 'RUB') === minor && toMajor(minor, 'RUB') === value;
      }),
      { numRuns: times(2_000, 20_000) },
    );
    for (const value of [-0.01, 100_000_000.01, '1']) expect(accepts(price(), value)).toBe(false);
    for (const value of [0.001, 1.999, 22.00000001]) expect(toMinor(value, 'RUB')).toBeUndefined();
    expect([price().parse(-5e-17), toMinor(1100.1000000000001, 'RUB'), toMinor(1.0005, 'KWD')]).toEqual([
      0,
      110_010,
      undefined,
    ]);
  });

  test('whole numbers lose the noise of a calculation before the limits apply', () => {
    const count = wholeNumber(1, 3);
    for (const [sent, taken] of [
      [2.9999999999999996, 3],
      [3.0000000000000004, 3],
      [0.9999999999999999, 1],
    ] as const) {
      expect(count.parse(sent)).toBe(taken);
    }
    for (const value of [0, 1.5, 2.999999, 3.000001, 4, 1e300, Number.NaN, '1', null])
      expect(accepts(count, value)).toBe(false);
  });
});

describe('days', () => {
  const calendarDay = day();

  test('accepts exactly the days that exist', () => {
    const two = (value: number) => String(value).padStart(2, '0');
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 9999 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 33 }),
        (year, month, date) => {
          const at = new Date(Date.UTC(year, month - 1, date));
          const exists = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === date;
          return accepts(calendarDay, `${year}-${two(month)}-${two(date)}`) === exists;
        },
      ),
      { numRuns: times(2_000, 20_000) },
    );
  });

  test.each([
    ['2024-02-29', true],
    ['2026-02-29', false],
    ['1900-02-29', false],
    ['2000-02-29', true],
    ['2026-04-31', false],
    ['2026-12-32', false],
    ['2026-1-1', false],
    ['2026-01-01T00:00:00Z', false],
    [' 2026-01-01', false],
    ['2026-01-01\n', false],
    ['+02026-01-01', false],
    ['', false],
    [20260101, false],
    [null, false],
  ])('%j: %p', (value, taken) => {
    expect(accepts(day(), value)).toBe(taken);
  });

  test.each([
    ['2026-11-21T12:00:00Z', true],
    ['2026-11-21T12:00:00.123+03:00', true],
    ['2026-11-21T12:00:00', false],
    ['2026-02-30T12:00:00Z', false],
    ['2026-11-21', false],
    ['2026-11-21T25:00:00Z', false],
  ])('time %j: %p', (value, taken) => {
    expect(accepts(timestamp(), value)).toBe(taken);
  });

  test('only a text as short as a time is searched for a space', () => {
    const detailOf = (value: string) => timestamp().safeParse(value).error?.issues[0]?.message;
    expect(detailOf('T'.repeat(94).concat(' 03:00'))).toMatch(/^has a space/);
    expect(detailOf('T'.repeat(95).concat(' 03:00'))).toMatch(/^must be an ISO 8601 time/);
  });
});

describe('text', () => {
  const anyText = text(100);
  const someText = nonBlank(100);

  test('is accepted if and only if it has no NUL and no lone surrogate', () => {
    fc.assert(
      fc.property(anyString, (value) => {
        const storable = !value.includes('\0') && Buffer.from(value, 'utf8').toString('utf8') === value;
        return accepts(anyText, value) === storable && accepts(someText, value) === (storable && value.trim() !== '');
      }),
      { numRuns: 5_000 },
    );
  });

  test('is returned unchanged, within its length', () => {
    expect(text(5).parse('  é🙂')).toBe('  é🙂');
    expect(accepts(text(3), 'abcd')).toBe(false);
    expect(accepts(text(3, 1), '')).toBe(false);
    for (const blank of ['', ' ', '\t\n', '\u00a0\u2003']) expect(accepts(nonBlank(9), blank)).toBe(false);
    for (const value of [1, null, {}, ['a']]) expect(accepts(text(9), value)).toBe(false);
  });
});

test.each([
  ['#1E90FF', true],
  ['#1e90ff', true],
  ['1E90FF', false],
  ['#1E90F', false],
  ['#1E90FFF', false],
  ['#1E90FG', false],
  ['#1E90FF\n', false],
  ['red', false],
])('color %j: %p', (value, taken) => {
  expect(accepts(color(), value)).toBe(taken);
});

test.each([
  ['01890a5d-ac96-774b-bcce-b302099a8057', true],
  ['00000000-0000-0000-0000-000000000000', true],
  ['01890a5dac96774bbcceb302099a8057', false],
  ['01890a5d-ac96-774b-bcce-b302099a805', false],
  ["' OR 1=1 --", false],
])('id %j: %p', (value, taken) => {
  expect(accepts(uuid(), value)).toBe(taken);
});

describe('pagination', () => {
  const query = z.strictObject(pageQuery);

  test('has defaults and limits', () => {
    expect(query.parse({})).toEqual({ page: 1, per_page: 50 });
    expect(query.parse({ page: '999999999', per_page: '200' })).toEqual({ page: 999_999_999, per_page: 200 });
    // as Python prints what it calculated
    expect(query.parse({ page: '2.0', per_page: '3.0000000000000004' })).toEqual({ page: 2, per_page: 3 });
    expect(offsetOf({ page: 1, per_page: 200 })).toBe(0);
    expect(offsetOf({ page: 3, per_page: 20 })).toBe(40);
    expect(Number.isSafeInteger(offsetOf({ page: 999_999_999, per_page: 200 }))).toBe(true);
  });

  test.each([
    { page: '0' },
    { page: '-1' },
    { page: '1.5' },
    { page: '1e2' },
    { page: ' 1' },
    { page: '' },
    { page: '1000000000' },
    { page: ['1', '2'] },
    { per_page: '0' },
    { per_page: '201' },
    { per_page: 'all' },
    { per_page: '٣' },
    { other: '1' },
  ])('refuses %j', (wrong) => {
    expect(accepts(query, wrong)).toBe(false);
  });
});
