import { Alert, Button, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { type Order, Problem } from '../api/api';
import { FormEnd, useBooking } from './dialog';
import { OrderChoice } from './order-choice';
import { type Filament, findBooked, stockApi } from './stock-api';
import { offerUndo } from './undo';
import { useStock } from './use-stock-formats';

interface Use {
  grams: number;
  order: Order | null;
  note: string;
  overdraw: boolean;
}

/** Grams that were used; where there are too few, what is missing and a way to book it all the same. */
export function ConsumeForm({ filament, close }: { filament: Filament; close(): void }) {
  const { words, grams } = useStock();
  const [order, setOrder] = useState<Order | null>(null);
  const form = useForm<{ grams: number | string; note: string }>({
    initialValues: { grams: '', note: '' },
    validate: { grams: (value) => (Number(value) > 0 ? null : words.required) },
  });
  const consume = useBooking<Use, Filament>({
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
      const entry = await findBooked(after, 'consumption').catch(() => undefined);
      const amount = grams(use.grams);
      offerUndo(filament.id, entry, words.booked(amount, after.name), words.undoDone(amount));
    },
  });
  const { error } = consume;
  const lacking = error instanceof Problem && error.code === 'insufficient_stock' ? error : undefined;
  const send = (values: typeof form.values, overdraw: boolean) =>
    consume.mutate({ grams: Number(values.grams), order, note: values.note, overdraw });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => send(values, false))}>
      <Stack gap="sm">
        <NumberInput
          label={words.useGrams}
          description={`${words.remaining}: ${words.grams(grams(filament.remaining_grams))}`}
          required
          data-autofocus
          min={0}
          max={1_000_000}
          decimalScale={3}
          {...form.getInputProps('grams')}
        />
        <OrderChoice value={order} onChange={setOrder} />
        <TextInput label={words.note} maxLength={500} {...form.getInputProps('note')} />
        {lacking && (
          <Lacking
            problem={lacking}
            mayOverdraw={filament.spool_count > 0}
            isPending={consume.isPending}
            overdraw={() => form.onSubmit((values) => send(values, true))()}
          />
        )}
        <FormEnd error={lacking ? null : error} submit={words.book} isPending={consume.isPending} close={close} />
      </Stack>
    </form>
  );
}

interface LackingProps {
  problem: Problem;
  mayOverdraw: boolean;
  isPending: boolean;
  overdraw(): void;
}

function Lacking({ problem: { facts }, mayOverdraw, isPending, overdraw }: LackingProps) {
  const { words, grams } = useStock();
  const fact = (name: string) => grams(Number(facts[name]));
  return (
    <Alert
      color="orange"
      role="alert"
      title={words.shortTitle}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{words.short(fact('requested_grams'), fact('available_grams'), fact('shortage_grams'))}</Text>
        <Text size="sm">{mayOverdraw ? words.shortWhat : words.shortNoBatch}</Text>
        {mayOverdraw && (
          <Button size="xs" variant="default" loading={isPending} onClick={overdraw}>
            {words.bookAnyway}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
