import { Badge, Button, Pagination, ScrollArea, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useI18n } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { NotLoaded } from '../ui/page';
import classes from './stock.module.css';
import { type Filament, type LaterStocktake, LEDGER_PAGE, type LedgerEntry, ledgerQuery } from './stock-api';
import { AlsoDeducted, useUndo } from './undo';
import { useStockFormats } from './use-stock-formats';

/** All ledger entries, newest first. Undone ones are struck through. */
export function Ledger({ filament }: { filament: Filament }) {
  const filamentId = filament.id;
  const { messages } = useStockFormats();
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery({ ...ledgerQuery(filamentId, page), placeholderData: keepPreviousData });
  const undo = useUndo(filamentId);
  if (!data) return <NotLoaded error={error} retry={refetch} lines={3} />;
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
                remaining={filament.remaining_grams}
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

/** All entries written by the same request, which are undone together. */
interface EntryGroup {
  grams: number;
  /** the newest stocktake after them */
  stocktake: LaterStocktake | null;
}

/** The group of an entry; null for all but the first of it. */
function groupOfEntry(entry: LedgerEntry, place: number, all: readonly LedgerEntry[]): EntryGroup | null {
  const { deduction_id } = entry;
  if (deduction_id === null) return { grams: entry.grams, stocktake: entry.later_stocktake };
  if (deduction_id === all[place - 1]?.deduction_id) return null;
  const group = all.filter((other) => other.deduction_id === deduction_id);
  const mg = group.reduce((sum, { grams }) => sum + toMilligrams(grams), 0);
  const [stocktake = null] = group
    .flatMap(({ later_stocktake }) => later_stocktake ?? [])
    .sort((a, b) => (a.at < b.at ? 1 : -1));
  return { grams: mg / 1000, stocktake };
}

const toMilligrams = (grams: number) => Math.round(grams * 1000);

interface LineProps {
  entry: LedgerEntry;
  group: EntryGroup | null;
  /** what the filament has now, in grams */
  remaining: number;
  isUndoing: boolean;
  undo(what: string): void;
}

function Line({ entry, group, remaining, isUndoing, undo }: LineProps) {
  const { messages, formatGrams, formatSignedGrams, formatMoney } = useStockFormats();
  const { formatDateTime } = useI18n();
  const isUndone = entry.undone_by_id !== null;
  const struck = isUndone ? classes.undone : undefined;
  const what = messages.kind[entry.kind];
  return (
    <Table.Tr data-entry={entry.id} data-kind={entry.kind} data-undone={isUndone || undefined}>
      <Table.Td>{formatDateTime(entry.at)}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }} miw="11rem">
        <span className={struck}>
          {what}
          {entry.overdraw && ` (${messages.overdraw})`}
          {entry.counted_grams !== null && ` (${messages.counted(formatGrams(entry.counted_grams))})`}
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
        {group !== null && entry.also_deducted_grams !== null && (
          <>
            <Badge size="xs" color="yellow.4" c="black">
              {messages.deductedTwice}
            </Badge>
            <AlsoDeducted entry={entry} />
          </>
        )}
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
          <UndoButton
            subject={messages.undoSubject(what, formatSignedGrams(group.grams), formatDateTime(entry.at))}
            question={group.stocktake && askAbout(group.stocktake, group.grams)}
            isUndoing={isUndoing}
            undo={() => undo(messages.undoDone(formatGrams(Math.abs(group.grams))))}
          />
        )}
      </Table.Td>
    </Table.Tr>
  );

  function askAbout({ at, counted_grams, batch_id }: LaterStocktake, grams: number): string {
    const counted = counted_grams === null ? null : formatGrams(counted_grams);
    const after = (toMilligrams(remaining) - toMilligrams(grams)) / 1000;
    return [
      messages.olderThanStocktake(formatDateTime(at), counted, batch_id !== null),
      messages.undoMakes(formatGrams(remaining), formatGrams(after)),
    ].join(' ');
  }
}

interface UndoButtonProps {
  /** the accessible name says what is undone */
  subject: string;
  /** asked first; null: undone at once */
  question: string | null;
  isUndoing: boolean;
  undo(): void;
}

function UndoButton({ subject, question, isUndoing, undo }: UndoButtonProps) {
  const { messages } = useStockFormats();
  if (question !== null) {
    return (
      <ConfirmButton size="compact-xs" subject={subject} question={question} loading={isUndoing} onConfirm={undo}>
        {messages.undo}
      </ConfirmButton>
    );
  }
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={isUndoing}
      aria-label={`${messages.undo}: ${subject}`}
      onClick={undo}
    >
      {messages.undo}
    </Button>
  );
}
