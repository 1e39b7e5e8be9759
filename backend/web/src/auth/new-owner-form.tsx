import { Alert, Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { Problem, type Schemas, type Session } from '../api/api';
import { currencyOfLocale } from '../i18n/currency';
import { CurrencyChoice } from '../ui/currency-select';
import { useSpeech } from '../i18n/i18n';
import { queryClient, SESSION } from '../api/query-client';
import { sayProblem } from '../api/format-error';
import { EmailField, MIN_PASSWORD, PasswordAgainField, PasswordField } from './fields';

/** Makes an account and signs in to it. */
export function NewOwnerForm({
  create,
  gone,
}: {
  create(owner: Schemas['NewOwnerInput']): Promise<Session>;
  /** the service says that there is nothing to be made here (any more) */
  gone(): void;
}) {
  const { words } = useSpeech();
  const { door } = words;
  const [, navigate] = useLocation();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', name: '', currency: currencyOfLocale(), password: '', again: '' },
    validate: {
      name: (name) => (name.trim() ? null : door.required),
      email: (email) => (/^\S+@\S+$/.test(email) ? null : door.emailRule),
      password: (password) => (password.length < MIN_PASSWORD ? door.passwordRule : null),
      again: (again, { password }) => (again === password ? null : door.passwordsDiffer),
    },
  });
  const make = useMutation({
    mutationFn: create,
    onSuccess(session) {
      queryClient.setQueryData(SESSION, session);
      navigate('/', { replace: true });
    },
    onError(error) {
      if (!(error instanceof Problem)) return;
      if (error.code === 'not_found') gone();
      for (const { pointer, detail } of error.faults) form.setFieldError(pointer.slice(1), detail);
    },
  });
  return (
    <form noValidate onSubmit={form.onSubmit(({ again: _, ...owner }) => make.mutate(owner))}>
      {make.error && (
        <Alert color="red" mb="sm" role="alert">
          {sayProblem(make.error, words)}
        </Alert>
      )}
      <EmailField autoFocus {...form.getInputProps('email')} />
      <TextInput mt="sm" label={door.name} autoComplete="organization" required {...form.getInputProps('name')} />
      <CurrencyChoice
        mt="sm"
        label={door.currency}
        description={door.currencyHint}
        required
        {...form.getInputProps('currency')}
      />
      <PasswordField isNew {...form.getInputProps('password')} />
      <PasswordAgainField {...form.getInputProps('again')} />
      <Button type="submit" fullWidth mt="lg" loading={make.isPending}>
        {door.setUpButton}
      </Button>
    </form>
  );
}
