import { Box, Group, Paper, ScrollArea, SegmentedControl, Skeleton, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useSpeech } from '../i18n/i18n';
import { Failed } from '../ui/page';
import { part } from '../ui/lazy-part';
import classes from './stock.module.css';
import { type UsageDays, usageQuery } from './stock-api';
import { toView, type UsageView } from './usage-view';
import { useStock } from './use-stock-formats';

const CHOICES: UsageDays[] = [30, 90, 365];
const HEIGHT = 220;

// the charts weigh more than the rest of the page
const UsageChart = part('usage-chart', async () => (await import('./usage-chart')).UsageChart, {
  waiting: <Skeleton height={HEIGHT} />,
});

/** What was used over time, of one filament or of all, as a chart and as a table. */
export function UsageSection({ filamentId }: { filamentId?: string }) {
  const { words } = useStock();
  const [days, setDays] = useState<UsageDays>(30);
  const { data, error, refetch } = useQuery({ ...usageQuery(days, filamentId), placeholderData: keepPreviousData });
  const view = useMemo(() => data && toView(data), [data]);
  return (
    <Box component="section" mt={filamentId ? 0 : 'xl'}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} size="h5">
          {filamentId ? words.usage : words.usageAll}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={words.days}
          value={String(days)}
          onChange={(value) => setDays(Number(value) as UsageDays)}
          data={CHOICES.map((choice) => ({ value: String(choice), label: words.lastDays(choice) }))}
        />
      </Group>
      <Paper withBorder p="sm">
        {view ? (
          view.total > 0 ? (
            <Drawn view={view} days={days} />
          ) : (
            <Text size="sm">{words.noUsage}</Text>
          )
        ) : error ? (
          <Failed error={error} retry={refetch} />
        ) : (
          <Skeleton height={HEIGHT} />
        )}
      </Paper>
    </Box>
  );
}

function Drawn({ view, days }: { view: UsageView; days: UsageDays }) {
  const { words, grams } = useStock();
  const { day } = useSpeech();
  const sum = words.usageSum(grams(view.total), days);
  const most = view.bars.reduce((best, bar) => (bar.total > best.total ? bar : best));
  return (
    <>
      <Text size="sm" mb="xs" data-usage={view.total}>
        {sum}
      </Text>
      {/* a picture with words; the numbers are in the table below */}
      <div role="img" aria-label={words.usageChart(sum, day(most.day), grams(most.total))}>
        <UsageChart view={view} height={HEIGHT} />
      </div>
      <details>
        <summary>
          <Text span size="sm">
            {words.asTable}
          </Text>
        </summary>
        <UsageTable view={view} />
      </details>
    </>
  );
}

function UsageTable({ view: { bars, lines, byWeek } }: { view: UsageView }) {
  const { words, grams } = useStock();
  const { day } = useSpeech();
  return (
    <ScrollArea.Autosize
      mah={320}
      type="auto"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': words.usage }}
    >
      <Table fz="sm" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{byWeek ? words.week : words.day}</Table.Th>
            {lines.map(({ key, name }) => (
              <Table.Th key={key} className={classes.number}>
                {name ?? words.others}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {bars
            .filter(({ total }) => total > 0)
            .map((bar) => (
              <Table.Tr key={bar.day}>
                <Table.Td>{day(bar.day)}</Table.Td>
                {lines.map(({ key }) => (
                  <Table.Td key={key} className={classes.number}>
                    {words.grams(grams(Number(bar[key] ?? 0)))}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
