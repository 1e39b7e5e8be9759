import { Badge, Group, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { useI18n } from '../i18n/i18n';
import { IconAlertTriangle, IconScale } from '../ui/icons.tsx';
import classes from './stock.module.css';
import type { Filament } from './stock-api';
import { useStockFormats } from './use-stock-formats';
import { heldGrams, shareLeft, thresholdShare } from './view';

/** Remaining stock as a bar, in grams and in spools. */
export function Remaining({ filament }: { filament: Filament }) {
  const { messages, formatGrams } = useStockFormats();
  const { formatNumber } = useI18n();
  const { remaining_grams, spool_weight_grams, spool_count, is_low_stock } = filament;
  const threshold = thresholdShare(filament);
  const lowFrom = messages.lowFrom(messages.grams(formatGrams(filament.low_stock_threshold_grams)));
  const percent = Math.round(shareLeft(filament) * 1000) / 10;
  return (
    <Stack gap={4}>
      <div className={classes.bar}>
        <Progress
          value={percent}
          color={is_low_stock ? 'orange' : 'cyan'}
          size="lg"
          aria-label={`${messages.remaining}: ${filament.name}`}
        />
        {threshold !== undefined && (
          <Tooltip label={lowFrom} openDelay={0}>
            <span className={classes.threshold} style={{ insetInlineStart: `${threshold * 100}%` }} data-threshold />
          </Tooltip>
        )}
      </div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500} data-remaining={remaining_grams}>
          {messages.leftOf(formatGrams(remaining_grams), formatGrams(heldGrams(filament)))}
          {is_low_stock && ` · ${lowFrom}`}
        </Text>
        <Text size="xs" c="dimmed">
          {spool_count === 0
            ? messages.noSpools
            : messages.spoolsOf(formatNumber(remaining_grams / spool_weight_grams), spool_count)}
        </Text>
      </Group>
    </Stack>
  );
}

/** Dark text: white on orange or yellow lacks contrast. */
export function Marks({ filament }: { filament: Filament }) {
  const { messages } = useStockFormats();
  return (
    <>
      {filament.is_low_stock && (
        <Badge color="orange.4" c="black" size="sm" leftSection={<IconAlertTriangle size={12} aria-hidden />}>
          {messages.low}
        </Badge>
      )}
      {filament.needs_review && (
        <Tooltip label={messages.reviewHint} multiline maw={260}>
          <Badge color="yellow.4" c="black" size="sm" leftSection={<IconScale size={12} aria-hidden />}>
            {messages.review}
          </Badge>
        </Tooltip>
      )}
    </>
  );
}
