import { Select, type SelectProps } from '@mantine/core';
import { useMemo } from 'react';
import { useSpeech } from '../i18n/i18n';

/** Any currency, found by its code or its name. */
export function CurrencyChoice(props: SelectProps) {
  const { language } = useSpeech();
  const data = useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: 'currency' });
    return Intl.supportedValuesOf('currency').map((code) => ({ value: code, label: `${code} · ${names.of(code)}` }));
  }, [language]);
  return <Select data={data} searchable allowDeselect={false} limit={100} {...props} />;
}
