import { Badge, ScrollArea, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSpeech } from '../i18n/i18n';
import { Failed, Loading } from '../ui/page';
import classes from './stock.module.css';
import { type Batch, batchesQuery } from './stock-api';
import { useStock } from './use-stock-formats';

const oldestFirst = (a: Batch, b: Batch) =>
  a.received_at < b.received_at ? -1 : a.received_at > b.received_at ? 1 : 0;

/** The spools as they were received, in the order they are used up. */
export function Batches({ filamentId }: { filamentId: string }) {
  const { words, grams, money } = useStock();
  const { day } = useSpeech();
  const { data, error, refetch } = useQuery(batchesQuery(filamentId));
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading lines={2} />;
  if (data.items.length === 0) return <Text size="sm">{words.noBatches}</Text>;
  const batches = data.items.toSorted(oldestFirst);
  const inUse = batches.find((batch) => batch.archived_at === null && batch.remaining_grams > 0);
  return (
    <ScrollArea
      type="auto"
      offsetScrollbars="present"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': words.batches }}
    >
      <Table verticalSpacing={6} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.received}</Table.Th>
            <Table.Th className={classes.number}>{words.spools}</Table.Th>
            <Table.Th className={classes.number}>{words.left}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {batches.map((batch) => {
            const isTakenBack = batch.archived_at !== null;
            const struck = isTakenBack ? classes.undone : undefined;
            return (
              <Table.Tr key={batch.id} data-batch={batch.id}>
                <Table.Td>
                  <span className={struck}>{day(batch.received_at.slice(0, 10))}</span>{' '}
                  {isTakenBack && (
                    <Text span size="xs" c="dimmed">
                      {words.takenBack}
                    </Text>
                  )}
                  {batch === inUse && (
                    <Badge size="xs" variant="default">
                      {words.inUse}
                    </Badge>
                  )}
                  {batch.needs_review && !isTakenBack && (
                    <Badge size="xs" color="yellow.4" c="black">
                      {words.review}
                    </Badge>
                  )}
                </Table.Td>
                <Table.Td className={classes.number}>
                  {batch.spool_count}
                  {batch.spool_price !== null && ` × ${money(batch.spool_price)}`}
                </Table.Td>
                <Table.Td className={classes.number}>
                  {isTakenBack ? '—' : words.grams(grams(batch.remaining_grams))}
                  <Text size="xs" c="dimmed">
                    {words.usedOf(grams(batch.used_grams))}
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
