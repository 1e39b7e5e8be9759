import { toMajor } from './currency';

/** Formats an amount in major units: `1 490,00 ₽`. Unknown currency codes are appended to the number. */
export function formatAmount(major: number, currency: string | null, language: string): string {
  try {
    return new Intl.NumberFormat(language, { style: 'currency', currency: currency ?? '' }).format(major);
  } catch {
    return [new Intl.NumberFormat(language, { minimumFractionDigits: 2 }).format(major), currency]
      .filter(Boolean)
      .join(' ');
  }
}

/** Formats an amount in minor units. */
export const formatMoney = (minor: number, currency: string | null, language: string): string =>
  formatAmount(toMajor(minor, currency), currency, language);
