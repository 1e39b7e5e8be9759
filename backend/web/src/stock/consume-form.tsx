import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Problem } from '../api/client';
import type { Order } from '../order-data/orders-api';
import { FormFooter } from '../ui/form-footer';
import { NumberField } from '../ui/number-field';
import { useStockMutation } from './dialog';
import { OrderChoice } from './order-choice';
import { type Filament, findLedgerEntry, stockApi } from './stock-api';
import { showUndoNotification } from './undo';
import { useStockFormats } from './use-stock-formats';

interface Use {
  grams: number;
  order: Order | null;
  note: string;
  overdraw: boolean;
}

/** Form to deduct used grams; if there is too little, it shows what is missing and allows an overdraft. */
export function ConsumeForm({ filament, close }: { filament: Filament; close(): void }) {
  const { messages, formatGrams } = useStockFormats();
  const [order, setOrder] = useState<Order | null>(null);
  const form = useForm<{ grams: number | string; note: string }>({
    initialValues: { grams: '', note: '' },
    validate: { grams: (value) => (Number(value) > 0 ? null : messages.required) },
  });
  const consume = useStockMutation<Use, Filament>({
    send: (use, key) =>
      stockApi.consume(
        filament.id,
        {
          grams: use.grams,
          order_id: use.order?.id ?? null,
          note: use.note.trim() || null,
          ...(use.overdraw ? { allow_overdraw: true } : {}),
        },
        key,
      ),
    async done(after, use) {
      close();
      const entry = await findLedgerEntry(after, 'consumption').catch(() => undefined);
      const amount = formatGrams(use.grams);
      showUndoNotification(filament.id, entry, messages.deducted(amount, after.name), messages.undoDone(amount));
    },
  });
  const { error } = consume;
  const shortage = error instanceof Problem && error.code === 'insufficient_stock' ? error : undefined;
  const send = (values: typeof form.values, overdraw: boolean) =>
    consume.mutate({ grams: Number(values.grams), order, note: values.note, overdraw });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => send(values, false))}>
      <Stack gap="sm">
        <NumberField
          label={messages.useGrams}
          description={`${messages.remaining}: ${messages.grams(formatGrams(filament.remaining_grams))}`}
          required
          data-autofocus
          max={1_000_000}
          {...form.getInputProps('grams')}
        />
        <OrderChoice value={order} onChange={setOrder} />
        <TextInput label={messages.note} maxLength={500} {...form.getInputProps('note')} />
        {shortage && (
          <InsufficientStock
            problem={shortage}
            isPending={consume.isPending}
            overdraw={() => form.onSubmit((values) => send(values, true))()}
          />
        )}
        <FormFooter
          error={shortage ? null : error}
          submit={messages.deduct}
          isPending={consume.isPending}
          close={close}
        />
      </Stack>
    </form>
  );
}

interface InsufficientStockProps {
  problem: Problem;
  isPending: boolean;
  overdraw(): void;
}

function InsufficientStock({ problem: { facts }, isPending, overdraw }: InsufficientStockProps) {
  const { messages, formatGrams } = useStockFormats();
  const mayOverdraw = facts.can_overdraw === true;
  const fact = (name: string) => formatGrams(Number(facts[name]));
  return (
    <Alert
      color="orange"
      role="alert"
      title={messages.shortTitle}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack align="flex-start" gap="xs">
        <Text size="sm">
          {messages.short(fact('requested_grams'), fact('available_grams'), fact('shortage_grams'))}
        </Text>
        <Text size="sm">{mayOverdraw ? messages.shortWhat : messages.shortNoBatch}</Text>
        {mayOverdraw && (
          <Button size="xs" variant="default" loading={isPending} onClick={overdraw}>
            {messages.deductAnyway}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
