import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useI18n } from '../i18n/i18n';
import type { Language } from '../i18n/messages';

export function LanguageChoice() {
  const { language, setLanguage, messages } = useI18n();
  return (
    <SegmentedControl
      size="xs"
      aria-label={messages.user.language}
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
  const { messages } = useI18n();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      aria-label={messages.user.theme}
      value={colorScheme}
      onChange={(chosen) => setColorScheme(chosen as typeof colorScheme)}
      data={[
        { value: 'light', label: messages.user.light },
        { value: 'dark', label: messages.user.dark },
        { value: 'auto', label: messages.user.auto },
      ]}
    />
  );
}
