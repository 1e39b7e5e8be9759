import { decimalsOf } from '../board/order-values';

/** An amount in minor units, as the language writes it: `1 490,00 ₽`. What is no currency stands behind its number. */
export function sayMoney(minor: number, currency: string | null, language: string): string {
  const major = minor / 10 ** decimalsOf(currency);
  try {
    return new Intl.NumberFormat(language, { style: 'currency', currency: currency ?? '' }).format(major);
  } catch {
    return [new Intl.NumberFormat(language, { minimumFractionDigits: 2 }).format(major), currency]
      .filter(Boolean)
      .join(' ');
  }
}
