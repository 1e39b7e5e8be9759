import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../api/client';
import { isTooShort, PasswordAgainField, PasswordField } from '../auth/fields';
import { MESSAGES as AUTH_MESSAGES } from '../auth/messages';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { account, sessionsQuery } from './account-api';
import { MESSAGES } from './messages';
import { RemainingTokens } from './remaining-tokens';

export function ChangePassword({ email }: { email: string }) {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const auth = useMessages(AUTH_MESSAGES);
  const client = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current: '', next: '', again: '' },
    validate: {
      current: (current) => (current ? null : commonMessages.required),
      next: (next) => (isTooShort(next) ? auth.passwordRule : null),
      again: (again, { next }) => (again === next ? null : auth.passwordsDiffer),
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
      for (const { pointer } of error.faults) {
        if (pointer === '/current_password') form.setFieldError('current', messages.wrong);
        else if (pointer === '/new_password') form.setFieldError('next', auth.passwordWeak);
      }
    },
  });
  const { error } = change;
  const isAtAField = error instanceof Problem && error.faults.length > 0;
  return (
    <Stack component="section" gap="xs" aria-labelledby="password">
      <Title order={2} size="h4" id="password">
        {messages.password}
      </Title>
      <Text size="sm" c="dimmed">
        {messages.passwordLead}
      </Text>
      <form noValidate onSubmit={form.onSubmit((values) => change.mutate(values))}>
        {/* lets password managers assign the password to this account */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField key={form.key('current')} label={messages.current} {...form.getInputProps('current')} />
        <PasswordField key={form.key('next')} isNew label={messages.next} {...form.getInputProps('next')} />
        <PasswordAgainField key={form.key('again')} label={messages.again} {...form.getInputProps('again')} />
        <div role="status">
          {change.isSuccess && (
            <Alert color="teal" variant="light" c="inherit" mt="sm">
              {messages.changed}
            </Alert>
          )}
        </div>
        {change.isSuccess && <RemainingTokens />}
        {error && !isAtAField && (
          <Alert color="red" mt="sm" role="alert">
            {formatError(error, commonMessages)}
          </Alert>
        )}
        <Button type="submit" mt="md" loading={change.isPending}>
          {messages.change}
        </Button>
      </form>
    </Stack>
  );
}
