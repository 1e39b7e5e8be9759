import { Alert, Checkbox, Group, Modal, Radio, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/client';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import { FormFooter } from '../../ui/form-footer';
import { automation, tokensQuery } from '../automation-api';
import { MESSAGES as COMMON_MESSAGES } from '../messages';
import { MESSAGES } from './messages';

const LIFETIMES = [30, 90, 365];
const NEVER = 'never';

export function NewToken({
  opened,
  close,
  onCreated,
}: {
  opened: boolean;
  close(): void;
  onCreated(token: string): void;
}) {
  const messages = useMessages(MESSAGES);
  const commonMessages = useMessages(COMMON_MESSAGES);
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={messages.newToken}
      closeButtonProps={{ 'aria-label': commonMessages.close }}
    >
      <Form close={close} onCreated={onCreated} />
    </Modal>
  );
}

function Form({ close, onCreated }: { close(): void; onCreated(token: string): void }) {
  const { messages: appMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const client = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', lifetime: '365', readOnly: false },
    validate: { name: (name) => (name.trim() ? null : messages.nameRule) },
  });
  const create = useMutation({
    mutationFn: ({ name, lifetime, readOnly }: { name: string; lifetime: string; readOnly: boolean }) =>
      automation.createToken({ name, days: lifetime === NEVER ? null : Number(lifetime), read_only: readOnly }),
    // the response contains the secret, so it must not stay in the mutation cache
    gcTime: 0,
    onSuccess(token) {
      close();
      onCreated(token);
    },
    onError(error) {
      // blank and overlong names are rejected before sending
      if (error instanceof Problem && error.faults.some(({ pointer }) => pointer === '/name'))
        form.setFieldError('name', messages.nameTaken);
    },
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => create.mutate(values))}>
      {create.error && (
        <Alert color="red" mb="sm" role="alert">
          {formatError(create.error, appMessages)}
        </Alert>
      )}
      <TextInput
        label={messages.name}
        description={messages.nameHint}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group mt="sm" label={messages.lifetime} {...form.getInputProps('lifetime')}>
        <Group mt={6}>
          {LIFETIMES.map((days) => (
            <Radio key={days} value={String(days)} label={messages.days(days)} />
          ))}
          <Radio value={NEVER} label={messages.neverEnds} />
        </Group>
      </Radio.Group>
      <Checkbox
        mt="sm"
        label={messages.readOnly}
        description={messages.readOnlyHint}
        {...form.getInputProps('readOnly', { type: 'checkbox' })}
      />
      <FormFooter close={close} submit={messages.create} isPending={create.isPending} mt="md" />
    </form>
  );
}
