import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useSpeech } from '../i18n/i18n';
import type { Language } from '../i18n/messages';

export function LanguageChoice() {
  const { language, setLanguage, words } = useSpeech();
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.user.language}
      value={language}
      onChange={(chosen) => setLanguage(chosen as Language)}
      data={[
        { value: 'en', label: 'English' },
        { value: 'ru', label: 'Русский' },
      ]}
    />
  );
}

export function ThemeChoice() {
  const { words } = useSpeech();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.user.theme}
      value={colorScheme}
      onChange={(chosen) => setColorScheme(chosen as typeof colorScheme)}
      data={[
        { value: 'light', label: words.user.light },
        { value: 'dark', label: words.user.dark },
        { value: 'auto', label: words.user.auto },
      ]}
    />
  );
}
