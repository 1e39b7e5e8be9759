import { Select, type SelectProps } from '@mantine/core';
import { useMemo } from 'react';
import { useI18n } from '../i18n/i18n';

/** Currency select, searchable by code and name. */
export function CurrencySelect(props: SelectProps) {
  const { language } = useI18n();
  const data = useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: 'currency' });
    return Intl.supportedValuesOf('currency').map((code) => ({ value: code, label: `${code} · ${names.of(code)}` }));
  }, [language]);
  return <Select data={data} searchable allowDeselect={false} limit={100} {...props} />;
}
