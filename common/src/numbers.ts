/** The shortest decimal text of a double, which JavaScript and Python print, as `digits` × 10^`exponent`. */
function toDecimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  return { digits: BigInt(`${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}

/** The nearest whole number of units of 10^-`places`, halves away from zero, and whether only binary noise was lost. */
function split(value: number, places: number): { units: number; isExact: boolean } {
  if (!Number.isFinite(value)) return { units: value, isExact: false };
  const { digits, exponent } = toDecimal(value);
  const scale = exponent + places;
  if (scale >= 0) return { units: Number(digits * 10n ** BigInt(scale)), isExact: true };
  const unit = 10n ** BigInt(-scale);
  const size = digits < 0n ? -digits : digits;
  const units = (2n * size + unit) / (2n * unit);
  const distance = size - units * unit;
  const isExact = (distance < 0n ? -distance : distance) * 1_000_000n < unit;
  return { units: Number(digits < 0n ? -units : units), isExact };
}

/**
 * Rounds to whole units of 10^-`places`: with 3, 1.2345 becomes 1235. Works on the decimal text, because a
 * multiplication would round 1.0005 down.
 */
export const roundToUnits = (value: number, places: number): number => split(value, places).units;

/**
 * The value in whole units of 10^-`places`, without the noise that calculating in doubles leaves: less than a millionth
 * of a unit.
 * @returns undefined if it has further places
 */
export function toExactUnits(value: number, places: number): number | undefined {
  const { units, isExact } = split(value, places);
  return isExact ? units : undefined;
}

/** Rounds grams or hours to the nearest thousandth, halves away from zero. */
export const roundToThousandths = (value: number): number => roundToUnits(value, 3) / 1000;
