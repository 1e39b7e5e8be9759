import { Alert, Button, Group, Select, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/client';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { useStockMutation } from '../../stock/dialog';
import { type Filament, findLedgerEntry, stockApi } from '../../stock/stock-api';
import { showUndoNotification } from '../../stock/undo';
import { useStockFormats } from '../../stock/use-stock-formats';
import { NumberField } from '../../ui/number-field';
import { matchesOrder } from './costs';
import { MESSAGES } from './messages';

interface DeductMaterialProps {
  order: Order;
  deductedGrams: number;
  filaments: Filament[];
}

/** Deducts material for an order; proposes the grams that weren't deducted yet. */
export function DeductMaterial({ order, deductedGrams, filaments }: DeductMaterialProps) {
  const { messages, formatNumber } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const stock = useStockFormats();
  const client = useQueryClient();
  const [filamentId, setFilamentId] = useState<string | null>(null);
  const [typed, setTyped] = useState<number | string>();
  const missing = Math.max(0, Math.round((order.material_grams - deductedGrams) * 1000) / 1000);
  const entered = typed ?? (missing || order.material_grams);
  const grams = Number(entered);
  const deduct = useStockMutation<{ id: string; anyway: boolean }, Filament>({
    send: ({ id, anyway }, key) =>
      stockApi.consume(id, { grams, order_id: order.id, ...(anyway ? { allow_overdraw: true } : {}) }, key),
    async done(filament) {
      const amount = messages.board.grams(formatNumber(grams));
      setTyped(undefined);
      client.invalidateQueries({ queryKey: ['history', order.id] });
      const entry = await findLedgerEntry(filament, 'consumption').catch(() => undefined);
      showUndoNotification(
        filament.id,
        entry,
        pageMessages.deducted(amount, filament.name),
        stock.messages.undoDone(stock.formatGrams(grams)),
      );
    },
  });
  if (filaments.length === 0) return null;
  const shortage = deduct.error instanceof Problem && deduct.error.code === 'insufficient_stock' && deduct.error;
  const canOverdraw = shortage && shortage.facts.can_overdraw === true;
  // filaments of the order's material come first
  const isAsked = (filament: Filament) => Number(matchesOrder(order, filament));
  const sorted = filaments.toSorted((a, b) => isAsked(b) - isAsked(a) || a.name.localeCompare(b.name));
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end" wrap="wrap">
        <Select
          size="xs"
          flex="1 1 12rem"
          label={pageMessages.deduct}
          placeholder={pageMessages.choose}
          searchable
          allowDeselect={false}
          data={sorted.map(({ id, name, remaining_grams }) => ({
            value: id,
            label: `${name} (${pageMessages.left(messages.board.grams(formatNumber(remaining_grams)))})`,
          }))}
          value={filamentId}
          onChange={(id) => {
            setFilamentId(id);
            deduct.reset();
          }}
        />
        <NumberField
          size="xs"
          w={110}
          label={pageMessages.grams}
          max={1_000_000}
          value={entered}
          onChange={(value) => {
            setTyped(value);
            deduct.reset();
          }}
        />
        <Button
          size="xs"
          variant="default"
          disabled={filamentId === null || !(grams > 0)}
          loading={deduct.isPending}
          onClick={() => filamentId && deduct.mutate({ id: filamentId, anyway: false })}
        >
          {pageMessages.deduct}
        </Button>
      </Group>
      {deduct.error && (
        <Alert color={shortage ? 'yellow' : 'red'} role="alert">
          <Stack gap="xs" align="flex-start">
            {shortage ? pageMessages.tooLittle : formatError(deduct.error, messages)}
            {shortage && !canOverdraw && stock.messages.shortNoBatch}
            {canOverdraw && filamentId && (
              <Button
                size="xs"
                variant="default"
                loading={deduct.isPending}
                onClick={() => deduct.mutate({ id: filamentId, anyway: true })}
              >
                {pageMessages.anyway}
              </Button>
            )}
          </Stack>
        </Alert>
      )}
    </Stack>
  );
}
