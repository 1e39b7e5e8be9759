import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { useMessages } from '../i18n/i18n';
import { MESSAGES } from './messages';

/** The server also refuses passwords of 12 to 14 characters that are easy to guess (`accounts/passwords.ts`). */
export const isTooShort = (password: string): boolean => [...password].length < 12;

export function EmailField(props: TextInputProps) {
  const auth = useMessages(MESSAGES);
  return <TextInput label={auth.email} type="email" autoComplete="username" required {...props} />;
}

/** @param isNew shows the password rule and lets password managers suggest one */
export function PasswordField({ isNew, ...props }: PasswordInputProps & { isNew?: boolean }) {
  const auth = useMessages(MESSAGES);
  return (
    <PasswordInput
      mt="sm"
      label={auth.password}
      description={isNew && auth.passwordRule}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      visibilityToggleButtonProps={{ 'aria-label': auth.showPassword }}
      required
      {...props}
    />
  );
}

/** Password confirmation, checked before sending. */
export function PasswordAgainField(props: PasswordInputProps) {
  const auth = useMessages(MESSAGES);
  return <PasswordField label={auth.passwordAgain} autoComplete="new-password" {...props} />;
}
