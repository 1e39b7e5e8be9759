import { toMajor } from './currency';

/** An amount in the currency's main unit, as the language writes it: `1 490,00 ₽`. What is no currency stands behind its number. */
export function formatAmount(major: number, currency: string | null, language: string): string {
  try {
    return new Intl.NumberFormat(language, { style: 'currency', currency: currency ?? '' }).format(major);
  } catch {
    return [new Intl.NumberFormat(language, { minimumFractionDigits: 2 }).format(major), currency]
      .filter(Boolean)
      .join(' ');
  }
}

/** As `sayAmount`, of minor units. */
export const formatMoney = (minor: number, currency: string | null, language: string): string =>
  formatAmount(toMajor(minor, currency), currency, language);
