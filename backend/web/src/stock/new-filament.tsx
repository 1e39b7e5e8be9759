import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useLocation } from 'wouter';
import { Dialog, FormEnd, useBooking } from './dialog';
import { FilamentFields, showFaults, useFilamentForm } from './filament-fields';
import { type FilamentValues, newValues, toNewFilament } from './filament-values';
import { type Filament, stockApi } from './stock-api';
import { useStock } from './use-stock-formats';

export function NewFilament({ opened, close }: { opened: boolean; close(): void }) {
  const { words } = useStock();
  return (
    <Dialog title={words.add} opened={opened} close={close}>
      <NewFilamentForm close={close} />
    </Dialog>
  );
}

function NewFilamentForm({ close }: { close(): void }) {
  const { words } = useStock();
  const [, navigate] = useLocation();
  const form = useFilamentForm(newValues());
  const create = useBooking<FilamentValues, Filament>({
    send: (values, key) => stockApi.create(toNewFilament(values), key),
    done(filament) {
      notifications.show({ message: words.created(filament.name), color: 'teal' });
      close();
      navigate(`/stock/${filament.id}`);
    },
    refused: (problem) => showFaults(form, problem),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <FilamentFields form={form} isNew />
        <FormEnd error={create.error} submit={words.create} isPending={create.isPending} close={close} />
      </Stack>
    </form>
  );
}
