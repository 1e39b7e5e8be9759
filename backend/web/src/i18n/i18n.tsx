import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { type Language, MESSAGES, type Messages } from './messages';

const STORAGE_KEY = 'farmboard-language';

interface I18n {
  language: Language;
  setLanguage(language: Language): void;
  messages: Messages;
  /** at most one decimal */
  formatNumber(value: number): string;
  /** formats a day such as `2026-03-09` as a short date */
  formatDay(day: string): string;
  /** date and time to the minute */
  formatDateTime(iso: string): string;
  /** date and time to the second */
  formatTimestamp(iso: string): string;
}

const I18nContext = createContext<I18n | undefined>(undefined);

const isLanguage = (value: string | null): value is Language => value !== null && value in MESSAGES;

function firstLanguage(): Language {
  const remembered = localStorage.getItem(STORAGE_KEY);
  if (isLanguage(remembered)) return remembered;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

function createI18n(language: Language): Omit<I18n, 'language' | 'setLanguage'> {
  // prefer the browser's regional variant of the language: 26 Nov or Nov 26
  const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  // days have no time zone: formatting them in UTC keeps the day
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const dayOfOtherYear = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const second = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium' });
  const thisYear = String(new Date().getFullYear());
  return {
    messages: MESSAGES[language],
    formatNumber: (value) => number.format(value),
    formatDay: (text) => (text.startsWith(thisYear) ? day : dayOfOtherYear).format(new Date(`${text}T00:00:00Z`)),
    formatDateTime: (iso) => moment.format(new Date(iso)),
    formatTimestamp: (iso) => second.format(new Date(iso)),
  };
}

/** Provides the language: the stored choice, else the browser's, else English. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const i18n = useMemo<I18n>(
    () => ({
      ...createI18n(language),
      language,
      setLanguage(chosen) {
        localStorage.setItem(STORAGE_KEY, chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <I18nContext.Provider value={i18n}>{children}</I18nContext.Provider>;
}

export function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (!i18n) throw new Error('useI18n is called outside of LanguageProvider');
  return i18n;
}

/** Selects the messages of one page, which are loaded together with it. */
export const useMessages = <T,>(messages: Record<Language, T>): T => messages[useI18n().language];
