import { ColorInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useCurrency } from '../../auth/use-currency';
import type { FieldName } from '../../drafts/changes';
import { type DraftForm, useDraftForm } from '../../drafts/use-draft-form';
import { decimalsOf } from '../../i18n/currency';
import { useI18n, useMessages } from '../../i18n/i18n';
import { STATUSES } from '../../order-data/statuses';
import { usePrinters } from '../../printers/use-printers';
import { NumberField } from '../../ui/number-field';
import { LABELS } from '../messages';
import { columnOf, FORM_FIELDS, type FormField } from '../order-columns';
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
  const { order, required } = useI18n().messages;
  const filled = (value: unknown) => (value === '' ? required : null);
  const mustBeFilled = FORM_FIELDS.filter((name) => columnOf(name).empty === undefined);
  return useDraftForm<OrderValues>(draftName, values, {
    together: TOGETHER,
    isNew,
    validate: {
      ...Object.fromEntries(mustBeFilled.map((name) => [name, filled])),
      model_name: (name) => (name.trim() ? null : order.itemRule),
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

const WHOLE_ROW = { gridColumn: '1 / -1' };

interface FieldProps {
  form: OrderForm;
  name: FormField;
  onNumber?(value: number | string): void;
}

/** The control of a field that is a number, a day or text. */
function Field({ form, name, onNumber }: FieldProps) {
  const { kind, max, empty, isLong } = columnOf(name);
  const field = { label: useMessages(LABELS)[name], ...form.getInputProps(name) };
  if (kind === 'day') return <TextInput type="date" required={empty === undefined} {...field} />;
  if (kind === 'whole' || kind === 'decimal')
    return (
      <NumberField
        {...(max && { max })}
        {...(kind === 'whole' && { decimals: 0 })}
        {...field}
        {...(onNumber && { onChange: onNumber })}
      />
    );
  return isLong ? (
    <Textarea style={WHOLE_ROW} autosize minRows={2} maxRows={10} maxLength={max} {...field} />
  ) : (
    <TextInput maxLength={max} {...field} />
  );
}

export function OrderFields({ form, isNew = false }: { form: OrderForm; isNew?: boolean }) {
  const { order, status } = useI18n().messages;
  const labels = useMessages(LABELS);
  const printers = usePrinters();
  const currency = useCurrency();
  const field = form.getInputProps;
  const amounts = useAmounts(form);
  return (
    <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs">
      <TextInput
        style={WHOLE_ROW}
        label={labels.model_name}
        required
        maxLength={columnOf('model_name').max}
        // the dialog may open before or after this component is loaded
        data-autofocus={isNew || undefined}
        autoFocus={isNew}
        {...field('model_name')}
      />
      <Select
        label={labels.workflow_status}
        allowDeselect={false}
        data={STATUSES.map((value) => ({ value, label: status[value] }))}
        maxDropdownHeight={360}
        {...field('workflow_status')}
      />
      <Field form={form} name="due_date" />
      <MaterialInput form={form} label={labels.material_name} />
      <ColorInput
        label={labels.color_hex}
        format="hex"
        withEyeDropper={false}
        // an invalid color is reported instead of being replaced with the last valid one
        fixOnBlur={false}
        swatches={SWATCHES}
        swatchesPerRow={10}
        {...field('color_hex')}
      />
      <Field form={form} name="quantity_pieces" onNumber={amounts.changePieces} />
      <Select
        label={labels.printer_id}
        placeholder={order.noPrinter}
        clearable
        searchable
        data={printers.map(({ id, name }) => ({ value: id, label: name }))}
        {...field('printer_id')}
      />
      <Amounts form={form} amounts={amounts} />
      {/* an existing order has its costs below the form */}
      {isNew && <PlannedCost form={form} />}
      <CustomerInput form={form} label={labels.customer_name} />
      <Field form={form} name="customer_contact" />
      <NumberField label={labels.price} decimals={decimalsOf(form.values.currency)} {...field('price')} />
      <TextInput
        label={labels.currency}
        placeholder={currency}
        maxLength={3}
        {...field('currency')}
        onChange={(event) => form.setFieldValue('currency', event.currentTarget.value.toUpperCase())}
      />
      {FORM_FIELDS.filter((name) => columnOf(name).isFurther).map((name) => (
        <Field key={name} form={form} name={name} />
      ))}
    </SimpleGrid>
  );
}
