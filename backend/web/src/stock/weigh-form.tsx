import { Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useSpeech } from '../i18n/i18n';
import { FormEnd, useBooking } from './dialog';
import { batchesQuery, type Filament, findBooked, stockApi } from './stock-api';
import { offerUndo } from './undo';
import { useStock } from './use-stock-formats';
import { heldGrams } from './view';

interface Values {
  scale: number | string;
  empty: number | string;
  batch: string;
  note: string;
}

const ALL = '';
const toMilligrams = (grams: number) => Math.round(grams * 1000);

/** What the scale says becomes what the books say. */
export function WeighForm({ filament, close }: { filament: Filament; close(): void }) {
  const { words, grams } = useStock();
  const { day } = useSpeech();
  const batches = (useQuery(batchesQuery(filament.id)).data?.items ?? []).filter((batch) => batch.archived_at === null);
  const form = useForm<Values>({ initialValues: { scale: '', empty: '', batch: ALL, note: '' } });
  const { scale, empty, batch: batchId } = form.values;

  const batch = batches.find(({ id }) => id === batchId);
  const booked = batch ? batch.remaining_grams : filament.remaining_grams;
  const most = batch ? batch.spool_count * filament.spool_weight_grams : heldGrams(filament);
  // in milligrams, because 0.3 - 0.1 is not 0.2
  const left = (toMilligrams(Number(scale)) - toMilligrams(Number(empty))) / 1000;
  const fault =
    scale === ''
      ? words.required
      : left < 0
        ? words.weighNegative
        : left > most
          ? words.weighTooMuch(grams(most))
          : null;

  const weigh = useBooking<Values, Filament>({
    send: (values, key) =>
      stockApi.stockTake(
        filament.id,
        { remaining_grams: left, batch_id: values.batch || null, note: values.note.trim() || null },
        key,
      ),
    async done(after) {
      close();
      const entry = await findBooked(after, 'adjustment').catch(() => undefined);
      const difference = grams(Math.abs(toMilligrams(left) - toMilligrams(booked)) / 1000);
      offerUndo(filament.id, entry, words.weighedDone(grams(after.remaining_grams)), words.undoDone(difference));
    },
  });
  const submit = (values: Values) => {
    if (fault) form.setFieldError('scale', fault);
    else weigh.mutate(values);
  };
  return (
    <form noValidate onSubmit={form.onSubmit(submit)}>
      <Stack gap="sm">
        {batches.length > 1 && (
          <Select
            label={words.weighWhat}
            allowDeselect={false}
            data={[
              { value: ALL, label: words.allBatches },
              ...batches.map(({ id, received_at, spool_count }) => ({
                value: id,
                label: words.batchOf(day(received_at.slice(0, 10)), spool_count),
              })),
            ]}
            {...form.getInputProps('batch')}
          />
        )}
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <NumberInput
            label={words.onScale}
            required
            data-autofocus
            min={0}
            max={1_000_000_000}
            decimalScale={3}
            {...form.getInputProps('scale')}
          />
          <NumberInput
            label={words.emptySpools}
            description={words.emptySpoolsHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder="0"
            min={0}
            max={1_000_000}
            decimalScale={3}
            {...form.getInputProps('empty')}
          />
        </Group>
        {scale !== '' && (
          <Text size="sm" role="status">
            {fault ?? `${words.weighed(grams(left))} ${sayDifference(toMilligrams(left) - toMilligrams(booked))}`}
          </Text>
        )}
        <TextInput label={words.why} maxLength={500} {...form.getInputProps('note')} />
        <FormEnd error={weigh.error} submit={words.save} isPending={weigh.isPending} close={close} />
      </Stack>
    </form>
  );

  function sayDifference(mg: number): string {
    if (mg === 0) return words.weighEqual;
    const amount = grams(Math.abs(mg) / 1000);
    return mg < 0 ? words.weighMissing(amount) : words.weighFound(amount);
  }
}
