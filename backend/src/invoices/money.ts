import { digitsOf } from '../shared/currency.ts';
import type { Language } from '../shared/language.ts';

const NO_BREAK_SPACE = '\u00a0';
const MARKS: Record<Language, { thousands: string; decimal: string }> = {
  en: { thousands: ',', decimal: '.' },
  ru: { thousands: NO_BREAK_SPACE, decimal: ',' },
};

/**
 * `1,234.50 EUR`, `1 234,50 RUB`. Formatted without `Intl`, whose output depends on the version of Node.js, while an
 * issued document must never change.
 * @param digits decimal places of the currency when the document was issued
 */
export function sayAmount(minor: number, currency: string, language: Language, digits = digitsOf(currency)): string {
  const { thousands, decimal } = MARKS[language];
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(\d{3})+$)/g, thousands);
  const rest = digits === 0 ? '' : decimal + text.slice(-digits);
  return `${minor < 0 ? '−' : ''}${whole}${rest}${NO_BREAK_SPACE}${currency}`;
}

/** A date as written on a document: `2026-03-09`, `09.03.2026`. */
export const sayDay = (day: string, language: Language): string =>
  language === 'ru' ? day.split('-').reverse().join('.') : day;
