import { Badge, Group, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconScale } from '@tabler/icons-react';
import { useSpeech } from '../i18n/i18n';
import classes from './stock.module.css';
import type { Filament } from './stock-api';
import { useStock } from './use-stock-formats';
import { heldGrams, shareLeft, thresholdShare } from './view';

/** How much is left: a bar, in grams and in spools. */
export function Remaining({ filament }: { filament: Filament }) {
  const { words, grams } = useStock();
  const { number } = useSpeech();
  const { remaining_grams, spool_weight_grams, spool_count, is_low_stock } = filament;
  const threshold = thresholdShare(filament);
  const lowFrom = words.lowFrom(words.grams(grams(filament.low_stock_threshold_grams)));
  const percent = Math.round(shareLeft(filament) * 1000) / 10;
  return (
    <Stack gap={4}>
      <div className={classes.bar}>
        <Progress
          value={percent}
          color={is_low_stock ? 'orange' : 'cyan'}
          size="lg"
          aria-label={`${words.remaining}: ${filament.name}`}
        />
        {threshold !== undefined && (
          <Tooltip label={lowFrom} openDelay={0}>
            <span className={classes.threshold} style={{ insetInlineStart: `${threshold * 100}%` }} data-threshold />
          </Tooltip>
        )}
      </div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500} data-remaining={remaining_grams}>
          {words.leftOf(grams(remaining_grams), grams(heldGrams(filament)))}
          {is_low_stock && ` · ${lowFrom}`}
        </Text>
        <Text size="xs" c="dimmed">
          {spool_count === 0
            ? words.noSpools
            : words.spoolsOf(number(remaining_grams / spool_weight_grams), spool_count)}
        </Text>
      </Group>
    </Stack>
  );
}

/** Dark letters: white ones on orange or yellow are too faint to read. */
export function Marks({ filament }: { filament: Filament }) {
  const { words } = useStock();
  return (
    <>
      {filament.is_low_stock && (
        <Badge color="orange.4" c="black" size="sm" leftSection={<IconAlertTriangle size={12} aria-hidden />}>
          {words.low}
        </Badge>
      )}
      {filament.needs_review && (
        <Tooltip label={words.reviewHint} multiline maw={260}>
          <Badge color="yellow.4" c="black" size="sm" leftSection={<IconScale size={12} aria-hidden />}>
            {words.review}
          </Badge>
        </Tooltip>
      )}
    </>
  );
}
