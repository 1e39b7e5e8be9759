import { TextInput, type TextInputProps } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n';
import { useNumberText } from '../i18n/use-number-text';

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'min' | 'max' | 'type'> {
  /** a number, an empty text, or what was typed and isn't a number */
  value?: number | string;
  onChange?(value: number | string): void;
  /** negative numbers are refused unless it is below 0 */
  min?: number;
  max?: number;
  /** how many decimals the number may have; any number by default */
  decimals?: number;
}

/**
 * A field for a number as people type or paste it: `1,234.50`, `1.234,50`, `22,90`, `1 234,5`. What can't be read is
 * explained below the field, and its form isn't sent.
 */
export function NumberField(props: NumberFieldProps) {
  const { value = '', onChange, onBlur, error, min = 0, max, decimals, ...rest } = props;
  const { language, messages } = useI18n();
  const { read, write, explain } = useNumberText();
  const [typed, setTyped] = useState<{ text: string; value: number | string }>();
  const [isChecked, setChecked] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const fault = faultOf(value);

  // a form must not be sent without the number that someone meant
  useEffect(() => {
    const form = input.current?.form;
    if (!fault || !form) return;
    const refuse = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
      setChecked(true);
      input.current?.focus();
    };
    form.addEventListener('submit', refuse, { capture: true });
    return () => form.removeEventListener('submit', refuse, { capture: true });
  }, [fault]);

  function change(text: string) {
    const next = read(text);
    setTyped({ text, value: next });
    setChecked(false);
    onChange?.(next);
  }

  function step(event: KeyboardEvent) {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined || typeof value !== 'number') return;
    event.preventDefault();
    change(write(Math.min(Math.max(value + by, min), max ?? Number.POSITIVE_INFINITY)));
  }

  return (
    <TextInput
      ref={input}
      inputMode={decimals === 0 ? 'numeric' : 'decimal'}
      autoComplete="off"
      {...rest}
      value={typed && typed.value === value ? typed.text : write(value)}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onKeyDown={step}
      onBlur={(event) => {
        // shows what was understood
        setTyped(undefined);
        setChecked(true);
        onBlur?.(event);
      }}
      error={error ?? (isChecked ? fault : undefined)}
    />
  );

  function faultOf(number: number | string): string | undefined {
    if (number === '') return undefined;
    if (typeof number === 'string') return explain(number);
    const format = (limit: number) => limit.toLocaleString(language, { maximumFractionDigits: 3 });
    if (number < min) return messages.number.min(format(min));
    if (max !== undefined && number > max) return messages.number.max(format(max));
    if (decimals === undefined || Number(number.toFixed(decimals)) === number) return undefined;
    return messages.number.decimals(decimals);
  }
}
