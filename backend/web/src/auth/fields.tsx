import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { useI18n } from '../i18n/i18n';

/** Matches the server's rule in `accounts/passwords.ts`. */
export const MIN_PASSWORD = 12;

export function EmailField(props: TextInputProps) {
  const { auth } = useI18n().messages;
  return <TextInput label={auth.email} type="email" autoComplete="username" required {...props} />;
}

/** @param isNew shows the password rule and lets password managers suggest one */
export function PasswordField({ isNew, ...props }: PasswordInputProps & { isNew?: boolean }) {
  const { auth } = useI18n().messages;
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
  const { auth } = useI18n().messages;
  return <PasswordField label={auth.passwordAgain} autoComplete="new-password" {...props} />;
}
