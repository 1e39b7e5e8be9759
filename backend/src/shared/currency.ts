/** What an account counts in that never chose a currency: the contract's own price field is in roubles. */
export const DEFAULT_CURRENCY = 'RUB';

/** Whether it is a currency of ISO 4217, in capital letters. */
export const isCurrency = (code: string): boolean => CURRENCIES.has(code);
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const digits = new Map<string, number>();

/** How many decimals amounts of a currency have: 2 for EUR, 0 for JPY, 3 for KWD. */
export function digitsOf(currency: string): number {
  const known = digits.get(currency);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const found = format.resolvedOptions().maximumFractionDigits ?? 2;
  digits.set(currency, found);
  return found;
}

/** In the currency's main unit, as people write it: 4990 of EUR are 49.9. */
export const toMajor = (minor: number, currency: string): number => minor / 10 ** digitsOf(currency);
export const toMajorOrNull = (minor: number | null, currency: string): number | null =>
  minor === null ? null : toMajor(minor, currency);

/** @returns undefined where it has more decimals than the currency */
export function toMinor(major: number, currency: string): number | undefined {
  const minor = Math.round(major * 10 ** digitsOf(currency));
  return toMajor(minor, currency) === major ? minor : undefined;
}
