import { Alert, Button, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { api, Problem } from '../api';
import { useSpeech } from '../language';
import { queryClient, SESSION } from '../queries';
import { sayProblem } from '../say-problem';
import { Door } from './door';

export function SignIn() {
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
        <TextInput
          label={door.email}
          type="email"
          autoComplete="username"
          required
          autoFocus
          {...form.getInputProps('email')}
        />
        <PasswordInput
          visibilityToggleButtonProps={{ 'aria-label': door.showPassword }}
          mt="sm"
          label={door.password}
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth mt="lg" loading={signIn.isPending}>
          {door.signIn}
        </Button>
      </form>
    </Door>
  );
}
