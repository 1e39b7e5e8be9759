import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/api';
import { CopyText } from '../../ui/copy-text';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { sayProblem } from '../../api/format-error';
import { automation, tokensQuery } from '../automation-api';
import { WORDS as TOKEN_WORDS } from '../tokens/messages';
import { WORDS } from './messages';

/** Makes a token that the texts of this page are written with, for as long as the page is open. */
export function TokenMaker({ token, made }: { token: string | undefined; made(token: string): void }) {
  const { words: general } = useSpeech();
  const words = useWordsOf(WORDS);
  const { nameRule } = useWordsOf(TOKEN_WORDS);
  const client = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: 'n8n' },
    validate: { name: (name) => (name.trim() ? null : nameRule) },
  });
  const make = useMutation({
    mutationFn: ({ name }: { name: string }) => automation.createToken({ name }),
    // nothing remembers it but the page that shows it
    gcTime: 0,
    onSuccess(text) {
      made(text);
      make.reset();
    },
    onError(error) {
      if (error instanceof Problem && error.faults.some(({ pointer }) => pointer === '/name'))
        form.setFieldError('name', words.tokenTaken);
      else notifications.show({ color: 'red', message: sayProblem(error, general) });
    },
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  if (token !== undefined) {
    return (
      <Alert color="teal" variant="light" c="inherit" role="status">
        {words.tokenFilled}
        <CopyText label={words.tokenTitle} text={token} />
      </Alert>
    );
  }
  return (
    <form noValidate aria-label={words.tokenTitle} onSubmit={form.onSubmit((values) => make.mutate(values))}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={words.tokenName}
          description={words.tokenHint}
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <Button type="submit" variant="default" loading={make.isPending}>
          {words.tokenMake}
        </Button>
      </Group>
    </form>
  );
}
