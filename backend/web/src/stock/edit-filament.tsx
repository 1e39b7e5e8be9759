import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFooter } from './dialog';
import { FilamentFields, showFaults, useFilamentForm } from './filament-fields';
import { type FilamentValues, toPatch, toValues } from './filament-values';
import { batchesQuery, type Filament, stockApi } from './stock-api';
import { useStockFormats } from './use-stock-formats';

export function EditForm({ filament, close }: { filament: Filament; close(): void }) {
  const { messages } = useStockFormats();
  const client = useQueryClient();
  // values from when the form was opened, so that concurrent changes to others are kept
  const [initial] = useState(() => toValues(filament));
  const form = useFilamentForm(initial);
  const batches = useQuery(batchesQuery(filament.id)).data;
  const save = useMutation({
    mutationFn: (values: FilamentValues) => stockApi.update(filament.id, toPatch(values, initial)),
    onSuccess() {
      client.invalidateQueries({ queryKey: ['filaments'] });
      notifications.show({ message: messages.saved, color: 'teal' });
      close();
    },
    onError: (error) => showFaults(form, error),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack>
        <FilamentFields
          form={form}
          isWeightFixed={filament.used_grams !== 0}
          changesStock={(batches?.total ?? 0) > 0}
          remaining={filament.remaining_grams}
          wasLow={filament.is_low_stock}
        />
        <FormFooter error={save.error} submit={messages.save} isPending={save.isPending} close={close} />
      </Stack>
    </form>
  );
}
