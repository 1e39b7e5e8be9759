import { Alert, Button, Checkbox, Code, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/client';
import { newKey } from '../../api/ids';
import { changesOf } from '../../drafts/changes';
import { DraftNotice, type FieldNames } from '../../drafts/draft-notice';
import { saveMerged } from '../../drafts/save-merged';
import { useDraftForm } from '../../drafts/use-draft-form';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import { automation, type Channel, type ChoosableEvent, type CreatedChannel, channelsQuery } from '../automation-api';
import { MESSAGES as COMMON_MESSAGES } from '../messages';
import { CHOOSABLE, MESSAGES } from './messages';

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

interface Values {
  format: Channel['format'];
  url: string;
  name: string;
  events: ChoosableEvent[];
}

// the default selection, and the only events before channels had a choice
const USUAL: ChoosableEvent[] = ['order.created', 'order.status_changed'];

const NEW: Values = { format: 'signed', url: '', name: '', events: USUAL };

const FORMATS: Channel['format'][] = ['signed', 'slack', 'discord'];

/** Adds what people leave out of an address: `http://`, and `https://` for chat services. */
function withScheme(typed: string, format: Channel['format']): string {
  const url = typed.trim();
  if (url === '' || url.includes('://')) return url;
  return `${format === 'signed' ? 'http' : 'https'}://${url}`;
}

const toValues = ({ format, url, name, events }: Channel): Values => ({ format, url, name, events });

/** Only the edited fields. The URL is displayed masked, so it must not be sent back unchanged. */
function toPatch(values: Values, before: Values) {
  const { url, name, events } = changesOf(values, before);
  return {
    ...(url !== undefined && { url }),
    ...(name && { name }),
    ...(events && { events }),
  };
}

/** The fields of a channel as a conflict shows them. */
function useFieldNames(): FieldNames<Values> {
  const messages = useMessages(MESSAGES);
  return {
    url: { label: messages.url },
    name: { label: messages.name },
    events: { label: messages.chosen, show: ({ events }) => events.map((event) => messages.events[event]).join('\n') },
  };
}

function Form({ channel, close, onCreated }: Omit<Props, 'channel'> & { channel: Channel | undefined }) {
  const { messages: appMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const commonMessages = useMessages(COMMON_MESSAGES);
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  // not kept: the address of a chat is a secret
  const draft = useDraftForm<Values>(`channel:${channel?.id}`, channel ? toValues(channel) : NEW, {
    isNew: channel === undefined,
    isKept: false,
    validate: {
      url: (url, { format }) => (/^https?:\/\/./.test(withScheme(url, format)) ? null : messages.urlRule),
      events: (events) => (events.length > 0 ? null : messages.eventsRule),
    },
  });
  const { form, initial } = draft;
  const save = useMutation({
    async mutationFn(typed: Values) {
      const values = { ...typed, url: withScheme(typed.url, typed.format), name: typed.name.trim() };
      if (channel) {
        await saveMerged({
          record: channel,
          initial,
          values,
          toValues,
          send: (expected) => automation.updateChannel(channel.id, toPatch(values, initial), expected),
          async readAgain() {
            const { items } = await client.fetchQuery({ ...channelsQuery, staleTime: 0 });
            return items.find(({ id }) => id === channel.id) ?? channel;
          },
        });
        return undefined;
      }
      const { name, format, url, events } = values;
      const body = { format, url, events, enabled: true, ...(name ? { name } : {}) };
      return automation.createChannel(body, key);
    },
    // the response contains the secret, so it must not stay in the mutation cache
    gcTime: 0,
    onSuccess(channel) {
      close();
      if (channel) onCreated(channel);
    },
    onError(error) {
      if (!(error instanceof Problem)) return;
      if (error.status > 0) setKey(newKey());
      if (error.code === 'blocked_address') form.setFieldError('url', messages.blocked);
      else for (const { pointer, detail } of error.faults) form.setFieldError(pointer.slice(1), detail);
    },
    onSettled: () => client.invalidateQueries({ queryKey: channelsQuery.queryKey }),
  });
  const { format } = form.values;
  const isMasked = channel !== undefined && format !== 'signed';
  const { error } = save;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <DraftNotice draft={draft} fields={useFieldNames()} />
      <Stack gap="sm">
        {error && draft.conflicts.length === 0 && (
          <Alert color="red" role="alert">
            {error instanceof Problem && error.code === 'channel_limit_reached'
              ? messages.limit
              : error instanceof Problem && error.code === 'blocked_address'
                ? messages.blocked
                : formatError(error, appMessages)}
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
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {commonMessages.cancel}
          </Button>
          <Button type="submit" disabled={draft.isUndecided} loading={save.isPending}>
            {channel ? commonMessages.save : messages.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
