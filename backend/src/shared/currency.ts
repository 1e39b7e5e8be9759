import { toExactUnits } from '../../../common/src/numbers.ts';

/** The currency of accounts that never selected one: the interface specification's `spool_price_rub` is in rubles. */
export const DEFAULT_CURRENCY = 'RUB';

/** Whether it is an ISO 4217 currency code in capital letters. */
export const isCurrency = (code: string): boolean => CURRENCIES.has(code);
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const digits = new Map<string, number>();

/** Decimal places of a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
export function digitsOf(currency: string): number {
  const known = digits.get(currency);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const found = format.resolvedOptions().maximumFractionDigits ?? 2;
  digits.set(currency, found);
  return found;
}

/** Converts minor to major units: 4990 EUR cents are 49.9. */
export const toMajor = (minor: number, currency: string): number => minor / 10 ** digitsOf(currency);
export const toMajorOrNull = (minor: number | null, currency: string): number | null =>
  minor === null ? null : toMajor(minor, currency);

/**
 * Converts major to minor units, without the noise of a calculation. @returns undefined if the amount has more decimals
 * than the currency
 */
export const toMinor = (major: number, currency: string): number | undefined => toExactUnits(major, digitsOf(currency));
