import { Button, Pagination, ScrollArea, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSpeech } from '../language';
import { Failed, Loading } from '../page';
import classes from './stock.module.css';
import { LEDGER_PAGE, type LedgerEntry, ledgerQuery } from './stock-api';
import { useUndo } from './undo';
import { useStock } from './use-stock';

/** Everything that was ever booked, newest first. What was undone stays, struck through. */
export function Ledger({ filamentId }: { filamentId: string }) {
  const { words } = useStock();
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery({ ...ledgerQuery(filamentId, page), placeholderData: keepPreviousData });
  const undo = useUndo(filamentId);
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading lines={3} />;
  if (data.total === 0) return <Text size="sm">{words.noLedger}</Text>;
  const pages = Math.ceil(data.total / LEDGER_PAGE);
  return (
    <Stack gap="xs">
      {/* what scrolls sideways can be reached by keyboard */}
      <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': words.ledger }}>
        <Table verticalSpacing={6} fz="sm" miw={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.when}</Table.Th>
              <Table.Th>{words.what}</Table.Th>
              <Table.Th className={classes.number}>{words.amount}</Table.Th>
              <Table.Th className={classes.number}>{words.cost}</Table.Th>
              <Table.Th>
                <VisuallyHidden>{words.undo}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.items.map((entry, place) => (
              <Line
                key={entry.id}
                entry={entry}
                // what was booked together is undone together: one button for all of it
                isFirst={entry.booking_id === null || entry.booking_id !== data.items[place - 1]?.booking_id}
                isUndoing={undo.isPending && undo.variables.entry.id === entry.id}
                undo={(what) => undo.mutate({ entry, what })}
              />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      {pages > 1 && (
        <nav aria-label={words.pages}>
          <Pagination size="sm" total={pages} value={page} onChange={setPage} withControls={false} />
        </nav>
      )}
    </Stack>
  );
}

interface LineProps {
  entry: LedgerEntry;
  isFirst: boolean;
  isUndoing: boolean;
  undo(what: string): void;
}

function Line({ entry, isFirst, isUndoing, undo }: LineProps) {
  const { words, grams, signedGrams, roubles } = useStock();
  const { moment } = useSpeech();
  const isUndone = entry.undone_by_id !== null;
  const struck = isUndone ? classes.undone : undefined;
  const what = words.kind[entry.kind];
  return (
    <Table.Tr data-entry={entry.id} data-kind={entry.kind} data-undone={isUndone || undefined}>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{moment(entry.at)}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <span className={struck}>
          {what}
          {entry.overdraw && ` (${words.overdraw})`}
          {entry.order_id && (
            <>
              {' '}
              <Link href={`/?order=${entry.order_id}`}>{words.forOrder}</Link>
            </>
          )}
          {entry.note && `: ${entry.note}`}
        </span>
        {isUndone && (
          <Text span size="xs" c="dimmed">
            {' '}
            {words.undone}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {entry.actor}
        </Text>
      </Table.Td>
      <Table.Td className={classes.number}>
        <span className={struck}>{signedGrams(entry.grams)}</span>
      </Table.Td>
      <Table.Td className={classes.number}>
        <span className={struck}>{entry.cost_rub === null ? '—' : roubles(entry.cost_rub)}</span>
      </Table.Td>
      <Table.Td>
        {entry.kind !== 'undo' && !isUndone && isFirst && (
          <Button
            size="compact-xs"
            variant="default"
            loading={isUndoing}
            aria-label={words.undoOf(what, signedGrams(entry.grams), moment(entry.at))}
            onClick={() => undo(words.undoDone(grams(Math.abs(entry.grams))))}
          >
            {words.undo}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
