import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../api/api';
import { MIN_PASSWORD, PasswordAgainField, PasswordField } from '../auth/fields';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { sayProblem } from '../api/format-error';
import { account, sessionsQuery } from './account-api';
import { WORDS } from './messages';

export function ChangePassword({ email }: { email: string }) {
  const { words: general } = useSpeech();
  const words = useWordsOf(WORDS);
  const client = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current: '', next: '', again: '' },
    validate: {
      current: (current) => (current ? null : general.door.required),
      next: (next) => (next.length < MIN_PASSWORD ? general.door.passwordRule : null),
      again: (again, { next }) => (again === next ? null : general.door.passwordsDiffer),
    },
  });
  const change = useMutation({
    mutationFn: ({ current, next }: { current: string; next: string }) =>
      account.changePassword({ current_password: current, new_password: next }),
    gcTime: 0,
    onSuccess() {
      form.reset();
      client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError(error) {
      if (!(error instanceof Problem)) return;
      for (const { pointer, detail } of error.faults) {
        if (pointer === '/current_password') form.setFieldError('current', words.wrong);
        else if (pointer === '/new_password') form.setFieldError('next', detail);
      }
    },
  });
  const { error } = change;
  const isAtAField = error instanceof Problem && error.faults.length > 0;
  return (
    <Stack component="section" gap="xs" aria-labelledby="password">
      <Title order={2} size="h4" id="password">
        {words.password}
      </Title>
      <Text size="sm" c="dimmed">
        {words.passwordLead}
      </Text>
      <form noValidate onSubmit={form.onSubmit((values) => change.mutate(values))}>
        {/* so that a password manager knows whose password it is */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField key={form.key('current')} label={words.current} {...form.getInputProps('current')} />
        <PasswordField key={form.key('next')} isNew label={words.next} {...form.getInputProps('next')} />
        <PasswordAgainField key={form.key('again')} label={words.again} {...form.getInputProps('again')} />
        <div role="status">
          {change.isSuccess && (
            <Alert color="teal" variant="light" c="inherit" mt="sm">
              {words.changed}
            </Alert>
          )}
        </div>
        {error && !isAtAField && (
          <Alert color="red" mt="sm" role="alert">
            {sayProblem(error, general)}
          </Alert>
        )}
        <Button type="submit" mt="md" loading={change.isPending}>
          {words.change}
        </Button>
      </form>
    </Stack>
  );
}
