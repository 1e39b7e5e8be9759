import { Alert, Button, ColorSwatch, Group, List, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useI18n, useMessages } from '../../i18n/i18n';
import { Columns } from './columns';
import { FAULT_COLUMN, isComplete, type Mapping, type Target, targetLabels } from './fields';
import { type Known, plan } from './import-plan';
import { MESSAGES } from './messages';
import { PreviewTable } from './preview-table';
import { Questions } from './questions';
import { isWrite, type Write } from './run-import';
import { type Format, shownColumns } from './shown-values';
import type { Answers, Step } from './step';
import type { Table } from './table';
import { downloadFaulty } from './write';

const MAX_FAULTS = 20;

const COLORS: Record<Step['action'], string> = {
  create: 'teal',
  update: 'blue',
  same: 'gray',
  skip: 'gray',
  fault: 'red',
};

interface PreviewProps {
  table: Table;
  mapping: Mapping;
  setMapping(mapping: Mapping): void;
  answers: Answers;
  setAnswers(answers: Answers): void;
  known: Known;
  another(): void;
  run(steps: Write[]): void;
}

/** Preview of an import: what the columns are, what is unclear, every error, and the values that will be written. */
export function Preview({ table, mapping, setMapping, answers, setAnswers, known, another, run }: PreviewProps) {
  const { language, messages } = useI18n();
  const csv = useMessages(MESSAGES);
  const labels = useMemo(() => targetLabels(language), [language]);
  const { steps, questions, open } = useMemo(
    () => plan(table, mapping, answers, known),
    [table, mapping, answers, known],
  );
  const format: Format = {
    locale: navigator.languages.find((tag) => tag.startsWith(language)) ?? language,
    messages,
    csv,
    printers: known.printers,
  };
  const writes = steps.filter(isWrite);
  const counts = (['create', 'update', 'same', 'skip', 'fault'] as const)
    .map((action) => ({ action, count: steps.filter((step) => step.action === action).length }))
    .filter(({ count }) => count > 0);
  const unknownIds = steps.filter((step) => step.action === 'create' && step.hadUnknownId).length;
  const isReady = isComplete(mapping);
  return (
    <Stack>
      <Columns table={table} mapping={mapping} setMapping={setMapping} labels={labels} csv={csv} />
      {isReady ? (
        <>
          <Questions
            questions={questions}
            open={open}
            answers={answers}
            answer={setAnswers}
            labels={labels}
            format={format}
          />
          <Group gap="md" role="status">
            {counts.map(({ action, count }) => (
              <Group key={action} gap={6} wrap="nowrap">
                <ColorSwatch size={10} color={`var(--mantine-color-${COLORS[action]}-6)`} withShadow={false} />
                <Text size="sm" fw={600}>
                  {csv[action](count)}
                </Text>
              </Group>
            ))}
          </Group>
          {unknownIds > 0 && <Text size="sm">{csv.unknownIds(unknownIds)}</Text>}
          <Faults table={table} mapping={mapping} steps={steps} />
          <Text size="sm" fw={600}>
            {csv.values}
          </Text>
          <PreviewTable steps={steps} columns={shownColumns(mapping)} labels={labels} format={format} />
          <Text size="xs" c="dimmed">
            {csv.defaults}
          </Text>
        </>
      ) : (
        <Alert color="yellow" variant="light" role="alert">
          {csv.noModel}
        </Alert>
      )}
      <Group justify="flex-end">
        {isReady && open.length > 0 && <Text size="sm">{csv.questions}</Text>}
        {isReady && open.length === 0 && writes.length === 0 && <Text size="sm">{csv.nothing}</Text>}
        <Button variant="default" onClick={another}>
          {csv.other}
        </Button>
        <Button disabled={!isReady || open.length > 0 || writes.length === 0} onClick={() => run(writes)}>
          {csv.import(isReady ? writes.length : 0)}
        </Button>
      </Group>
    </Stack>
  );
}

/** The errors by row and column; the rows can be downloaded. */
function Faults({ table, mapping, steps }: { table: Table; mapping: Mapping; steps: Step[] }) {
  const { language } = useI18n();
  const csv = useMessages(MESSAGES);
  const faulty = steps.filter((step) => step.action === 'fault');
  if (faulty.length === 0) return null;
  const headingOf = (target: Target | null) =>
    target === null ? null : (table.headings[mapping.indexOf(target)]?.trim() ?? target);
  const formatFaults = (step: Step & { action: 'fault' }) =>
    step.faults.map(({ target, kind }) => csv.faultAt(step.row.number, headingOf(target), csv.faults[kind]));
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
    <Alert color="red" variant="light" title={csv.fault(faulty.length)}>
      <List size="sm">
        {faults.slice(0, MAX_FAULTS).map((fault) => (
          <List.Item key={fault}>{fault}</List.Item>
        ))}
        {faults.length > MAX_FAULTS && <List.Item>{csv.andMore(faults.length - MAX_FAULTS)}</List.Item>}
      </List>
      <Text size="sm" my="xs">
        {csv.faultyKept}
      </Text>
      <Button size="xs" variant="default" onClick={saveFaulty}>
        {csv.saveFaulty}
      </Button>
    </Alert>
  );
}
