import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n';
import { FormFooter } from '../ui/form-footer';
import { NumberField } from '../ui/number-field';
import { useStockMutation } from './dialog';
import { batchesQuery, type Filament, findLedgerEntry, stockApi } from './stock-api';
import { showUndoNotification } from './undo';
import { useStockFormats } from './use-stock-formats';
import { heldGrams, maxWeighedGrams } from './view';

interface Values {
  scale: number | string;
  empty: number | string;
  batch: string;
  note: string;
}

const ALL = '';
const toMilligrams = (grams: number) => Math.round(grams * 1000);

/** Stocktake: sets the stock to the weighed amount. */
export function WeighForm({ filament, close }: { filament: Filament; close(): void }) {
  const { messages, formatGrams } = useStockFormats();
  const { formatDay } = useI18n();
  const batches = (useQuery(batchesQuery(filament.id)).data?.items ?? []).filter((batch) => batch.archived_at === null);
  const form = useForm<Values>({ initialValues: { scale: '', empty: '', batch: ALL, note: '' } });
  const { scale, empty, batch: batchId } = form.values;

  const batch = batches.find(({ id }) => id === batchId);
  const ledgerGrams = batch ? batch.remaining_grams : filament.remaining_grams;
  const max = maxWeighedGrams(batch ? batch.spool_count * filament.spool_weight_grams : heldGrams(filament));
  // in whole milligrams to avoid floating-point errors
  const left = (toMilligrams(Number(scale)) - toMilligrams(Number(empty))) / 1000;
  const isRead = typeof scale === 'number' && (typeof empty === 'number' || empty === '');
  const fault = scale === '' ? messages.required : faultOf(left, max);

  const weigh = useStockMutation<Values, Filament>({
    send: (values, key) =>
      stockApi.stocktake(
        filament.id,
        { remaining_grams: left, batch_id: values.batch || null, note: values.note.trim() || null },
        key,
      ),
    async done(after) {
      close();
      const differenceMg = toMilligrams(left) - toMilligrams(ledgerGrams);
      // a count that matches changed nothing that could be undone
      const entry = differenceMg === 0 ? undefined : await findLedgerEntry(after, 'adjustment').catch(() => undefined);
      const difference = formatGrams(Math.abs(differenceMg) / 1000);
      showUndoNotification(
        filament.id,
        entry,
        messages.weighedDone(formatGrams(after.remaining_grams)),
        messages.undoDone(difference),
      );
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
            label={messages.weighWhat}
            allowDeselect={false}
            data={[
              { value: ALL, label: messages.allBatches },
              ...batches.map(({ id, received_at, spool_count }) => ({
                value: id,
                label: messages.batchOf(formatDay(received_at.slice(0, 10)), spool_count),
              })),
            ]}
            {...form.getInputProps('batch')}
          />
        )}
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <NumberField
            label={messages.onScale}
            required
            data-autofocus
            max={1_000_000_000}
            {...form.getInputProps('scale')}
          />
          <NumberField
            label={messages.emptySpools}
            description={messages.emptySpoolsHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder="0"
            max={1_000_000}
            {...form.getInputProps('empty')}
          />
        </Group>
        {isRead && (
          <Text size="sm" role="status">
            {fault ??
              `${messages.weighed(formatGrams(left))} ${formatDifference(toMilligrams(left) - toMilligrams(ledgerGrams))}`}
          </Text>
        )}
        <TextInput label={messages.why} maxLength={500} {...form.getInputProps('note')} />
        <FormFooter error={weigh.error} submit={messages.save} isPending={weigh.isPending} close={close} />
      </Stack>
    </form>
  );

  function faultOf(grams: number, maxGrams: number): string | null {
    if (grams < 0) return messages.weighNegative;
    if (grams <= maxGrams) return null;
    return maxGrams === 0 ? messages.weighNoSpools : messages.weighTooMuch(formatGrams(maxGrams));
  }

  function formatDifference(mg: number): string {
    if (mg === 0) return messages.weighEqual;
    const amount = formatGrams(Math.abs(mg) / 1000);
    return mg < 0 ? messages.weighMissing(amount) : messages.weighFound(amount);
  }
}
