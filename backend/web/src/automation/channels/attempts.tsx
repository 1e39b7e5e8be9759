import { Button, Table, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { newKey } from '../../api/api';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { Failed, Loading } from '../../ui/page';
import { sayProblem } from '../../api/format-error';
import { type Attempt, attemptsQuery, automation, type Channel } from '../automation-api';
import { Outcome } from './attempt-outcome';
import { WORDS } from './messages';

/** The last 20 attempts of a channel, the newest first. */
export function Attempts({ channel }: { channel: Channel }) {
  const words = useWordsOf(WORDS);
  const { data, error, refetch } = useQuery(attemptsQuery(channel.id));
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading lines={2} />;
  if (data.items.length === 0) return <Text size="sm">{words.noAttempts}</Text>;
  return (
    <Table.ScrollContainer
      minWidth={780}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': `${words.attempts}: ${channel.name}` } }}
    >
      <Table verticalSpacing={6} aria-label={`${words.attempts}: ${channel.name}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.time}</Table.Th>
            <Table.Th>{words.event}</Table.Th>
            <Table.Th>{words.outcome}</Table.Th>
            <Table.Th ta="end">{words.took}</Table.Th>
            <Table.Th>{words.action}</Table.Th>
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
  const { words: general, second, number } = useSpeech();
  const words = useWordsOf(WORDS);
  const client = useQueryClient();
  const resend = useMutation({
    mutationFn: () => automation.resend(channel.id, attempt.id, newKey()),
    onSuccess: (outcome) =>
      notifications.show({
        color: outcome.status === 'succeeded' ? 'teal' : 'red',
        message: <Outcome attempt={outcome} withTime />,
      }),
    onError: (error) => notifications.show({ color: 'red', message: sayProblem(error, general) }),
    onSettled: () => client.invalidateQueries({ queryKey: attemptsQuery(channel.id).queryKey }),
  });
  const time = second(attempt.attempted_at);
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{time}</Table.Td>
      <Table.Td>
        <code>{attempt.event}</code>
      </Table.Td>
      <Table.Td miw={260}>
        <Outcome attempt={attempt} />
      </Table.Td>
      <Table.Td ta="end" style={{ whiteSpace: 'nowrap' }}>
        {words.ms(number(attempt.duration_ms))}
      </Table.Td>
      <Table.Td>
        <Button
          size="compact-xs"
          variant="default"
          loading={resend.isPending}
          aria-label={`${words.resend}: ${attempt.event}, ${time}`}
          onClick={() => resend.mutate()}
        >
          {words.resend}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
