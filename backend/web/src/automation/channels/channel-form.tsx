import { Alert, Checkbox, Code, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Problem } from '../../api/client';
import { DraftBanner } from '../../drafts/draft-banner';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import { FormFooter } from '../../ui/form-footer';
import type { Channel, CreatedChannel } from '../automation-api';
import { MESSAGES as COMMON_MESSAGES } from '../messages';
import { DeliveryFields, FilterFields } from './channel-options';
import { CHOOSABLE, FORMATS, MESSAGES } from './messages';
import { useChannelForm, withScheme } from './use-channel-form';

interface Props {
  /** `new` creates a channel; undefined closes the form */
  channel: Channel | 'new' | undefined;
  close(): void;
  onCreated(channel: CreatedChannel): void;
}

export function ChannelForm({ channel, close, onCreated }: Props) {
  const messages = useMessages(MESSAGES);
  const commonMessages = useMessages(COMMON_MESSAGES);
  const isPhone = useMediaQuery('(max-width: 640px)');
  return (
    <Modal
      opened={channel !== undefined}
      onClose={close}
      title={channel === undefined || channel === 'new' ? messages.newChannel : `${messages.edit}: ${channel.name}`}
      fullScreen={isPhone ?? false}
      size="lg"
      closeButtonProps={{ 'aria-label': commonMessages.close }}
    >
      {channel !== undefined && (
        <Form channel={channel === 'new' ? undefined : channel} close={close} onCreated={onCreated} />
      )}
    </Modal>
  );
}

function Form({ channel, close, onCreated }: Omit<Props, 'channel'> & { channel: Channel | undefined }) {
  const { messages: appMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const commonMessages = useMessages(COMMON_MESSAGES);
  const { draft, fields, save } = useChannelForm(channel, (created) => {
    close();
    if (created) onCreated(created);
  });
  const { form } = draft;
  const { format } = form.values;
  const isMasked = channel !== undefined && format !== 'signed';
  const { error } = save;

  function explain(error: Error) {
    const code = error instanceof Problem ? error.code : undefined;
    if (code === 'channel_limit_reached') return messages.limit;
    return code === 'blocked_address' ? messages.blocked : formatError(error, appMessages);
  }

  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <DraftBanner draft={draft} fields={fields} />
      <Stack gap="sm">
        {error && draft.conflicts.length === 0 && (
          <Alert color="red" role="alert">
            {explain(error)}
          </Alert>
        )}
        {!channel && (
          <Radio.Group label={messages.format} {...form.getInputProps('format')}>
            <Stack gap="xs" mt={6}>
              {FORMATS.map((value) => (
                <Radio
                  key={value}
                  value={value}
                  label={messages.formats[value]}
                  description={messages.formatHints[value]}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <TextInput
          label={messages.url}
          description={isMasked ? messages.urlKept : messages.urlHints[format]}
          type="url"
          required
          data-autofocus
          maxLength={2048}
          {...form.getInputProps('url')}
          onBlur={() => form.setFieldValue('url', withScheme(form.getValues().url, format))}
        />
        <TextInput
          label={messages.name}
          description={channel ? undefined : messages.nameHint}
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <Checkbox.Group
          label={messages.chosen}
          required
          {...form.getInputProps('events')}
          // sorted, so that unchecking an event and checking it again isn't a change
          onChange={(chosen) =>
            form.setFieldValue(
              'events',
              CHOOSABLE.filter((event) => chosen.includes(event)),
            )
          }
        >
          <Stack gap={6} mt={6}>
            {CHOOSABLE.map((event) => (
              <Checkbox
                key={event}
                value={event}
                label={
                  <Text size="sm" component="span">
                    {messages.events[event]} <Code>{event}</Code>
                  </Text>
                }
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <FilterFields form={form} />
        <DeliveryFields form={form} channel={channel} />
        <FormFooter
          close={close}
          submit={channel ? commonMessages.save : messages.create}
          isPending={save.isPending}
          isDisabled={draft.isUndecided}
        />
      </Stack>
    </form>
  );
}
