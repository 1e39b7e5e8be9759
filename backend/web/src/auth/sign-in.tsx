import { Alert, Anchor, Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, Problem } from '../api/api';
import { useSpeech } from '../i18n/i18n';
import { queryClient, SESSION } from '../api/query-client';
import { sayProblem } from '../api/format-error';
import { Door } from './auth-page';
import { EmailField, PasswordField } from './fields';

export function SignIn({ canSignUp }: { canSignUp: boolean }) {
  const { words } = useSpeech();
  const { door } = words;
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });
  const signIn = useMutation({
    mutationFn: api.signIn,
    onSuccess: (session) => queryClient.setQueryData(SESSION, session),
  });
  const { error } = signIn;
  return (
    <Door title={door.signIn}>
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        {error && (
          <Alert color="red" mb="sm" role="alert">
            {error instanceof Problem && error.code === 'unauthorized' ? door.wrong : sayProblem(error, words)}
          </Alert>
        )}
        <EmailField autoFocus {...form.getInputProps('email')} />
        <PasswordField {...form.getInputProps('password')} />
        <Button type="submit" fullWidth mt="lg" loading={signIn.isPending}>
          {door.signIn}
        </Button>
      </form>
      {canSignUp && (
        <Anchor component={Link} href="/sign-up" size="sm" underline="always">
          {door.toSignUp}
        </Anchor>
      )}
    </Door>
  );
}
