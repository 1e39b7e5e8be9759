import { Alert, Button, Checkbox, Code, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newKey, Problem } from '../../api/api';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { sayProblem } from '../../api/format-error';
import { automation, type Channel, type ChoosableEvent, channelsQuery, type MadeChannel } from '../automation-api';
import { WORDS as COMMON } from '../messages';
import { CHOOSABLE, WORDS } from './messages';

interface Props {
  /** `new`: one is made; undefined: the form is shut */
  channel: Channel | 'new' | undefined;
  close(): void;
  made(channel: MadeChannel): void;
}

export function ChannelForm({ channel, close, made }: Props) {
  const words = useWordsOf(WORDS);
  const common = useWordsOf(COMMON);
  const isPhone = useMediaQuery('(max-width: 640px)');
  return (
    <Modal
      opened={channel !== undefined}
      onClose={close}
      title={channel === undefined || channel === 'new' ? words.make : `${words.edit}: ${channel.name}`}
      fullScreen={isPhone ?? false}
      size="lg"
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {channel !== undefined && <Form channel={channel === 'new' ? undefined : channel} close={close} made={made} />}
    </Modal>
  );
}

interface Values {
  format: Channel['format'];
  url: string;
  name: string;
  events: string[];
}

// what every receiver of orders wants, and what a channel had before there was a choice
const USUAL: ChoosableEvent[] = ['order.created', 'order.status_changed'];

const FORMATS: Channel['format'][] = ['signed', 'slack', 'discord'];

/** What was edited, and nothing else: an address that is only shown shortened is not sent back. */
function toPatch({ url, name, events }: Values, before: Channel) {
  const chosen = CHOOSABLE.filter((event) => events.includes(event));
  return {
    ...(url === before.url ? {} : { url }),
    ...(name === before.name || name === '' ? {} : { name }),
    ...(chosen.join() === before.events.join() ? {} : { events: chosen }),
  };
}

function Form({ channel, close, made }: Omit<Props, 'channel'> & { channel: Channel | undefined }) {
  const { words: general } = useSpeech();
  const words = useWordsOf(WORDS);
  const common = useWordsOf(COMMON);
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  const form = useForm<Values>({
    initialValues: {
      format: channel?.format ?? 'signed',
      url: channel?.url ?? '',
      name: channel?.name ?? '',
      events: channel?.events ?? USUAL,
    },
    validate: {
      url: (url) => (/^https?:\/\/./.test(url.trim()) ? null : words.urlRule),
      events: (events) => (events.length > 0 ? null : words.eventsRule),
    },
  });
  const save = useMutation({
    async mutationFn(typed: Values) {
      const values = { ...typed, url: typed.url.trim(), name: typed.name.trim() };
      if (channel) return void (await automation.updateChannel(channel.id, toPatch(values, channel)));
      const { name, format, url, events } = values;
      const body = { format, url, events: events as ChoosableEvent[], enabled: true, ...(name ? { name } : {}) };
      return automation.createChannel(body, key);
    },
    // the secret is in the answer: nothing remembers it but the page that shows it
    gcTime: 0,
    onSuccess(created) {
      close();
      if (created) made(created);
    },
    onError(error) {
      if (!(error instanceof Problem)) return;
      if (error.status > 0) setKey(newKey());
      if (error.code === 'blocked_address') form.setFieldError('url', words.blocked);
      else for (const { pointer, detail } of error.faults) form.setFieldError(pointer.slice(1), detail);
    },
    onSettled: () => client.invalidateQueries({ queryKey: channelsQuery.queryKey }),
  });
  const { format } = form.values;
  const isMasked = channel !== undefined && format !== 'signed';
  const { error } = save;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="sm">
        {error && (
          <Alert color="red" role="alert">
            {error instanceof Problem && error.code === 'channel_limit_reached'
              ? words.limit
              : error instanceof Problem && error.code === 'blocked_address'
                ? words.blocked
                : sayProblem(error, general)}
          </Alert>
        )}
        {!channel && (
          <Radio.Group label={words.format} {...form.getInputProps('format')}>
            <Stack gap="xs" mt={6}>
              {FORMATS.map((value) => (
                <Radio key={value} value={value} label={words.formats[value]} description={words.formatHints[value]} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <TextInput
          label={words.url}
          description={isMasked ? words.urlKept : words.urlHints[format]}
          type="url"
          required
          data-autofocus
          maxLength={2048}
          {...form.getInputProps('url')}
        />
        <TextInput
          label={words.name}
          description={channel ? undefined : words.nameHint}
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label={words.chosen} required {...form.getInputProps('events')}>
          <Stack gap={6} mt={6}>
            {CHOOSABLE.map((event) => (
              <Checkbox
                key={event}
                value={event}
                label={
                  <Text size="sm" component="span">
                    {words.events[event]} <Code>{event}</Code>
                  </Text>
                }
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {channel ? common.save : words.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
