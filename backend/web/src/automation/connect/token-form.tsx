import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/client';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import { CopyText } from '../../ui/copy-text';
import { automation, tokensQuery } from '../automation-api';
import { MESSAGES as TOKEN_MESSAGES } from '../tokens/messages';
import { MESSAGES } from './messages';

/** Creates a token and inserts it into the snippets until the page is closed. */
export function TokenForm({ token, onCreated }: { token: string | undefined; onCreated(token: string): void }) {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const { nameRule } = useMessages(TOKEN_MESSAGES);
  const client = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: 'n8n' },
    validate: { name: (name) => (name.trim() ? null : nameRule) },
  });
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) => automation.createToken({ name }),
    // the response contains the secret, so it must not stay in the mutation cache
    gcTime: 0,
    onSuccess(text) {
      onCreated(text);
      create.reset();
    },
    onError(error) {
      if (error instanceof Problem && error.faults.some(({ pointer }) => pointer === '/name'))
        form.setFieldError('name', messages.tokenTaken);
      else notifications.show({ color: 'red', message: formatError(error, commonMessages) });
    },
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  if (token !== undefined) {
    return (
      <Alert color="teal" variant="light" c="inherit" role="status">
        {messages.tokenFilled}
        <CopyText label={messages.tokenTitle} text={token} />
      </Alert>
    );
  }
  return (
    <form noValidate aria-label={messages.tokenTitle} onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={messages.tokenName}
          description={messages.tokenHint}
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <Button type="submit" variant="default" loading={create.isPending}>
          {messages.tokenMake}
        </Button>
      </Group>
    </form>
  );
}
