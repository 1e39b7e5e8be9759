import { Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { DraftBanner, type FieldNames } from '../drafts/draft-banner';
import { saveMerged } from '../drafts/save-merged';
import { useDraftForm } from '../drafts/use-draft-form';
import { FormFooter } from '../ui/form-footer';
import { showFaults } from '../ui/show-faults';

import { FilamentFields, useFilamentRules } from './filament-fields';
import { type FilamentValues, toPatch, toValues } from './filament-values';
import { batchesQuery, type Filament, filamentQuery, stockApi } from './stock-api';
import { Swatch } from './swatch';
import { useStockFormats } from './use-stock-formats';

/** The fields of a filament as a conflict shows them. */
function useFieldNames(): FieldNames<FilamentValues> {
  const { messages, formatGrams } = useStockFormats();
  return {
    name: { label: messages.name },
    brand: { label: messages.brand },
    type_name: { label: messages.type },
    colors: {
      label: messages.colorsLabel,
      show: ({ colors, is_gradient }) => (
        <Group gap={6}>
          <Swatch colors={colors} isGradient={is_gradient} />
          {colors.join(', ')}
        </Group>
      ),
    },
    is_gradient: { label: messages.isGradient },
    spool_weight_grams: {
      label: messages.spoolWeight,
      show: ({ spool_weight_grams }) => formatGrams(Number(spool_weight_grams)),
    },
    low_stock_threshold_grams: {
      label: messages.threshold,
      show: ({ low_stock_threshold_grams }) => formatGrams(Number(low_stock_threshold_grams)),
    },
  };
}

export function EditForm({ filament, close }: { filament: Filament; close(): void }) {
  const { messages } = useStockFormats();
  const client = useQueryClient();
  const draft = useDraftForm(`filament:${filament.id}`, toValues(filament), {
    validate: useFilamentRules(),
    isKept: false,
  });
  const { form, initial } = draft;
  const batches = useQuery(batchesQuery(filament.id)).data;
  const save = useMutation({
    mutationFn: (values: FilamentValues) =>
      saveMerged({
        record: filament,
        initial,
        values,
        toValues,
        send: (expected) => stockApi.update(toPatch(values, initial), expected),
        readAgain: () => client.fetchQuery({ ...filamentQuery(filament.id), staleTime: 0 }),
      }),
    onSuccess() {
      client.invalidateQueries({ queryKey: ['filaments'] });
      notifications.show({ message: messages.saved, color: 'teal' });
      close();
    },
    onError: (error) => showFaults(form, error),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <DraftBanner draft={draft} fields={useFieldNames()} />
      <Stack>
        <FilamentFields
          form={form}
          isWeightFixed={filament.used_grams !== 0}
          changesStock={(batches?.total ?? 0) > 0}
          remaining={filament.remaining_grams}
          wasLow={filament.is_low_stock}
        />
        <FormFooter
          error={draft.conflicts.length > 0 ? null : save.error}
          submit={messages.save}
          isDisabled={draft.isUndecided}
          isPending={save.isPending}
          close={close}
        />
      </Stack>
    </form>
  );
}
