import { Button, Table, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { newKey } from '../../api/ids';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import { NotLoaded } from '../../ui/page';
import { type Attempt, attemptsQuery, automation, type Channel } from '../automation-api';
import { AttemptOutcome } from './attempt-outcome';
import { MESSAGES } from './messages';

/** The last 20 attempts of a channel, newest first. */
export function Attempts({ channel }: { channel: Channel }) {
  const messages = useMessages(MESSAGES);
  const { data, error, refetch } = useQuery(attemptsQuery(channel.id));
  if (!data) return <NotLoaded error={error} retry={refetch} lines={2} />;
  if (data.items.length === 0) return <Text size="sm">{messages.noAttempts}</Text>;
  return (
    <Table.ScrollContainer
      minWidth={780}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': `${messages.attempts}: ${channel.name}` } }}
    >
      <Table verticalSpacing={6} aria-label={`${messages.attempts}: ${channel.name}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{messages.time}</Table.Th>
            <Table.Th>{messages.event}</Table.Th>
            <Table.Th>{messages.outcome}</Table.Th>
            <Table.Th ta="end">{messages.took}</Table.Th>
            <Table.Th>{messages.action}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.items.map((attempt) => (
            <Row key={attempt.id} channel={channel} attempt={attempt} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ channel, attempt }: { channel: Channel; attempt: Attempt }) {
  const { messages: commonMessages, formatTimestamp, formatNumber } = useI18n();
  const messages = useMessages(MESSAGES);
  const client = useQueryClient();
  const resend = useMutation({
    mutationFn: () => automation.resend(channel.id, attempt.id, newKey()),
    onSuccess: (outcome) =>
      notifications.show({
        color: outcome.status === 'succeeded' ? 'teal' : 'red',
        message: <AttemptOutcome attempt={outcome} withTime />,
      }),
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, commonMessages) }),
    onSettled: () => client.invalidateQueries({ queryKey: attemptsQuery(channel.id).queryKey }),
  });
  const time = formatTimestamp(attempt.attempted_at);
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{time}</Table.Td>
      <Table.Td>
        <code>{attempt.event}</code>
      </Table.Td>
      <Table.Td miw={260}>
        <AttemptOutcome attempt={attempt} />
      </Table.Td>
      <Table.Td ta="end" style={{ whiteSpace: 'nowrap' }}>
        {messages.ms(formatNumber(attempt.duration_ms))}
      </Table.Td>
      <Table.Td>
        <Button
          size="compact-xs"
          variant="default"
          loading={resend.isPending}
          aria-label={`${messages.resend}: ${attempt.event}, ${time}`}
          onClick={() => resend.mutate()}
        >
          {messages.resend}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
