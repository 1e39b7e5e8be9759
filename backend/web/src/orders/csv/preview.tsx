import { Alert, Button, ColorSwatch, Group, List, Table as MantineTable, Stack, Text } from '@mantine/core';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { type CsvColumn, FAULT_COLUMN } from './fields';
import type { Step } from './import-plan';
import type { Table } from './read';
import { isWrite, type Write } from './run-import';
import { WORDS } from './messages';
import { downloadFaulty } from './write';

const MAX_SHOWN = 50;
const MAX_FAULTS = 20;

const COLORS: Record<Step['action'], string> = { create: 'teal', update: 'blue', same: 'gray', fault: 'red' };

interface PreviewProps {
  table: Table;
  steps: Step[];
  another(): void;
  run(steps: Write[]): void;
}

/** What the file would do: counted, each fault by its row and column, the first rows one by one. */
export function Preview({ table, steps, another, run }: PreviewProps) {
  const { language } = useSpeech();
  const said = useWordsOf(WORDS);
  const writes = steps.filter(isWrite);
  const counts = (['create', 'update', 'same', 'fault'] as const)
    .map((action) => ({ action, count: steps.filter((step) => step.action === action).length }))
    .filter(({ count }) => count > 0);
  const unknownIds = steps.filter((step) => step.action === 'create' && step.hadUnknownId).length;
  const faulty = steps.filter((step) => step.action === 'fault');
  const headingOf = (column: CsvColumn | null) =>
    column === null ? null : (table.headings[table.places.get(column) ?? -1] ?? column);
  const sayFaults = (step: Step & { action: 'fault' }) =>
    step.faults.map(({ column, kind }) => said.faultAt(step.row.number, headingOf(column), said.faults[kind]));
  const faults = faulty.flatMap(sayFaults);

  const saveFaulty = () =>
    downloadFaulty(
      'orders-errors.csv',
      [
        [...table.headings, FAULT_COLUMN],
        ...faulty.map((step) => [
          ...table.headings.map((_, place) => step.row.cells[place] ?? ''),
          sayFaults(step).join('; '),
          ...step.row.cells.slice(table.headings.length),
        ]),
      ],
      language,
    );

  return (
    <Stack>
      <Group gap="md" role="status">
        {counts.map(({ action, count }) => (
          <Group key={action} gap={6} wrap="nowrap">
            <ColorSwatch size={10} color={`var(--mantine-color-${COLORS[action]}-6)`} withShadow={false} />
            <Text size="sm" fw={600}>
              {said[action](count)}
            </Text>
          </Group>
        ))}
      </Group>
      {unknownIds > 0 && <Text size="sm">{said.unknownIds(unknownIds)}</Text>}
      {table.ignored.length > 0 && <Text size="sm">{said.ignored(table.ignored.join(', '))}</Text>}
      {faults.length > 0 && (
        <Alert color="red" variant="light" title={said.fault(faulty.length)}>
          <List size="sm">
            {faults.slice(0, MAX_FAULTS).map((fault) => (
              <List.Item key={fault}>{fault}</List.Item>
            ))}
            {faults.length > MAX_FAULTS && <List.Item>{said.andMore(faults.length - MAX_FAULTS)}</List.Item>}
          </List>
          <Text size="sm" my="xs">
            {said.faultyKept}
          </Text>
          <Button size="xs" variant="default" onClick={saveFaulty}>
            {said.saveFaulty}
          </Button>
        </Alert>
      )}
      <MantineTable.ScrollContainer minWidth={480} maxHeight={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <MantineTable striped verticalSpacing={4} fz="sm">
          <MantineTable.Thead>
            <MantineTable.Tr>
              <MantineTable.Th>{said.row}</MantineTable.Th>
              <MantineTable.Th>{said.what}</MantineTable.Th>
              <MantineTable.Th>{said.model}</MantineTable.Th>
              <MantineTable.Th>{said.fields}</MantineTable.Th>
            </MantineTable.Tr>
          </MantineTable.Thead>
          <MantineTable.Tbody>
            {steps.slice(0, MAX_SHOWN).map((step) => (
              <PreviewRow key={step.row.number} step={step} table={table} />
            ))}
          </MantineTable.Tbody>
        </MantineTable>
      </MantineTable.ScrollContainer>
      {steps.length > MAX_SHOWN && (
        <Text size="xs" c="dimmed">
          {said.shown(MAX_SHOWN, steps.length)}
        </Text>
      )}
      <Group justify="flex-end">
        {writes.length === 0 && <Text size="sm">{said.nothing}</Text>}
        <Button variant="default" onClick={another}>
          {said.other}
        </Button>
        <Button disabled={writes.length === 0} onClick={() => run(writes)}>
          {said.import(writes.length)}
        </Button>
      </Group>
    </Stack>
  );
}

function PreviewRow({ step, table }: { step: Step; table: Table }) {
  const said = useWordsOf(WORDS);
  const inFile = step.row.cells[table.places.get('model_name') ?? -1] ?? '';
  const fields =
    step.action === 'update'
      ? Object.keys(step.patch)
      : step.action === 'fault'
        ? step.faults.map(({ column }) => column)
        : [];
  return (
    <MantineTable.Tr>
      <MantineTable.Td>{step.row.number}</MantineTable.Td>
      <MantineTable.Td>{said.action[step.action]}</MantineTable.Td>
      <MantineTable.Td>
        <Text size="sm" lineClamp={1} maw={260}>
          {inFile || ('order' in step ? step.order.model_name : '')}
        </Text>
      </MantineTable.Td>
      <MantineTable.Td>{[...new Set(fields)].join(', ')}</MantineTable.Td>
    </MantineTable.Tr>
  );
}
