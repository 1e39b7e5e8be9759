import { Alert, Badge, Button, Card, Collapse, Group, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newKey } from '../../api/ids';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import { ConfirmButton } from '../../ui/confirm-button';
import { IconChevronDown, IconChevronRight, IconPencil, IconSend } from '../../ui/icons.tsx';
import classes from '../automation.module.css';
import { attemptsQuery, automation, type Channel, channelsQuery } from '../automation-api';
import { AttemptOutcome } from './attempt-outcome';
import { Attempts } from './attempts';
import { ChannelHealth, ChannelLimits, FirstMissed, OverlapChoice } from './channel-health';
import { MESSAGES } from './messages';

interface Props {
  channel: Channel;
  edit(): void;
  showSecret(secret: string): void;
}

export function ChannelCard({ channel, edit, showSecret }: Props) {
  const messages = useMessages(MESSAGES);
  const { name, url, format, events, enabled, health, paused_at } = channel;
  const isPaused = paused_at !== null;
  const [isOpen, attempts] = useDisclosure(false);
  return (
    <Card component="li" withBorder padding="sm" aria-label={name}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <Stack gap={2} miw={0}>
          <Group gap="xs">
            <Text fw={600} className={classes.wrap}>
              {name}
            </Text>
            <Badge variant="default" tt="none">
              {messages.formats[format]}
            </Badge>
            {(health === 'failing' || isPaused) && (
              <Badge color="red" autoContrast>
                {isPaused ? messages.paused : messages.failing}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed" className={classes.wrap}>
            {url}
          </Text>
          <ChannelLimits channel={channel} />
          {(health === 'failing' || isPaused) && <ChannelHealth channel={channel} />}
        </Stack>
        <EnabledSwitch channel={channel} />
      </Group>
      <Group gap={6} my="xs">
        {events.map((event) => (
          <Badge key={event} variant="default" tt="none" fw={400} maw="100%" title={event}>
            {messages.events[event]}
          </Badge>
        ))}
      </Group>
      <Actions channel={channel} edit={edit} showSecret={showSecret} />
      <Button
        mt="xs"
        variant="subtle"
        color="gray"
        c="inherit"
        size="compact-sm"
        w="fit-content"
        aria-expanded={isOpen}
        aria-label={`${messages.attempts}: ${name}`}
        leftSection={isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        onClick={attempts.toggle}
      >
        {messages.attempts}
      </Button>
      <Collapse expanded={isOpen} transitionDuration={0}>
        {isOpen && <Attempts channel={channel} />}
      </Collapse>
      {!enabled && !isPaused && (
        <Text size="xs" c="dimmed" mt={4}>
          {messages.switchedOff}
        </Text>
      )}
    </Card>
  );
}

function EnabledSwitch({ channel }: { channel: Channel }) {
  const { messages: commonMessages, formatTimestamp } = useI18n();
  const messages = useMessages(MESSAGES);
  const client = useQueryClient();
  const { id, name, enabled } = channel;
  const change = useMutation({
    mutationFn: (isOn: boolean) => automation.updateChannel(id, { enabled: isOn }),
    onSuccess({ first_missed_event: missed }) {
      if (!missed) return;
      const message = <FirstMissed event={messages.events[missed.event]} time={formatTimestamp(missed.occurred_at)} />;
      notifications.show({ title: name, message, autoClose: false });
    },
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, commonMessages) }),
    onSettled: () => client.invalidateQueries({ queryKey: channelsQuery.queryKey }),
  });
  // shows the requested state until the server responds
  const isOn = change.isPending ? change.variables : enabled;
  return (
    <Switch
      flex="none"
      checked={isOn}
      aria-label={messages.enabled(name)}
      size="md"
      onLabel={messages.on}
      offLabel={messages.off}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}

function Actions({ channel, edit, showSecret }: Props) {
  const { messages: commonMessages, formatTimestamp } = useI18n();
  const [overlap, setOverlap] = useState('0');
  const messages = useMessages(MESSAGES);
  const client = useQueryClient();
  const { id, name, format } = channel;
  const onError = (error: Error) => {
    notifications.show({ color: 'red', message: formatError(error, commonMessages) });
  };
  const test = useMutation({
    mutationFn: () => automation.sendTest(id, newKey()),
    onSettled: () =>
      Promise.all(
        [attemptsQuery(id), channelsQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey: [...queryKey] })),
      ),
  });
  const recreate = useMutation({
    mutationFn: () => automation.recreateSecret(id, Number(overlap), newKey()),
    gcTime: 0,
    onSuccess({ secret, previous_secret_valid_until: until }) {
      recreate.reset();
      if (until !== undefined) notifications.show({ message: messages.oldSecretUntil(formatTimestamp(until)) });
      if (secret !== undefined) showSecret(secret);
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: () => automation.deleteChannel(id),
    onSuccess() {
      // remove it at once: otherwise the card would keep fetching its attempts until the list is refetched
      client.setQueryData(
        channelsQuery.queryKey,
        (list) => list && { ...list, total: list.total - 1, items: list.items.filter((one) => one.id !== id) },
      );
      notifications.show({ message: messages.deleted(name) });
    },
    onError,
    onSettled: () => client.invalidateQueries({ queryKey: channelsQuery.queryKey }),
  });
  return (
    <>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconSend size={14} aria-hidden />}
          loading={test.isPending}
          aria-label={`${messages.test}: ${name}`}
          onClick={() => test.mutate()}
        >
          {messages.test}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPencil size={14} aria-hidden />}
          aria-label={`${messages.edit}: ${name}`}
          onClick={edit}
        >
          {messages.edit}
        </Button>
        {format === 'signed' && (
          <ConfirmButton
            loading={recreate.isPending}
            subject={name}
            question={<OverlapChoice hours={overlap} setHours={setOverlap} />}
            onConfirm={() => recreate.mutate()}
          >
            {messages.recreate}
          </ConfirmButton>
        )}
        <ConfirmButton
          c="red"
          loading={remove.isPending}
          subject={name}
          question={messages.deleteAsk(name)}
          onConfirm={() => remove.mutate()}
        >
          {messages.delete}
        </ConfirmButton>
      </Group>
      <div role="status">
        {test.isPending && (
          <Text size="sm" mt="xs">
            {messages.testing}
          </Text>
        )}
        {test.data && !test.isPending && (
          <Alert mt="xs" p="xs" color={test.data.status === 'succeeded' ? 'teal' : 'red'} variant="light">
            <AttemptOutcome attempt={test.data} withTime />
          </Alert>
        )}
        {test.error && (
          <Alert mt="xs" p="xs" color="red">
            {formatError(test.error, commonMessages)}
          </Alert>
        )}
      </div>
    </>
  );
}
