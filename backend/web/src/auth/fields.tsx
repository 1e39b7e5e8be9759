import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { useSpeech } from '../i18n/i18n';

/** The rule of the service (`accounts/passwords.ts`). */
export const MIN_PASSWORD = 12;

export function EmailField(props: TextInputProps) {
  const { door } = useSpeech().words;
  return <TextInput label={door.email} type="email" autoComplete="username" required {...props} />;
}

/** @param isNew the rule is said, and password managers offer one */
export function PasswordField({ isNew, ...props }: PasswordInputProps & { isNew?: boolean }) {
  const { door } = useSpeech().words;
  return (
    <PasswordInput
      mt="sm"
      label={door.password}
      description={isNew && door.passwordRule}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      visibilityToggleButtonProps={{ 'aria-label': door.showPassword }}
      required
      {...props}
    />
  );
}

/** Typed twice: what differs is said before anything is sent. */
export function PasswordAgainField(props: PasswordInputProps) {
  const { door } = useSpeech().words;
  return <PasswordField label={door.passwordAgain} autoComplete="new-password" {...props} />;
}
