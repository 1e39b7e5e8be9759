import { Code, Skeleton, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, type HistoryEntry } from '../../api/api';
import { useSpeech } from '../../i18n/i18n';
import { sayAmount } from '../../i18n/format-money';

export function History({ orderId }: { orderId: string }) {
  const { words, moment } = useSpeech();
  const { data } = useQuery({
    queryKey: ['history', orderId],
    queryFn: ({ signal }) => api.history(orderId, signal),
    staleTime: 0,
  });
  if (!data) return <Skeleton height={60} />;
  if (data.items.length === 0) return <Text size="sm">{words.order.noHistory}</Text>;
  return (
    <Timeline bulletSize={12} lineWidth={2} active={-1}>
      {data.items.map((entry) => (
        <Timeline.Item key={entry.id} title={<Text size="sm">{words.history[entry.kind]}</Text>}>
          <What entry={entry} />
          <Text size="xs" c="dimmed">
            {moment(entry.at)} · {entry.actor}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

function What({ entry }: { entry: HistoryEntry }) {
  const { words, number, language } = useSpeech();
  const { from_status: from, to_status: to, received, grams, cost, cost_currency, note } = entry;
  return (
    <Text size="sm" component="div">
      {from && to ? words.order.fromTo(words.status[from], words.status[to]) : to ? words.status[to] : null}
      {received !== null && (
        <>
          {' '}
          ({words.order.received} <Code>{received}</Code>)
        </>
      )}
      {grams !== null && words.board.grams(number(grams))}
      {cost !== null && ` · ${sayAmount(cost, cost_currency, language)}`}
      {note !== null && ` ${note}`}
    </Text>
  );
}
