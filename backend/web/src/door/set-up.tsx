import { Alert, Button, Group, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, Problem } from '../api';
import { useSpeech } from '../language';
import { queryClient, SESSION } from '../queries';
import { sayProblem } from '../say-problem';
import { Door } from './door';

const LEAST_PASSWORD = 12;

/** The one-time link of the first start: its code is behind the `#`, which browsers send to nobody. */
export function SetUp({ isUsed }: { isUsed: boolean }) {
  const { words } = useSpeech();
  const { door } = words;
  const [, navigate] = useLocation();
  const code = location.hash.slice(1);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', name: '', password: '', again: '' },
    validate: {
      name: (name) => (name.trim() ? null : door.required),
      email: (email) => (/^\S+@\S+$/.test(email) ? null : door.emailRule),
      password: (password) => (password.length < LEAST_PASSWORD ? door.passwordRule : null),
      again: (again, { password }) => (again === password ? null : door.passwordsDiffer),
    },
  });
  const setUp = useMutation({
    mutationFn: api.setUp,
    onSuccess(session) {
      queryClient.setQueryData(SESSION, session);
      navigate('/', { replace: true });
    },
    onError(error) {
      if (!(error instanceof Problem)) return;
      for (const { pointer, detail } of error.faults) form.setFieldError(pointer.slice(1), detail);
    },
  });

  const { error } = setUp;
  if (isUsed || code === '' || (error instanceof Problem && error.code === 'not_found')) {
    return (
      <Door title={door.setUp} lead={door.linkUsedLead}>
        <Alert color="red" role="alert">
          {door.linkUsed}
        </Alert>
        <Group>
          <Button
            onClick={() => {
              queryClient.invalidateQueries({ queryKey: SESSION });
              navigate('/', { replace: true });
            }}
          >
            {door.toSignIn}
          </Button>
        </Group>
      </Door>
    );
  }
  return (
    <Door title={door.setUp} lead={door.setUpLead}>
      <form noValidate onSubmit={form.onSubmit(({ again: _, ...owner }) => setUp.mutate({ code, ...owner }))}>
        {error && (
          <Alert color="red" mb="sm" role="alert">
            {sayProblem(error, words)}
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
        <TextInput mt="sm" label={door.name} autoComplete="organization" required {...form.getInputProps('name')} />
        <PasswordInput
          visibilityToggleButtonProps={{ 'aria-label': door.showPassword }}
          mt="sm"
          label={door.password}
          description={door.passwordRule}
          autoComplete="new-password"
          required
          {...form.getInputProps('password')}
        />
        <PasswordInput
          visibilityToggleButtonProps={{ 'aria-label': door.showPassword }}
          mt="sm"
          label={door.passwordAgain}
          autoComplete="new-password"
          required
          {...form.getInputProps('again')}
        />
        <Button type="submit" fullWidth mt="lg" loading={setUp.isPending}>
          {door.setUpButton}
        </Button>
      </form>
    </Door>
  );
}
