import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { type Order, Problem } from '../../api/api';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { sayProblem } from '../../api/format-error';
import type { Outcome } from '../../api/map-concurrent';
import { FAULT_COLUMN } from './fields';
import type { Table } from './read';
import type { Write } from './run-import';
import { WORDS } from './messages';
import { downloadFaulty } from './write';

const MAX_FAULTS = 20;

interface ResultProps {
  table: Table;
  outcomes: Outcome<Write, Order>[];
  again(failed: Write[], rest: Outcome<Write, Order>[]): void;
  close(): void;
}

/** What the import came to; what failed can be tried again or kept. */
export function ResultSummary({ table, outcomes, again, close }: ResultProps) {
  const { words, language } = useSpeech();
  const said = useWordsOf(WORDS);
  const done = outcomes.filter(({ result }) => result);
  const failed = outcomes.filter(({ error }) => error);
  const created = done.filter(({ item }) => item.action === 'create').length;
  const reason = (error: Error | undefined) =>
    !error
      ? ''
      : error instanceof Problem && error.faults.length > 0
        ? error.faults.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`).join('; ')
        : sayProblem(error, words);

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
        <Text size="sm">{said.created(created)}</Text>
        <Text size="sm">{said.updated(done.length - created)}</Text>
      </Alert>
      {failed.length > 0 && (
        <Alert color="red" role="alert" title={said.failed(failed.length)}>
          <List size="sm">
            {failed.slice(0, MAX_FAULTS).map(({ item, error }) => (
              <List.Item key={item.row.number}>
                {said.row} {item.row.number}: {reason(error)}
              </List.Item>
            ))}
            {failed.length > MAX_FAULTS && <List.Item>{said.andMore(failed.length - MAX_FAULTS)}</List.Item>}
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
              {said.again}
            </Button>
            <Button size="xs" variant="default" onClick={saveFailed}>
              {said.saveFaulty}
            </Button>
          </Group>
          <Text size="xs" mt="xs">
            {said.againLead}
          </Text>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {said.close}
        </Button>
      </Group>
    </Stack>
  );
}
