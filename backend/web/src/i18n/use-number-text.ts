import { useMemo } from 'react';
import { useI18n } from './i18n';
import { type Mark, readNumber, UNCLEAR, writeNumber } from './read-number';

const markOf = (locale: string): Mark =>
  new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';

/**
 * The decimal mark of the person's language and region. Undefined if the console is shown with another mark than the
 * browser's own: then nobody knows which of them was meant.
 */
function decimalMark(language: string, tags: readonly string[] = navigator.languages): Mark | undefined {
  const mark = markOf(tags.find((tag) => tag.startsWith(language)) ?? language);
  return mark === markOf(tags[0] ?? language) ? mark : undefined;
}

/** How number fields read and write numbers. */
export function useNumberText() {
  const { language, messages } = useI18n();
  return useMemo(() => {
    const mark = decimalMark(language);
    return {
      /** @returns the text itself if it isn't a number or an unclear one */
      read(text: string): number | string {
        const value = readNumber(text, mark);
        return typeof value === 'number' ? value : text.trim();
      },
      write(value: number | string): string {
        if (typeof value === 'string') return value;
        return mark ? String(value).replace('.', mark) : writeNumber(String(value), '.');
      },
      /** What is wrong with a text that isn't a number. */
      explain(text: string): string {
        if (readNumber(text, mark) !== UNCLEAR) return messages.number.invalid;
        const [whole, decimal] = [readNumber(text, '.'), readNumber(text, ',')].sort((a, b) => Number(b) - Number(a));
        return messages.number.unclear(String(whole), writeNumber(String(decimal), '.'));
      },
    };
  }, [language, messages]);
}
