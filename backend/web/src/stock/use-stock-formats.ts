import { useMemo } from 'react';
import { symbolOf, useCurrency } from '../i18n/currency';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { WORDS } from './messages';

/** The words of the stock and how it writes its amounts: grams to the milligram, money in the account's currency. */
export function useStock() {
  const words = useWordsOf(WORDS);
  const { language } = useSpeech();
  const currency = useCurrency();
  const formats = useMemo(() => {
    const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
    const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
    const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 3, signDisplay: 'exceptZero' });
    const money = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    return {
      grams: (value: number) => exact.format(value),
      signedGrams: (value: number) => signed.format(value),
      money: (value: number) => money.format(value),
      spoolPriceLabel: words.spoolPrice(symbolOf(currency, locale)),
    };
  }, [language, currency, words]);
  return { words, currency, ...formats };
}
