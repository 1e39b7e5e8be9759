import { Alert, Anchor, Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Problem } from '../api/client';
import { startSession } from '../api/query-client';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { AuthPage } from './auth-page';
import { EmailField, PasswordField } from './fields';
import { MESSAGES } from './messages';
import { sessionApi } from './session-api';

export function SignIn({ canSignUp }: { canSignUp: boolean }) {
  const { messages } = useI18n();
  const auth = useMessages(MESSAGES);
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });
  const signIn = useMutation({
    mutationFn: sessionApi.signIn,
    onSuccess: startSession,
  });
  const { error } = signIn;
  return (
    <AuthPage title={auth.signIn}>
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        {error && (
          <Alert color="red" mb="sm" role="alert">
            {error instanceof Problem && error.code === 'unauthorized' ? auth.wrong : formatError(error, messages)}
          </Alert>
        )}
        <EmailField autoFocus {...form.getInputProps('email')} />
        <PasswordField {...form.getInputProps('password')} />
        <Button type="submit" fullWidth mt="lg" loading={signIn.isPending}>
          {auth.signIn}
        </Button>
      </form>
      {canSignUp && (
        <Anchor component={Link} href="/sign-up" size="sm" underline="always">
          {auth.toSignUp}
        </Anchor>
      )}
    </AuthPage>
  );
}
