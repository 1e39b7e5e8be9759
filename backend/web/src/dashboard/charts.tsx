import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { useI18n, useMessages } from '../i18n/i18n';
import { markOf } from '../order-data/statuses';
import type { DashboardStats } from './dashboard-api';
import { MESSAGES } from './messages';

interface ChartProps {
  days: DashboardStats['days'];
}

const HEIGHT = 220;

// charts are hidden from screen readers: a table next to them has the same data
const SILENT = { accessibilityLayer: false, margin: { top: 8 } };
const STILL = { isAnimationActive: false };
// Recharts moves the top label away from the edge by default; keep it on its grid line
const WHOLE_NUMBERS = { allowDecimals: false, width: 36, interval: 0 as const };

function useRows(days: ChartProps['days']) {
  const { formatDay } = useI18n();
  return days.map((row) => ({ ...row, day: formatDay(row.day) }));
}

/** Orders created and completed per day. */
export function OrdersChart({ days }: ChartProps) {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  return (
    <LineChart
      h={HEIGHT}
      data={useRows(days)}
      dataKey="day"
      series={[
        { name: 'created', label: messages.created, color: 'gray.6', strokeDasharray: '5 4' },
        { name: 'done', label: commonMessages.status.done, color: markOf('done') },
      ]}
      curveType="linear"
      withDots={false}
      withLegend
      legendProps={{ verticalAlign: 'bottom' }}
      yAxisProps={WHOLE_NUMBERS}
      xAxisProps={{ minTickGap: 24 }}
      lineChartProps={SILENT}
      lineProps={STILL}
      tooltipAnimationDuration={0}
    />
  );
}

/** Failed prints per day. */
export function FailuresChart({ days }: ChartProps) {
  const { messages: commonMessages } = useI18n();
  return (
    <BarChart
      h={HEIGHT}
      data={useRows(days)}
      dataKey="day"
      series={[{ name: 'print_error', label: commonMessages.status.print_error, color: markOf('print_error') }]}
      yAxisProps={WHOLE_NUMBERS}
      xAxisProps={{ minTickGap: 24 }}
      barChartProps={SILENT}
      barProps={STILL}
      maxBarWidth={24}
      tooltipAnimationDuration={0}
    />
  );
}
