import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { useComputedColorScheme } from '@mantine/core';
import { useI18n } from '../i18n/i18n';
import type { UsageView } from './usage-view';
import { useStockFormats } from './use-stock-formats';

/**
 * The Okabe-Ito palette, distinguishable with most kinds of color blindness; dark shades are lightened for dark
 * backgrounds. The filaments' own colors would collide, such as two blacks.
 */
const COLORS = {
  light: ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#B58900', '#56B4E9', '#6B7280'],
  dark: ['#4DA6DE', '#F0803C', '#2EC79A', '#E29CC3', '#F0E442', '#9AD5FA', '#A3AAB5'],
};

export function UsageChart({ view: { bars, lines }, height }: { view: UsageView; height: number }) {
  const { messages, formatGrams } = useStockFormats();
  const { formatDay } = useI18n();
  const colors = COLORS[useComputedColorScheme()];
  return (
    <BarChart
      h={height}
      type="stacked"
      data={bars}
      dataKey="day"
      series={lines.map(({ key, name }, place) => ({
        name: key,
        label: name ?? messages.others,
        color: (name === null ? colors.at(-1) : colors[place]) as string,
      }))}
      withLegend={lines.length > 1}
      legendProps={{ verticalAlign: 'bottom' }}
      valueFormatter={(value) => messages.grams(formatGrams(value))}
      xAxisProps={{ tickFormatter: formatDay, minTickGap: 24 }}
      // Recharts moves the top label away from the edge by default; keep it on its grid line
      yAxisProps={{ width: 64, interval: 0 }}
      // called with undefined between bars
      tooltipProps={{ labelFormatter: (label) => (typeof label === 'string' && label !== '' ? formatDay(label) : '') }}
      maxBarWidth={28}
      barChartProps={{ accessibilityLayer: false, margin: { top: 8 } }}
      barProps={{ isAnimationActive: false }}
    />
  );
}
