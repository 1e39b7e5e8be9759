import { Button, Pagination, ScrollArea, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useI18n } from '../i18n/i18n';
import { Failed, Loading } from '../ui/page';
import classes from './stock.module.css';
import { LEDGER_PAGE, type LedgerEntry, ledgerQuery } from './stock-api';
import { useUndo } from './undo';
import { useStockFormats } from './use-stock-formats';

/** All ledger entries, newest first. Undone ones are struck through. */
export function Ledger({ filamentId }: { filamentId: string }) {
  const { messages } = useStockFormats();
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery({ ...ledgerQuery(filamentId, page), placeholderData: keepPreviousData });
  const undo = useUndo(filamentId);
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading lines={3} />;
  if (data.total === 0) return <Text size="sm">{messages.noLedger}</Text>;
  const pages = Math.ceil(data.total / LEDGER_PAGE);
  return (
    <Stack gap="xs">
      {/* makes the horizontally scrolling area focusable */}
      <ScrollArea
        type="auto"
        offsetScrollbars="present"
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': messages.ledger }}
      >
        <Table verticalSpacing={6} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{messages.when}</Table.Th>
              <Table.Th>{messages.what}</Table.Th>
              <Table.Th className={classes.number}>{messages.amount}</Table.Th>
              <Table.Th>
                <VisuallyHidden>{messages.undo}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.items.map((entry, place) => (
              <Line
                key={entry.id}
                entry={entry}
                group={groupOfEntry(entry, place, data.items)}
                isUndoing={undo.isPending && undo.variables.entry.id === entry.id}
                undo={(what) => undo.mutate({ entry, what })}
              />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      {pages > 1 && (
        <nav aria-label={messages.pages}>
          <Pagination size="sm" total={pages} value={page} onChange={setPage} withControls={false} />
        </nav>
      )}
    </Stack>
  );
}

/** Grams of all entries written by the same request, which are undone together; null for all but the first of them. */
function groupOfEntry(entry: LedgerEntry, place: number, all: readonly LedgerEntry[]): number | null {
  const { booking_id } = entry;
  if (booking_id === null) return entry.grams;
  if (booking_id === all[place - 1]?.booking_id) return null;
  const mg = all.filter((other) => other.booking_id === booking_id).map((other) => Math.round(other.grams * 1000));
  return mg.reduce((sum, each) => sum + each, 0) / 1000;
}

interface LineProps {
  entry: LedgerEntry;
  group: number | null;
  isUndoing: boolean;
  undo(what: string): void;
}

function Line({ entry, group, isUndoing, undo }: LineProps) {
  const { messages, formatGrams, formatSignedGrams, formatMoney } = useStockFormats();
  const { formatDateTime } = useI18n();
  const isUndone = entry.undone_by_id !== null;
  const struck = isUndone ? classes.undone : undefined;
  const what = messages.kind[entry.kind];
  return (
    <Table.Tr data-entry={entry.id} data-kind={entry.kind} data-undone={isUndone || undefined}>
      <Table.Td>{formatDateTime(entry.at)}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <span className={struck}>
          {what}
          {entry.overdraw && ` (${messages.overdraw})`}
          {entry.order_id && (
            <>
              {' '}
              <Link href={`/?order=${entry.order_id}`}>{messages.forOrder}</Link>
            </>
          )}
          {entry.note && `: ${entry.note}`}
        </span>
        {isUndone && (
          <Text span size="xs" c="dimmed">
            {' '}
            {messages.undone}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {entry.actor}
        </Text>
      </Table.Td>
      <Table.Td className={classes.number}>
        <span className={struck}>{formatSignedGrams(entry.grams)}</span>
        {entry.cost !== null && (
          <Text size="xs" c="dimmed" className={struck}>
            {formatMoney(entry.cost)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {entry.kind !== 'undo' && !isUndone && group !== null && (
          <Button
            size="compact-xs"
            variant="default"
            loading={isUndoing}
            aria-label={messages.undoOf(what, formatSignedGrams(group), formatDateTime(entry.at))}
            onClick={() => undo(messages.undoDone(formatGrams(Math.abs(group))))}
          >
            {messages.undo}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
