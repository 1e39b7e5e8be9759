import { useMemo } from 'react';
import { useCurrency } from '../auth/use-currency';
import { symbolOf } from '../i18n/currency';
import { useI18n, useMessages } from '../i18n/i18n';
import { MESSAGES } from './messages';

/** Messages and number formats of the stock pages: grams to the milligram, money in the account's currency. */
export function useStockFormats() {
  const messages = useMessages(MESSAGES);
  const { language } = useI18n();
  const currency = useCurrency();
  const formats = useMemo(() => {
    const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
    const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
    const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
    const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 3, signDisplay: 'exceptZero' });
    const money = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    return {
      formatGrams: (value: number) => exact.format(value),
      /** a sum in grams, without the decimals that nobody weighs */
      formatSum: (value: number) => (value < 100 ? exact : whole).format(value),
      formatSignedGrams: (value: number) => signed.format(value),
      formatMoney: (value: number) => money.format(value),
      spoolPriceLabel: messages.spoolPrice(symbolOf(currency, locale)),
    };
  }, [language, currency, messages]);
  return { messages, currency, ...formats };
}
