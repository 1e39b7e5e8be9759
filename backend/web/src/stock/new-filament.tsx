import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useLocation } from 'wouter';
import { FormFooter } from '../ui/form-footer';
import { showFaults } from '../ui/show-faults';
import { Dialog, useStockMutation } from './dialog';
import { FilamentFields, useFilamentRules } from './filament-fields';
import { type FilamentValues, newValues, toNewFilament } from './filament-values';
import { type Filament, stockApi } from './stock-api';
import { useStockFormats } from './use-stock-formats';

export function NewFilament({ opened, close }: { opened: boolean; close(): void }) {
  const { messages } = useStockFormats();
  return (
    <Dialog title={messages.add} opened={opened} close={close}>
      <NewFilamentForm close={close} />
    </Dialog>
  );
}

function NewFilamentForm({ close }: { close(): void }) {
  const { messages } = useStockFormats();
  const [, navigate] = useLocation();
  const form = useForm<FilamentValues>({ initialValues: newValues(), validate: useFilamentRules() });
  const create = useStockMutation<FilamentValues, Filament>({
    send: (values, key) => stockApi.create(toNewFilament(values), key),
    done(filament) {
      notifications.show({ message: messages.created(filament.name), color: 'teal' });
      close();
      navigate(`/stock/${filament.id}`);
    },
    refused: (problem) => showFaults(form, problem),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <FilamentFields form={form} isNew />
        <FormFooter error={create.error} submit={messages.create} isPending={create.isPending} close={close} />
      </Stack>
    </form>
  );
}
