import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { Problem } from '../../api/client';
import type { ItemResult } from '../../api/map-concurrent';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { FAULT_COLUMN } from './fields';
import { MESSAGES } from './messages';
import type { Write } from './run-import';
import type { Table } from './table';
import { downloadFaulty } from './write';

const MAX_FAULTS = 20;

interface ResultProps {
  table: Table;
  outcomes: ItemResult<Write, Order>[];
  again(failed: Write[], rest: ItemResult<Write, Order>[]): void;
  close(): void;
}

/** Result of an import; failed rows can be retried or downloaded. */
export function ResultSummary({ table, outcomes, again, close }: ResultProps) {
  const { messages, language } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const done = outcomes.filter(({ result }) => result);
  const failed = outcomes.filter(({ error }) => error);
  const created = done.filter(({ item }) => item.action === 'create').length;
  const reason = (error: Error | undefined) =>
    !error
      ? ''
      : error instanceof Problem && error.faults.length > 0
        ? error.faults.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`).join('; ')
        : formatError(error, messages);

  const saveFailed = () =>
    downloadFaulty(
      'orders-failed.csv',
      [
        [...table.headings, FAULT_COLUMN],
        ...failed.map(({ item, error }) => [
          ...table.headings.map((_, place) => item.row.cells[place] ?? ''),
          reason(error),
        ]),
      ],
      language,
    );

  return (
    <Stack>
      <Alert color={failed.length > 0 ? 'yellow' : 'teal'} role="status">
        <Text size="sm">{pageMessages.created(created)}</Text>
        <Text size="sm">{pageMessages.updated(done.length - created)}</Text>
      </Alert>
      {failed.length > 0 && (
        <Alert color="red" role="alert" title={pageMessages.failed(failed.length)}>
          <List size="sm">
            {failed.slice(0, MAX_FAULTS).map(({ item, error }) => (
              <List.Item key={item.row.number}>
                {pageMessages.row} {item.row.number}: {reason(error)}
              </List.Item>
            ))}
            {failed.length > MAX_FAULTS && <List.Item>{pageMessages.andMore(failed.length - MAX_FAULTS)}</List.Item>}
          </List>
          <Group gap="xs" mt="xs">
            <Button
              size="xs"
              onClick={() =>
                again(
                  failed.map(({ item }) => item),
                  done,
                )
              }
            >
              {pageMessages.again}
            </Button>
            <Button size="xs" variant="default" onClick={saveFailed}>
              {pageMessages.saveFaulty}
            </Button>
          </Group>
          <Text size="xs" mt="xs">
            {pageMessages.againLead}
          </Text>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {pageMessages.close}
        </Button>
      </Group>
    </Stack>
  );
}
