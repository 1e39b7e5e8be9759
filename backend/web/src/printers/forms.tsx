import {
  Alert,
  Autocomplete,
  Button,
  Modal,
  Group as Row,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Printer, Problem } from '../api/api';
import { formatError } from '../api/format-error';
import { newKey } from '../api/ids';
import { changesOf } from '../drafts/changes';
import { useI18n, useMessages } from '../i18n/i18n';
import { MESSAGES } from './messages';
import { type Group, type NewPrinter, printersApi } from './printers-api';
import { showTechnology, storeTechnology, TECHNOLOGIES } from './technology';

interface FormProps {
  close(): void;
}

/** Submits a form in a modal, shows validation errors and closes on success. */
function useFormSubmit<Values>(
  send: (values: Values, key: string) => Promise<unknown>,
  close: () => void,
  showFault: (field: string, detail: string) => void,
) {
  const client = useQueryClient();
  const [key, setKey] = useState(() => newKey());
  return useMutation({
    mutationFn: (values: Values) => send(values, key),
    async onSuccess() {
      await Promise.all([['printers'], ['printer-groups']].map((queryKey) => client.invalidateQueries({ queryKey })));
      close();
    },
    onError(error) {
      if (!(error instanceof Problem)) return;
      for (const { pointer, detail } of error.faults) showFault(pointer.slice(1), detail);
      // after a refusal the next submit is a new request; without a response it is a retry with the same key
      if (error.status > 0) setKey(newKey());
    },
  });
}

function FormFooter({
  isSending,
  error,
  send,
  close,
}: { isSending: boolean; error: Error | null; send: string } & FormProps) {
  const { messages } = useI18n();
  const { form: labels } = useMessages(MESSAGES);
  return (
    <>
      {error && (
        <Alert color="red" role="alert">
          {formatError(error, messages)}
        </Alert>
      )}
      <Row justify="flex-end">
        <Button variant="default" onClick={close}>
          {labels.cancel}
        </Button>
        <Button type="submit" loading={isSending}>
          {send}
        </Button>
      </Row>
    </>
  );
}

function FormModal({
  opened,
  title,
  close,
  children,
}: { opened: boolean; title: string; children: ReactNode } & FormProps) {
  const { form: labels } = useMessages(MESSAGES);
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': labels.close }}>
      {children}
    </Modal>
  );
}

/** @param printer undefined creates one */
export function PrinterModal(
  props: { opened: boolean; printer: Printer | undefined; groups: Group[]; nextSortOrder: number } & FormProps,
) {
  const { add, form: labels } = useMessages(MESSAGES);
  const { opened, printer, close } = props;
  return (
    <FormModal opened={opened} title={printer ? labels.editTitle : add} close={close}>
      <PrinterForm {...props} />
    </FormModal>
  );
}

function PrinterForm({
  printer,
  groups,
  nextSortOrder,
  close,
}: { printer: Printer | undefined; groups: Group[]; nextSortOrder: number } & FormProps) {
  const { form: labels, favoriteHint } = useMessages(MESSAGES);
  const filled = (text: string) => (text.trim() ? null : labels.required);
  // values from when the form was opened, so that concurrent changes to others are kept
  const [initial] = useState({
    name: printer?.name ?? '',
    internal_name: printer?.internal_name ?? '',
    model: printer?.model ?? '',
    technology: showTechnology(printer?.technology ?? 'fdm'),
    group_id: printer?.group_id ?? null,
    is_favorite: printer?.is_favorite ?? false,
  });
  const form = useForm({
    initialValues: initial,
    validate: { name: filled, model: filled, technology: filled },
  });
  type Values = typeof initial;
  const send = useFormSubmit(
    (shown: Values, key) => {
      const toStored = (values: Values) => ({ ...values, technology: storeTechnology(values.technology) });
      const values = toStored(shown);
      if (!printer) return printersApi.create({ ...values, sort_order: nextSortOrder } satisfies NewPrinter, key);
      return printersApi.update(printer.id, changesOf(values, toStored(initial)));
    },
    close,
    form.setFieldError,
  );
  const field = form.getInputProps;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => send.mutate(values))}>
      <Stack gap="sm">
        <TextInput label={labels.name} required maxLength={200} data-autofocus {...field('name')} />
        <TextInput label={labels.model} required maxLength={200} placeholder="Prusa MK4S" {...field('model')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label={labels.internalName}
            description={labels.internalNameHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={200}
            {...field('internal_name')}
          />
          <Autocomplete
            label={labels.technology}
            required
            maxLength={50}
            data={TECHNOLOGIES}
            filter={({ options }) => options}
            {...field('technology')}
          />
        </SimpleGrid>
        <Select
          label={labels.group}
          placeholder={labels.noGroup}
          clearable
          searchable
          data={groups.map(({ id, name }) => ({ value: id, label: name }))}
          {...field('group_id')}
        />
        <Switch
          label={labels.favourite}
          description={favoriteHint}
          {...form.getInputProps('is_favorite', { type: 'checkbox' })}
        />
        <FormFooter
          isSending={send.isPending}
          error={send.error}
          send={printer ? labels.save : labels.create}
          close={close}
        />
      </Stack>
    </form>
  );
}

/** @param group undefined creates one */
export function GroupModal(props: { opened: boolean; group: Group | undefined; nextSortOrder: number } & FormProps) {
  const { addGroup, form: labels } = useMessages(MESSAGES);
  const { opened, group, close } = props;
  return (
    <FormModal opened={opened} title={group ? labels.renameTitle : addGroup} close={close}>
      <GroupForm {...props} />
    </FormModal>
  );
}

function GroupForm({ group, nextSortOrder, close }: { group: Group | undefined; nextSortOrder: number } & FormProps) {
  const { form: labels } = useMessages(MESSAGES);
  const form = useForm({
    initialValues: { name: group?.name ?? '' },
    validate: { name: (text) => (text.trim() ? null : labels.required) },
  });
  const send = useFormSubmit(
    ({ name }: { name: string }, key) =>
      group
        ? printersApi.renameGroup(group.id, name)
        : printersApi.createGroup({ name, sort_order: nextSortOrder }, key),
    close,
    form.setFieldError,
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => send.mutate(values))}>
      <Stack gap="sm">
        <TextInput
          label={labels.groupName}
          description={group ? undefined : labels.groupHint}
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <FormFooter
          isSending={send.isPending}
          error={send.error}
          send={group ? labels.save : labels.create}
          close={close}
        />
      </Stack>
    </form>
  );
}
