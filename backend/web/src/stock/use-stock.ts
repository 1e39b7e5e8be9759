import { useMemo } from 'react';
import { useSpeech, useWordsOf } from '../language';
import { WORDS } from './words';

/** The words of the stock and how it writes its amounts: grams to the milligram, roubles to the kopeck. */
export function useStock() {
  const words = useWordsOf(WORDS);
  const { language } = useSpeech();
  const formats = useMemo(() => {
    const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
    const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
    const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 3, signDisplay: 'exceptZero' });
    const roubles = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: 'RUB',
      currencyDisplay: 'narrowSymbol',
    });
    return {
      grams: (value: number) => exact.format(value),
      signedGrams: (value: number) => signed.format(value),
      roubles: (value: number) => roubles.format(value),
    };
  }, [language]);
  return { words, ...formats };
}
