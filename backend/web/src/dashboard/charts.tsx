import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { markOf } from '../orders/statuses';
import type { Figures } from './dashboard-api';
import { WORDS } from './messages';

interface ChartProps {
  days: Figures['days'];
}

const HEIGHT = 220;

// the pictures are for the eye alone: what they say stands in a table beside them
const SILENT = { accessibilityLayer: false, margin: { top: 8 } };
const STILL = { isAnimationActive: false };
// every label at its own line: by default the top one is moved down to keep clear of the edge
const WHOLE_NUMBERS = { allowDecimals: false, width: 36, interval: 0 as const };

function useRows(days: ChartProps['days']) {
  const { day } = useSpeech();
  return days.map((row) => ({ ...row, day: day(row.day) }));
}

/** When orders were created and became done. */
export function OrdersChart({ days }: ChartProps) {
  const { words: common } = useSpeech();
  const words = useWordsOf(WORDS);
  return (
    <LineChart
      h={HEIGHT}
      data={useRows(days)}
      dataKey="day"
      series={[
        { name: 'created', label: words.created, color: 'gray.6', strokeDasharray: '5 4' },
        { name: 'done', label: common.status.done, color: markOf('done') },
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

/** How many prints failed on each day. */
export function FailuresChart({ days }: ChartProps) {
  const { words: common } = useSpeech();
  return (
    <BarChart
      h={HEIGHT}
      data={useRows(days)}
      dataKey="day"
      series={[{ name: 'print_error', label: common.status.print_error, color: markOf('print_error') }]}
      yAxisProps={WHOLE_NUMBERS}
      xAxisProps={{ minTickGap: 24 }}
      barChartProps={SILENT}
      barProps={STILL}
      maxBarWidth={24}
      tooltipAnimationDuration={0}
    />
  );
}
