import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from './icons.tsx';

interface SearchBoxProps extends Omit<TextInputProps, 'label' | 'value' | 'onChange'> {
  label: string;
  value: string;
  onChange(text: string): void;
  /** label of a button that empties the field */
  clear?: string;
}

export function SearchBox({ label, value, onChange, clear, ...rest }: SearchBoxProps) {
  return (
    <TextInput
      type="search"
      size="xs"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={clear && value && <CloseButton size="xs" aria-label={clear} onClick={() => onChange('')} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  );
}
