import { times } from '../../test/kit/length.ts';
import { type Fraction, sentNumbers, thousandthsOf, unitsOf } from '../../test/kit/numbers.ts';
import { seedFrom } from '../../test/kit/random.ts';
import { roundToThousandths, roundToUnits, toExactUnits } from './numbers.ts';

const SEED = seedFrom('NUMBERS_SEED');
const NUMBERS = sentNumbers(times(10_000, 300_000), SEED);

/** How far so many units of 10^-places are from the exact result, in billionths of a unit. */
function distance(units: number, places: number, { whole, over }: Fraction): number {
  const difference = BigInt(units) * over - whole * 10n ** BigInt(places);
  return Number(((difference < 0n ? -difference : difference) * 1_000_000_000n) / over);
}

describe(`products and quotients of two decimals (NUMBERS_SEED=${SEED})`, () => {
  test('are rounded to the nearest thousandth', () => {
    const wrong = NUMBERS.filter(({ text, exact }) => {
      const units = roundToUnits(JSON.parse(text) as number, 3);
      const isNearest = isRounded(text) || distance(units, 3, exact) <= 500_100_000;
      return units !== Number(thousandthsOf(text)) || !isNearest;
    });
    expect(wrong).toEqual([]);
  });

  test.each([0, 2, 3])('in units of 10^-%d lose their noise, and no true further place', (places) => {
    const wrong: string[] = [];
    let taken = 0;
    for (const { text, exact } of NUMBERS) {
      const units = toExactUnits(JSON.parse(text) as number, places);
      if (units !== undefined) taken += 1;
      const wanted = unitsOf(text, places);
      const isTaken = (isRounded(text) ? undefined : isWhole(exact, places)) ?? wanted !== undefined;
      if (units !== (wanted === undefined ? undefined : Number(wanted)) || isTaken !== (units !== undefined)) {
        wrong.push(text);
      }
    }
    expect(wrong).toEqual([]);
    expect(taken).toBeGreaterThan(NUMBERS.length / 3);
    expect(NUMBERS.length - taken).toBeGreaterThan(places === 3 ? 100 : 1_000);
  });
});

/**
 * Whether the exact result is a whole number of units; undefined if it is so near to one that a double can't tell, or so
 * large that a double is itself a millionth of a unit wrong.
 */
function isWhole({ whole, over }: Fraction, places: number): boolean | undefined {
  const units = whole * 10n ** BigInt(places);
  const rest = units % over;
  if (rest === 0n) return units < over * 1_000_000_000n ? true : undefined;
  const away = rest * 2n > over ? over - rest : rest;
  return away * 900_000n > over ? false : undefined;
}

/** Whether the sender has rounded to two places itself, so that it may differ from the exact result. */
const isRounded = (text: string): boolean => /^\d+\.\d{1,2}$/.test(text);

test.each([
  [37.019999999999996, 37.02],
  [1.2345, 1.235],
  // 1000.4999999999999 when multiplied by 1000
  [1.0005, 1.001],
  [-1.0005, -1.001],
  // below the half, but 139.5 when multiplied by 1000
  [0.13949999999999999, 0.139],
  [0.0005, 0.001],
  [0.00049, 0],
  [1e-7, 0],
  [5e-324, 0],
  [-0, 0],
  [-0.0004, 0],
  [0.1 + 0.2, 0.3],
  [1e21, 1e21],
  [1.7976931348623157e308, Number.POSITIVE_INFINITY],
  [Number.NaN, Number.NaN],
])('%d is rounded to %d', (value, rounded) => {
  expect(roundToThousandths(value)).toBe(rounded);
});

test.each([
  [2.9999999999999996, 0, 3],
  [-3.0000000000000004, 0, -3],
  [4990.000000000001, 0, 4990],
  [-5e-17, 0, 0],
  // exactly a millionth away
  [3.000001, 0, undefined],
  [1234567.000001, 0, undefined],
  [2.999999, 0, undefined],
  [3.00000099, 0, 3],
  [22.000000009, 2, 2200],
  [22.00000001, 2, undefined],
  [1.5, 0, undefined],
  [1e300, 0, 1e300],
  [Number.POSITIVE_INFINITY, 0, undefined],
])('%d in units of 10^-%d is %p', (value, places, units) => {
  expect(toExactUnits(value, places)).toBe(units);
});
