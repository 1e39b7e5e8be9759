import { Alert, Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { Problem, type Schemas, type Session } from '../api/client';
import { startSession } from '../api/query-client';
import { currencyOfLocale } from '../i18n/currency';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { CurrencySelect } from '../ui/currency-select';
import { EmailField, isTooShort, PasswordAgainField, PasswordField } from './fields';
import { MESSAGES } from './messages';

/** Creates an account and signs in to it. */
export function NewOwnerForm({
  signUp,
  onUnavailable,
}: {
  signUp(owner: Schemas['NewOwnerInput']): Promise<Session>;
  /** called when the server answers 404: sign-up or setup is no longer available */
  onUnavailable(): void;
}) {
  const { messages } = useI18n();
  const auth = useMessages(MESSAGES);
  const [, navigate] = useLocation();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', name: '', currency: currencyOfLocale(), password: '', again: '' },
    validate: {
      name: (name) => (name.trim() ? null : messages.required),
      email: (email) => (/^\S+@\S+$/.test(email) ? null : auth.emailRule),
      password: (password) => (isTooShort(password) ? auth.passwordRule : null),
      again: (again, { password }) => (again === password ? null : auth.passwordsDiffer),
    },
  });
  const create = useMutation({
    mutationFn: signUp,
    onSuccess(session) {
      startSession(session);
      navigate('/', { replace: true });
    },
    onError(error) {
      if (!(error instanceof Problem)) return;
      if (error.code === 'not_found') onUnavailable();
      for (const { pointer, detail } of error.faults) {
        form.setFieldError(pointer.slice(1), pointer === '/password' ? auth.passwordWeak : detail);
      }
    },
  });
  return (
    <form noValidate onSubmit={form.onSubmit(({ again: _, ...owner }) => create.mutate(owner))}>
      {create.error && (
        <Alert color="red" mb="sm" role="alert">
          {formatError(create.error, messages)}
        </Alert>
      )}
      <EmailField autoFocus {...form.getInputProps('email')} />
      <TextInput mt="sm" label={auth.name} autoComplete="organization" required {...form.getInputProps('name')} />
      <CurrencySelect
        mt="sm"
        label={auth.currency}
        description={auth.currencyHint}
        required
        {...form.getInputProps('currency')}
      />
      <PasswordField isNew {...form.getInputProps('password')} />
      <PasswordAgainField {...form.getInputProps('again')} />
      <Button type="submit" fullWidth mt="lg" loading={create.isPending}>
        {auth.setupButton}
      </Button>
    </form>
  );
}
