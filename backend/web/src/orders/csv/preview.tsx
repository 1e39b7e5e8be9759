import { Alert, Button, ColorSwatch, Group, List, Table as MantineTable, Stack, Text } from '@mantine/core';
import { useI18n, useMessages } from '../../i18n/i18n';
import { type CsvColumn, FAULT_COLUMN } from './fields';
import type { Step } from './import-plan';
import { MESSAGES } from './messages';
import type { Table } from './read';
import { isWrite, type Write } from './run-import';
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

/** Preview of an import: counts, every error by row and column, and the first rows. */
export function Preview({ table, steps, another, run }: PreviewProps) {
  const { language } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const writes = steps.filter(isWrite);
  const counts = (['create', 'update', 'same', 'fault'] as const)
    .map((action) => ({ action, count: steps.filter((step) => step.action === action).length }))
    .filter(({ count }) => count > 0);
  const unknownIds = steps.filter((step) => step.action === 'create' && step.hadUnknownId).length;
  const faulty = steps.filter((step) => step.action === 'fault');
  const headingOf = (column: CsvColumn | null) =>
    column === null ? null : (table.headings[table.places.get(column) ?? -1] ?? column);
  const formatFaults = (step: Step & { action: 'fault' }) =>
    step.faults.map(({ column, kind }) =>
      pageMessages.faultAt(step.row.number, headingOf(column), pageMessages.faults[kind]),
    );
  const faults = faulty.flatMap(formatFaults);

  const saveFaulty = () =>
    downloadFaulty(
      'orders-errors.csv',
      [
        [...table.headings, FAULT_COLUMN],
        ...faulty.map((step) => [
          ...table.headings.map((_, place) => step.row.cells[place] ?? ''),
          formatFaults(step).join('; '),
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
              {pageMessages[action](count)}
            </Text>
          </Group>
        ))}
      </Group>
      {unknownIds > 0 && <Text size="sm">{pageMessages.unknownIds(unknownIds)}</Text>}
      {table.ignored.length > 0 && <Text size="sm">{pageMessages.ignored(table.ignored.join(', '))}</Text>}
      {faults.length > 0 && (
        <Alert color="red" variant="light" title={pageMessages.fault(faulty.length)}>
          <List size="sm">
            {faults.slice(0, MAX_FAULTS).map((fault) => (
              <List.Item key={fault}>{fault}</List.Item>
            ))}
            {faults.length > MAX_FAULTS && <List.Item>{pageMessages.andMore(faults.length - MAX_FAULTS)}</List.Item>}
          </List>
          <Text size="sm" my="xs">
            {pageMessages.faultyKept}
          </Text>
          <Button size="xs" variant="default" onClick={saveFaulty}>
            {pageMessages.saveFaulty}
          </Button>
        </Alert>
      )}
      <MantineTable.ScrollContainer minWidth={480} maxHeight={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <MantineTable striped verticalSpacing={4} fz="sm">
          <MantineTable.Thead>
            <MantineTable.Tr>
              <MantineTable.Th>{pageMessages.row}</MantineTable.Th>
              <MantineTable.Th>{pageMessages.what}</MantineTable.Th>
              <MantineTable.Th>{pageMessages.model}</MantineTable.Th>
              <MantineTable.Th>{pageMessages.fields}</MantineTable.Th>
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
          {pageMessages.shown(MAX_SHOWN, steps.length)}
        </Text>
      )}
      <Group justify="flex-end">
        {writes.length === 0 && <Text size="sm">{pageMessages.nothing}</Text>}
        <Button variant="default" onClick={another}>
          {pageMessages.other}
        </Button>
        <Button disabled={writes.length === 0} onClick={() => run(writes)}>
          {pageMessages.import(writes.length)}
        </Button>
      </Group>
    </Stack>
  );
}

function PreviewRow({ step, table }: { step: Step; table: Table }) {
  const pageMessages = useMessages(MESSAGES);
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
      <MantineTable.Td>{pageMessages.action[step.action]}</MantineTable.Td>
      <MantineTable.Td>
        <Text size="sm" lineClamp={1} maw={260}>
          {inFile || ('order' in step ? step.order.model_name : '')}
        </Text>
      </MantineTable.Td>
      <MantineTable.Td>{[...new Set(fields)].join(', ')}</MantineTable.Td>
    </MantineTable.Tr>
  );
}
