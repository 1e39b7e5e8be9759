import { Alert, Button, Group, Modal, Radio, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/api';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { sayProblem } from '../../api/format-error';
import { automation, tokensQuery } from '../automation-api';
import { WORDS as COMMON } from '../messages';
import { WORDS } from './messages';

const LIFETIMES = [30, 90, 365];
const NEVER = 'never';

export function NewToken({ opened, close, made }: { opened: boolean; close(): void; made(token: string): void }) {
  const words = useWordsOf(WORDS);
  const common = useWordsOf(COMMON);
  return (
    <Modal opened={opened} onClose={close} title={words.make} closeButtonProps={{ 'aria-label': common.close }}>
      <Form close={close} made={made} />
    </Modal>
  );
}

function Form({ close, made }: { close(): void; made(token: string): void }) {
  const { words: general } = useSpeech();
  const words = useWordsOf(WORDS);
  const common = useWordsOf(COMMON);
  const client = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', lifetime: '365' },
    validate: { name: (name) => (name.trim() ? null : words.nameRule) },
  });
  const create = useMutation({
    mutationFn: ({ name, lifetime }: { name: string; lifetime: string }) =>
      automation.createToken({ name, days: lifetime === NEVER ? null : Number(lifetime) }),
    // nothing remembers it but the page that shows it
    gcTime: 0,
    onSuccess(token) {
      close();
      made(token);
    },
    onError(error) {
      // blank and too long are not sent
      if (error instanceof Problem && error.faults.some(({ pointer }) => pointer === '/name'))
        form.setFieldError('name', words.nameTaken);
    },
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => create.mutate(values))}>
      {create.error && (
        <Alert color="red" mb="sm" role="alert">
          {sayProblem(create.error, general)}
        </Alert>
      )}
      <TextInput
        label={words.name}
        description={words.nameHint}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group mt="sm" label={words.lifetime} {...form.getInputProps('lifetime')}>
        <Group mt={6}>
          {LIFETIMES.map((days) => (
            <Radio key={days} value={String(days)} label={words.days(days)} />
          ))}
          <Radio value={NEVER} label={words.neverEnds} />
        </Group>
      </Radio.Group>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={create.isPending}>
          {words.create}
        </Button>
      </Group>
    </form>
  );
}
