import { Alert, Badge, Button, Card, Collapse, Group, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconChevronDown, IconChevronRight, IconPencil, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { newKey } from '../../api/api';
import { AskFirst } from '../../ui/confirm-button';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { sayProblem } from '../../api/format-error';
import classes from '../automation.module.css';
import { attemptsQuery, automation, type Channel, channelsQuery } from '../automation-api';
import { Attempts } from './attempts';
import { Outcome } from './attempt-outcome';
import { WORDS } from './messages';

interface Props {
  channel: Channel;
  edit(): void;
  showSecret(secret: string): void;
}

export function ChannelCard({ channel, edit, showSecret }: Props) {
  const words = useWordsOf(WORDS);
  const { id, name, url, format, events, enabled } = channel;
  const [isOpen, attempts] = useDisclosure(false);
  const { data } = useQuery(attemptsQuery(id));
  const isFailing = data?.items[0]?.status === 'failed';
  return (
    <Card component="li" withBorder padding="sm" aria-label={name}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <Stack gap={2} miw={0}>
          <Group gap="xs">
            <Text fw={600} className={classes.wrap}>
              {name}
            </Text>
            <Badge variant="default" tt="none">
              {words.formats[format]}
            </Badge>
            {isFailing && (
              <Badge color="red" autoContrast>
                {words.failing}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed" className={classes.wrap}>
            {url}
          </Text>
        </Stack>
        <Enabled channel={channel} />
      </Group>
      <Group gap={6} my="xs">
        {events.map((event) => (
          <Badge key={event} variant="default" tt="none" fw={400} maw="100%" title={event}>
            {words.events[event]}
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
        aria-label={`${words.attempts}: ${name}`}
        leftSection={isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        onClick={attempts.toggle}
      >
        {words.attempts}
      </Button>
      <Collapse expanded={isOpen} transitionDuration={0}>
        {isOpen && <Attempts channel={channel} />}
      </Collapse>
      {!enabled && (
        <Text size="xs" c="dimmed" mt={4}>
          {words.switchedOff}
        </Text>
      )}
    </Card>
  );
}

function Enabled({ channel }: { channel: Channel }) {
  const { words: general } = useSpeech();
  const words = useWordsOf(WORDS);
  const client = useQueryClient();
  const { id, name, enabled } = channel;
  const change = useMutation({
    mutationFn: (isOn: boolean) => automation.updateChannel(id, { enabled: isOn }),
    onError: (error) => notifications.show({ color: 'red', message: sayProblem(error, general) }),
    onSettled: () => client.invalidateQueries({ queryKey: channelsQuery.queryKey }),
  });
  // as it was clicked, until the service has answered
  const isOn = change.isPending ? change.variables : enabled;
  return (
    <Switch
      flex="none"
      checked={isOn}
      aria-label={words.enabled(name)}
      size="md"
      onLabel={words.on}
      offLabel={words.off}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}

function Actions({ channel, edit, showSecret }: Props) {
  const { words: general } = useSpeech();
  const words = useWordsOf(WORDS);
  const client = useQueryClient();
  const { id, name, format } = channel;
  const onError = (error: Error) => {
    notifications.show({ color: 'red', message: sayProblem(error, general) });
  };
  const test = useMutation({
    mutationFn: () => automation.sendTest(id, newKey()),
    onSettled: () => client.invalidateQueries({ queryKey: attemptsQuery(id).queryKey }),
  });
  const recreate = useMutation({
    mutationFn: () => automation.recreateSecret(id, newKey()),
    gcTime: 0,
    onSuccess({ secret }) {
      recreate.reset();
      if (secret !== undefined) showSecret(secret);
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: () => automation.deleteChannel(id),
    onSuccess() {
      // at once: until the list is read anew the card would go on asking for its attempts
      client.setQueryData(
        channelsQuery.queryKey,
        (list) => list && { ...list, total: list.total - 1, items: list.items.filter((one) => one.id !== id) },
      );
      notifications.show({ message: words.deleted(name) });
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
          aria-label={`${words.test}: ${name}`}
          onClick={() => test.mutate()}
        >
          {words.test}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPencil size={14} aria-hidden />}
          aria-label={`${words.edit}: ${name}`}
          onClick={edit}
        >
          {words.edit}
        </Button>
        {format === 'signed' && (
          <AskFirst loading={recreate.isPending} of={name} question={words.recreateAsk} act={() => recreate.mutate()}>
            {words.recreate}
          </AskFirst>
        )}
        <AskFirst
          c="red"
          loading={remove.isPending}
          of={name}
          question={words.deleteAsk(name)}
          act={() => remove.mutate()}
        >
          {words.delete}
        </AskFirst>
      </Group>
      <div role="status">
        {test.isPending && (
          <Text size="sm" mt="xs">
            {words.testing}
          </Text>
        )}
        {test.data && !test.isPending && (
          <Alert mt="xs" p="xs" color={test.data.status === 'succeeded' ? 'teal' : 'red'} variant="light">
            <Outcome attempt={test.data} withTime />
          </Alert>
        )}
        {test.error && (
          <Alert mt="xs" p="xs" color="red">
            {sayProblem(test.error, general)}
          </Alert>
        )}
      </div>
    </>
  );
}
