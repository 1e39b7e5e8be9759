import { Code, Skeleton, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatAmount } from '../../i18n/format-money';
import { useI18n } from '../../i18n/i18n';
import { type HistoryEntry, ordersApi } from '../../order-data/orders-api';

export function History({ orderId }: { orderId: string }) {
  const { messages, formatDateTime } = useI18n();
  const { data } = useQuery({
    queryKey: ['history', orderId],
    queryFn: ({ signal }) => ordersApi.history(orderId, signal),
    staleTime: 0,
  });
  if (!data) return <Skeleton height={60} />;
  if (data.items.length === 0) return <Text size="sm">{messages.order.noHistory}</Text>;
  return (
    <Timeline bulletSize={12} lineWidth={2} active={-1}>
      {data.items.map((entry) => (
        <Timeline.Item key={entry.id} title={<Text size="sm">{messages.history[entry.kind]}</Text>}>
          <HistoryText entry={entry} />
          <Text size="xs" c="dimmed">
            {formatDateTime(entry.at)} · {entry.actor}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

function HistoryText({ entry }: { entry: HistoryEntry }) {
  const { messages, formatNumber, language } = useI18n();
  const { from_status: from, to_status: to, received, grams, cost, cost_currency, note } = entry;
  return (
    <Text size="sm" component="div">
      {from && to ? messages.order.fromTo(messages.status[from], messages.status[to]) : to ? messages.status[to] : null}
      {received !== null && (
        <>
          {' '}
          ({messages.order.received} <Code>{received}</Code>)
        </>
      )}
      {grams !== null && messages.board.grams(formatNumber(grams))}
      {cost !== null && ` · ${formatAmount(cost, cost_currency, language)}`}
      {note !== null && ` ${note}`}
    </Text>
  );
}
