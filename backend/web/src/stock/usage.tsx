import { Box, Group, Paper, ScrollArea, SegmentedControl, Skeleton, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useI18n } from '../i18n/i18n';
import { lazyPart } from '../ui/lazy-part';
import { Failed } from '../ui/page';
import classes from './stock.module.css';
import { type UsageDays, usageQuery } from './stock-api';
import { toView, type UsageView } from './usage-view';
import { useStockFormats } from './use-stock-formats';

const CHOICES: UsageDays[] = [30, 90, 365];
const HEIGHT = 220;

// the chart library is large, so it is loaded after the page
const UsageChart = lazyPart('usage-chart', async () => (await import('./usage-chart')).UsageChart, {
  waiting: <Skeleton height={HEIGHT} />,
});

/** Consumption over time of one or all filaments, as a chart and a table. */
export function UsageSection({ filamentId }: { filamentId?: string }) {
  const { messages } = useStockFormats();
  const [days, setDays] = useState<UsageDays>(30);
  const { data, error, refetch } = useQuery({ ...usageQuery(days, filamentId), placeholderData: keepPreviousData });
  const view = useMemo(() => data && toView(data), [data]);
  return (
    <Box component="section" mt={filamentId ? 0 : 'xl'}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} size="h5">
          {filamentId ? messages.usage : messages.usageAll}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={messages.days}
          value={String(days)}
          onChange={(value) => setDays(Number(value) as UsageDays)}
          data={CHOICES.map((choice) => ({ value: String(choice), label: messages.lastDays(choice) }))}
        />
      </Group>
      <Paper withBorder p="sm">
        {view ? (
          view.total > 0 ? (
            <UsageDetails view={view} days={days} />
          ) : (
            <Text size="sm">{messages.noUsage}</Text>
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

function UsageDetails({ view, days }: { view: UsageView; days: UsageDays }) {
  const { messages, formatSum } = useStockFormats();
  const { formatDay } = useI18n();
  const sum = messages.usageSum(formatSum(view.total), days);
  const max = view.bars.reduce((best, bar) => (bar.total > best.total ? bar : best));
  return (
    <>
      <Text size="sm" mb="xs" data-usage={view.total}>
        {sum}
      </Text>
      {/* exposed as an image; the numbers are in the table below */}
      <div role="img" aria-label={messages.usageChart(sum, formatDay(max.day), formatSum(max.total))}>
        <UsageChart view={view} height={HEIGHT} />
      </div>
      <details>
        <summary>
          <Text span size="sm">
            {messages.asTable}
          </Text>
        </summary>
        <UsageTable view={view} />
      </details>
    </>
  );
}

function UsageTable({ view: { bars, lines, byWeek } }: { view: UsageView }) {
  const { messages, formatGrams } = useStockFormats();
  const { formatDay } = useI18n();
  return (
    <ScrollArea.Autosize
      mah={320}
      type="auto"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': messages.usage }}
    >
      <Table fz="sm" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{byWeek ? messages.week : messages.day}</Table.Th>
            {lines.map(({ key, name }) => (
              <Table.Th key={key} className={classes.number}>
                {name ?? messages.others}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {bars
            .filter(({ total }) => total > 0)
            .map((bar) => (
              <Table.Tr key={bar.day}>
                <Table.Td>{formatDay(bar.day)}</Table.Td>
                {lines.map(({ key }) => (
                  <Table.Td key={key} className={classes.number}>
                    {messages.grams(formatGrams(Number(bar[key] ?? 0)))}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
