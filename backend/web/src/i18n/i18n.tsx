import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { type Language, WORDS, type Words } from './messages';

const REMEMBERED = 'farmboard-language';

interface Speech {
  language: Language;
  setLanguage(language: Language): void;
  words: Words;
  /** at most one decimal, in the language's own writing */
  number(value: number): string;
  /** a day such as `2026-03-09`, short */
  day(day: string): string;
  /** a moment, to the minute */
  moment(iso: string): string;
  /** a moment, to the second */
  second(iso: string): string;
}

const Context = createContext<Speech | undefined>(undefined);

const isLanguage = (value: string | null): value is Language => value !== null && value in WORDS;

function firstLanguage(): Language {
  const remembered = localStorage.getItem(REMEMBERED);
  if (isLanguage(remembered)) return remembered;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

function speak(language: Language): Omit<Speech, 'language' | 'setLanguage'> {
  // the browser's own country, where it speaks this language: 26 Nov or Nov 26
  const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  // a calendar day has no time zone: read and written as UTC it stays the same day everywhere
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const dayOfOtherYear = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const second = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium' });
  const thisYear = String(new Date().getFullYear());
  return {
    words: WORDS[language],
    number: (value) => number.format(value),
    day: (text) => (text.startsWith(thisYear) ? day : dayOfOtherYear).format(new Date(`${text}T00:00:00Z`)),
    moment: (iso) => moment.format(new Date(iso)),
    second: (iso) => second.format(new Date(iso)),
  };
}

/** The language of the console: as chosen before, else as the browser has it, else English. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const speech = useMemo<Speech>(
    () => ({
      ...speak(language),
      language,
      setLanguage(chosen) {
        localStorage.setItem(REMEMBERED, chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <Context.Provider value={speech}>{children}</Context.Provider>;
}

export function useSpeech(): Speech {
  const speech = useContext(Context);
  if (!speech) throw new Error('useSpeech is called outside of LanguageProvider');
  return speech;
}

/** The words of one page, which are loaded with it: `{ en, ru }`, both of one shape. */
export const useWordsOf = <T,>(words: Record<Language, T>): T => words[useSpeech().language];
