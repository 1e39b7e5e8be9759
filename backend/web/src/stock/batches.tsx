import { Badge, ScrollArea, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n';
import { NotLoaded } from '../ui/page';
import classes from './stock.module.css';
import { type Batch, batchesQuery } from './stock-api';
import { useStockFormats } from './use-stock-formats';

const oldestFirst = (a: Batch, b: Batch) =>
  a.received_at < b.received_at ? -1 : a.received_at > b.received_at ? 1 : 0;

/** The batches in the order they are used up. */
export function Batches({ filamentId }: { filamentId: string }) {
  const { messages, formatGrams, formatMoney } = useStockFormats();
  const { formatDay } = useI18n();
  const { data, error, refetch } = useQuery(batchesQuery(filamentId));
  if (!data) return <NotLoaded error={error} retry={refetch} lines={2} />;
  if (data.items.length === 0) return <Text size="sm">{messages.noBatches}</Text>;
  const batches = data.items.toSorted(oldestFirst);
  const inUse = batches.find((batch) => batch.archived_at === null && batch.remaining_grams > 0);
  return (
    <ScrollArea
      type="auto"
      offsetScrollbars="present"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': messages.batches }}
    >
      <Table verticalSpacing={6} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{messages.received}</Table.Th>
            <Table.Th className={classes.number}>{messages.spools}</Table.Th>
            <Table.Th className={classes.number}>{messages.left}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {batches.map((batch) => {
            const isUndone = batch.archived_at !== null;
            const struck = isUndone ? classes.undone : undefined;
            return (
              <Table.Tr key={batch.id} data-batch={batch.id}>
                <Table.Td>
                  <span className={struck}>{formatDay(batch.received_at.slice(0, 10))}</span>{' '}
                  {isUndone && (
                    <Text span size="xs" c="dimmed">
                      {messages.receiptUndone}
                    </Text>
                  )}
                  {batch === inUse && (
                    <Badge size="xs" variant="default">
                      {messages.inUse}
                    </Badge>
                  )}
                  {batch.needs_review && !isUndone && (
                    <Badge size="xs" color="yellow.4" c="black">
                      {messages.review}
                    </Badge>
                  )}
                </Table.Td>
                <Table.Td className={classes.number}>
                  {batch.spool_count}
                  {batch.spool_price !== null && ` × ${formatMoney(batch.spool_price)}`}
                </Table.Td>
                <Table.Td className={classes.number}>
                  {isUndone ? '—' : messages.grams(formatGrams(batch.remaining_grams))}
                  <Text size="xs" c="dimmed">
                    {batch.used_grams < 0
                      ? messages.aboveLabel(formatGrams(-batch.used_grams))
                      : messages.usedOf(formatGrams(batch.used_grams))}
                  </Text>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
