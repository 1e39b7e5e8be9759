import { Autocomplete, Modal, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Problem } from '../api/client';
import { newKey } from '../api/ids';
import { changesOf } from '../drafts/changes';
import { DraftBanner, type FieldNames } from '../drafts/draft-banner';
import { saveMerged } from '../drafts/save-merged';
import { useDraftForm } from '../drafts/use-draft-form';
import { useMessages } from '../i18n/i18n';
import { FormFooter } from '../ui/form-footer';
import { MESSAGES } from './messages';
import type { Printer } from './placements';
import { type Group, type NewPrinter, printersApi, readGroup, readPrinter } from './printers-api';
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

interface PrinterValues {
  name: string;
  internal_name: string;
  model: string;
  technology: string;
  group_id: string | null;
  is_favorite: boolean;
}

const NEW_PRINTER: PrinterValues = {
  name: '',
  internal_name: '',
  model: '',
  technology: showTechnology('fdm'),
  group_id: null,
  is_favorite: false,
};

const toValues = ({ name, internal_name, model, technology, group_id, is_favorite }: Printer): PrinterValues => ({
  name,
  internal_name,
  model,
  group_id,
  is_favorite,
  technology: showTechnology(technology),
});

const toStored = (values: PrinterValues) => ({ ...values, technology: storeTechnology(values.technology) });

/** The fields of a printer as a conflict shows them. */
function useFieldNames(groups: Group[]): FieldNames<PrinterValues> {
  const { form: labels } = useMessages(MESSAGES);
  const nameOf = (groupId: string | null) => groups.find(({ id }) => id === groupId)?.name ?? labels.noGroup;
  return {
    name: { label: labels.name },
    internal_name: { label: labels.internalName },
    model: { label: labels.model },
    technology: { label: labels.technology },
    group_id: { label: labels.group, show: ({ group_id }) => nameOf(group_id) },
    is_favorite: { label: labels.favourite },
  };
}

function PrinterForm({
  printer,
  groups,
  nextSortOrder,
  close,
}: { printer: Printer | undefined; groups: Group[]; nextSortOrder: number } & FormProps) {
  const { form: labels, favoriteHint } = useMessages(MESSAGES);
  const client = useQueryClient();
  const filled = (text: string) => (text.trim() ? null : labels.required);
  const draft = useDraftForm<PrinterValues>(`printer:${printer?.id}`, printer ? toValues(printer) : NEW_PRINTER, {
    validate: { name: filled, model: filled, technology: filled },
    isNew: printer === undefined,
    isKept: false,
  });
  const { form, initial } = draft;
  const send = useFormSubmit(
    (values: PrinterValues, key) => {
      if (!printer)
        return printersApi.create({ ...toStored(values), sort_order: nextSortOrder } satisfies NewPrinter, key);
      return saveMerged({
        record: printer,
        initial,
        values,
        toValues,
        send: (expected) => printersApi.update(printer.id, changesOf(toStored(values), toStored(initial)), expected),
        readAgain: () => readPrinter(client, printer),
      });
    },
    close,
    form.setFieldError,
  );
  const field = form.getInputProps;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => send.mutate(values))}>
      <DraftBanner draft={draft} fields={useFieldNames(groups)} />
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
          isPending={send.isPending}
          isDisabled={draft.isUndecided}
          error={draft.conflicts.length > 0 ? null : send.error}
          submit={printer ? labels.save : labels.create}
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

interface GroupValues {
  name: string;
}

const toGroupValues = ({ name }: Group): GroupValues => ({ name });

function GroupForm({ group, nextSortOrder, close }: { group: Group | undefined; nextSortOrder: number } & FormProps) {
  const { form: labels } = useMessages(MESSAGES);
  const client = useQueryClient();
  const draft = useDraftForm<GroupValues>(`group:${group?.id}`, group ? toGroupValues(group) : { name: '' }, {
    validate: { name: (text) => (text.trim() ? null : labels.required) },
    isNew: group === undefined,
    isKept: false,
  });
  const { form, initial } = draft;
  const send = useFormSubmit(
    (values: GroupValues, key) =>
      group
        ? saveMerged({
            record: group,
            initial,
            values,
            toValues: toGroupValues,
            send: (expected) => printersApi.updateGroup(changesOf(values, initial), expected),
            readAgain: () => readGroup(client, group),
          })
        : printersApi.createGroup({ ...values, sort_order: nextSortOrder }, key),
    close,
    form.setFieldError,
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => send.mutate(values))}>
      <DraftBanner draft={draft} fields={{ name: { label: labels.groupName } }} />
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
          isPending={send.isPending}
          isDisabled={draft.isUndecided}
          error={draft.conflicts.length > 0 ? null : send.error}
          submit={group ? labels.save : labels.create}
          close={close}
        />
      </Stack>
    </form>
  );
}
