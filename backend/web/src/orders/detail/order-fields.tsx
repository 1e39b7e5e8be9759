import { ColorInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { Problem } from '../../api/client';
import { useCurrency } from '../../auth/use-currency';
import type { FieldName } from '../../drafts/changes';
import { type DraftForm, useDraftForm } from '../../drafts/use-draft-form';
import { decimalsOf } from '../../i18n/currency';
import { useI18n } from '../../i18n/i18n';
import { STATUSES } from '../../order-data/statuses';
import { usePrinters } from '../../printers/use-printers';
import { NumberField } from '../../ui/number-field';
import { Amounts, PlannedCost, useAmounts } from './amounts';
import { CustomerInput } from './customer-input';
import { MaterialInput } from './material-input';
import type { OrderForm, OrderValues } from './order-values';

const SWATCHES = [
  '#FFFFFF',
  '#1A1A1A',
  '#808080',
  '#D32F2F',
  '#F57C00',
  '#FBC02D',
  '#388E3C',
  '#1E90FF',
  '#7B1FA2',
  '#8D6E63',
];

/** A price means nothing without its currency. */
export const TOGETHER: FieldName<OrderValues>[] = ['price', 'currency'];

/** @param draftName storage name of the unsaved changes */
export function useOrderForm(draftName: string, values: OrderValues, isNew = false): DraftForm<OrderValues> {
  const { order, auth } = useI18n().messages;
  const filled = (value: number | string) => (value === '' ? auth.required : null);
  return useDraftForm<OrderValues>(draftName, values, {
    together: TOGETHER,
    isNew,
    validate: {
      model_name: (name) => (name.trim() ? null : order.itemRule),
      quantity_pieces: filled,
      material_grams: filled,
      print_hours: filled,
      due_date: filled,
      color_hex: (color) => (/^#[0-9a-f]{6}$/i.test(color) ? null : order.colorRule),
      currency: (currency, { price }) =>
        currency === ''
          ? price === ''
            ? null
            : order.priceNeedsCurrency
          : /^[A-Z]{3}$/.test(currency)
            ? null
            : order.currencyRule,
    },
  });
}

/** Shows the server's validation errors next to their fields. */
export function showFaults(form: OrderForm, error: unknown) {
  if (!(error instanceof Problem)) return;
  for (const { pointer, detail } of error.faults) form.setFieldError(pointer.slice(1), detail);
}

export function OrderFields({ form, isNew = false }: { form: OrderForm; isNew?: boolean }) {
  const { order: labels, status } = useI18n().messages;
  const printers = usePrinters();
  const currency = useCurrency();
  const field = form.getInputProps;
  const amounts = useAmounts(form);
  return (
    <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs">
      <TextInput
        style={{ gridColumn: '1 / -1' }}
        label={labels.item}
        required
        maxLength={300}
        // the dialog may open before or after this component is loaded
        data-autofocus={isNew || undefined}
        autoFocus={isNew}
        {...field('model_name')}
      />
      <Select
        label={labels.status}
        allowDeselect={false}
        data={STATUSES.map((value) => ({ value, label: status[value] }))}
        maxDropdownHeight={360}
        {...field('workflow_status')}
      />
      <TextInput label={labels.due} type="date" required {...field('due_date')} />
      <MaterialInput form={form} label={labels.material} />
      <ColorInput
        label={labels.color}
        format="hex"
        withEyeDropper={false}
        // an invalid color is reported instead of being replaced with the last valid one
        fixOnBlur={false}
        swatches={SWATCHES}
        swatchesPerRow={10}
        {...field('color_hex')}
      />
      <NumberField
        label={labels.quantity}
        max={1_000_000}
        decimals={0}
        {...field('quantity_pieces')}
        onChange={amounts.changePieces}
      />
      <Select
        label={labels.printer}
        placeholder={labels.noPrinter}
        clearable
        searchable
        data={printers.map(({ id, name }) => ({ value: id, label: name }))}
        {...field('printer_id')}
      />
      <Amounts form={form} amounts={amounts} />
      {/* an existing order has its costs below the form */}
      {isNew && <PlannedCost form={form} />}
      <CustomerInput form={form} label={labels.customer} />
      <TextInput label={labels.contact} maxLength={300} {...field('customer_contact')} />
      <NumberField label={labels.price} decimals={decimalsOf(form.values.currency)} {...field('price')} />
      <TextInput
        label={labels.currency}
        placeholder={currency}
        maxLength={3}
        {...field('currency')}
        onChange={(event) => form.setFieldValue('currency', event.currentTarget.value.toUpperCase())}
      />
      <Textarea
        style={{ gridColumn: '1 / -1' }}
        label={labels.notes}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={5000}
        {...field('order_notes')}
      />
    </SimpleGrid>
  );
}
