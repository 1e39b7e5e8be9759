import { Fieldset, Group, MultiSelect, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useI18n, useMessages } from '../../i18n/i18n';
import { STATUSES } from '../../order-data/statuses';
import { type Channel, materialsQuery, printerNamesQuery } from '../automation-api';
import { MESSAGES } from './messages';
import { MASKED_VALUE, type Values } from './use-channel-form';

type Form = UseFormReturnType<Values>;

/** Names printers by their ids; those that were deleted have none. */
export function usePrinterNames(): (id: string) => string {
  const messages = useMessages(MESSAGES);
  const { data: printers } = useQuery(printerNamesQuery);
  return (id) => printers?.find((printer) => printer.id === id)?.name ?? (printers ? messages.deletedPrinter : id);
}

/** Which orders and printers the events of a channel are about. */
export function FilterFields({ form }: { form: Form }) {
  const { messages: appMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const { data: printers = [] } = useQuery(printerNamesQuery);
  const { data: materials = [] } = useQuery(materialsQuery);
  const nameOf = usePrinterNames();
  const gone = form.values.filter.printer_id.filter((id) => !printers.some((printer) => printer.id === id));
  return (
    <Fieldset legend={messages.filter}>
      <Stack gap="sm">
        <Text size="sm">{messages.filterHint}</Text>
        <MultiSelect
          label={messages.filterStatuses}
          data={STATUSES.map((value) => ({ value, label: appMessages.status[value] }))}
          searchable
          clearable
          {...form.getInputProps('filter.workflow_status')}
        />
        <MultiSelect
          label={messages.filterPrinters}
          data={[
            ...printers.map(({ id, name }) => ({ value: id, label: name })),
            ...gone.map((id) => ({ value: id, label: nameOf(id) })),
          ]}
          searchable
          clearable
          {...form.getInputProps('filter.printer_id')}
        />
        <TagsInput
          label={messages.filterMaterials}
          description={messages.filterMaterialsHint}
          data={materials}
          maxLength={200}
          acceptValueOnBlur
          {...form.getInputProps('filter.material_name')}
        />
        <Fault text={form.errors.filter} />
      </Stack>
    </Fieldset>
  );
}

const PAUSE_CHOICES = ['5', '10', '20', '50', '100'];

/** When a channel is paused, and the header that its receiver asks for. */
export function DeliveryFields({ form, channel }: { form: Form; channel: Channel | undefined }) {
  const messages = useMessages(MESSAGES);
  const { pause_after_failures: limit, header } = form.values;
  const isStored = channel?.header != null && channel.header.name === header.name;
  const limits = [...new Set([...PAUSE_CHOICES, ...(limit ? [limit] : [])])].sort((a, b) => Number(a) - Number(b));
  return (
    <>
      <Select
        label={messages.pauseAfter}
        description={messages.pauseAfterHint}
        data={[
          { value: '', label: messages.never },
          ...limits.map((value) => ({ value, label: messages.failures(Number(value)) })),
        ]}
        allowDeselect={false}
        {...form.getInputProps('pause_after_failures')}
      />
      <Fieldset legend={messages.header}>
        <Stack gap="sm">
          <Text size="sm">{messages.headerHint}</Text>
          <Group grow align="flex-start">
            <TextInput
              label={messages.headerName}
              placeholder="Authorization"
              maxLength={100}
              autoComplete="off"
              {...form.getInputProps('header.name')}
            />
            <TextInput
              label={messages.headerValue}
              maxLength={1000}
              autoComplete="off"
              {...form.getInputProps('header.value')}
              // the stored value isn't known here, so it can only be replaced
              onFocus={() => header.value === MASKED_VALUE && form.setFieldValue('header.value', '')}
              onBlur={() => header.value === '' && isStored && form.setFieldValue('header.value', MASKED_VALUE)}
            />
          </Group>
          <Fault text={form.errors.header} />
        </Stack>
      </Fieldset>
    </>
  );
}

const Fault = ({ text }: { text: React.ReactNode }) =>
  text ? (
    <Text size="sm" c="red" role="alert">
      {text}
    </Text>
  ) : null;
