import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../api/client';
import { formatError } from '../i18n/format-error';
import { useI18n } from '../i18n/i18n';
import { type LedgerEntry, stockApi } from './stock-api';
import { useStockFormats } from './use-stock-formats';

/** How long the undo notification stays; afterwards the ledger offers the undo. */
const UNDO_VISIBLE_MS = 15_000;

/** Undoes a ledger entry and the entries of the same request. */
export function useUndo(filamentId: string) {
  const client = useQueryClient();
  const { messages } = useStockFormats();
  const i18n = useI18n();
  return useMutation({
    mutationFn: ({ entry }: { entry: Pick<LedgerEntry, 'id' | 'kind'>; what: string }) =>
      stockApi.undo(filamentId, entry.id),
    onSuccess: (_, { what }) => notifications.show({ message: what, color: 'teal' }),
    onError(error, { entry }) {
      const isRefused = error instanceof Problem && error.code === 'validation_error';
      const why = entry.kind === 'receipt' ? messages.undoReceiptRefused : messages.undoRefused;
      notifications.show({
        color: 'red',
        title: messages.undoFailed,
        message: isRefused ? why : formatError(error, i18n.messages),
      });
    },
    onSettled() {
      client.invalidateQueries({ queryKey: ['filaments'] });
      client.invalidateQueries({ queryKey: ['history'] });
    },
  });
}

/** Confirms a stock change with an undo button. */
export function showUndoNotification(
  filamentId: string,
  entry: LedgerEntry | undefined,
  message: string,
  undone: string,
) {
  const id = `deducted-${entry?.id ?? filamentId}`;
  notifications.show({
    id,
    color: 'teal',
    autoClose: UNDO_VISIBLE_MS,
    message: entry ? (
      <UndoNotification
        filamentId={filamentId}
        entry={entry}
        message={message}
        undone={undone}
        close={() => notifications.hide(id)}
      />
    ) : (
      message
    ),
  });
}

/** Says that a deduction for the same order came another way, perhaps for the same print. */
export function AlsoDeducted({ entry }: { entry: LedgerEntry }) {
  const { messages, formatGrams } = useStockFormats();
  const { also_deducted_grams: grams, source } = entry;
  if (grams === null || source === null) return null;
  return <Text size="xs">{messages.alsoDeducted[source](formatGrams(grams))}</Text>;
}

interface UndoNotificationProps {
  filamentId: string;
  entry: LedgerEntry;
  message: string;
  undone: string;
  close(): void;
}

function UndoNotification({ filamentId, entry, message, undone, close }: UndoNotificationProps) {
  const { messages } = useStockFormats();
  const undo = useUndo(filamentId);
  return (
    <Group justify="space-between" wrap="nowrap">
      <Stack gap={2}>
        <Text size="sm">{message}</Text>
        <AlsoDeducted entry={entry} />
      </Stack>
      <Button
        size="compact-sm"
        variant="default"
        flex="none"
        loading={undo.isPending}
        onClick={() => undo.mutate({ entry, what: undone }, { onSettled: close })}
      >
        {messages.undo}
      </Button>
    </Group>
  );
}
