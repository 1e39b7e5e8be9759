import { Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { decimalsOf } from '../i18n/currency';
import { today } from '../time';
import { FormFooter } from '../ui/form-footer';
import { NumberField } from '../ui/number-field';
import { useStockMutation } from './dialog';
import { type Batch, type Filament, stockApi } from './stock-api';
import { useStockFormats } from './use-stock-formats';

interface Values {
  count: number | string;
  price: number | string;
  day: string;
}

export function ReceiveForm({ filament, close }: { filament: Filament; close(): void }) {
  const { messages, currency, spoolPriceLabel } = useStockFormats();
  const form = useForm<Values>({
    initialValues: { count: 1, price: filament.spool_price ?? '', day: today() },
    validate: {
      count: (count) => (Number(count) >= 1 ? null : messages.required),
      day: (day) => (day === '' ? messages.required : null),
    },
  });
  const receive = useStockMutation<Values, Batch>({
    send: ({ count, price, day }, key) =>
      stockApi.receive(
        filament.id,
        {
          spool_count: Number(count),
          spool_price: price === '' ? null : Number(price),
          // today: the current time. Another day: local noon, which is the same day in most time zones
          ...(day === today() ? {} : { received_at: new Date(`${day}T12:00`).toISOString() }),
        },
        key,
      ),
    done(batch) {
      notifications.show({ message: messages.receivedDone(batch.spool_count), color: 'teal' });
      close();
    },
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => receive.mutate(values))}>
      <Stack gap="sm">
        <NumberField
          label={messages.spools}
          required
          data-autofocus
          min={1}
          max={10_000}
          decimals={0}
          {...form.getInputProps('count')}
        />
        <NumberField
          label={spoolPriceLabel}
          description={messages.spoolPriceHint}
          max={100_000_000}
          decimals={decimalsOf(currency)}
          {...form.getInputProps('price')}
        />
        <TextInput label={messages.receivedDate} type="date" required {...form.getInputProps('day')} />
        <FormFooter error={receive.error} submit={messages.receive} isPending={receive.isPending} close={close} />
      </Stack>
    </form>
  );
}
