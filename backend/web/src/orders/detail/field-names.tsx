import { ColorSwatch, Group } from '@mantine/core';
import type { FieldNames } from '../../drafts/draft-banner';
import { useI18n, useMessages } from '../../i18n/i18n';
import { usePrinters } from '../../printers/use-printers';
import { LABELS } from '../messages';
import { columnOf, FORM_FIELDS, type FormField } from '../order-columns';
import type { OrderValues } from './order-values';

/** The fields of an order as a conflict shows them. */
export function useFieldNames(): FieldNames<OrderValues> {
  const { messages, language, formatDay } = useI18n();
  const labels = useMessages(LABELS);
  const printers = usePrinters();
  // with every decimal, because the versions may differ only there
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
  const amount = (value: OrderValues[FormField]) => (value === '' ? '' : format.format(Number(value)));

  function show(name: FormField, values: OrderValues) {
    const { kind, unit } = columnOf(name);
    const { workflow_status, color_hex, printer_id, price, currency } = values;
    switch (kind) {
      case 'whole':
      case 'decimal':
        return unit ? messages.board[unit](amount(values[name])) : amount(values[name]);
      case 'color':
        return (
          <Group gap={6}>
            <ColorSwatch color={color_hex} size={16} aria-hidden />
            {color_hex}
          </Group>
        );
      case 'day':
        return values[name] && formatDay(String(values[name]));
      case 'status':
        return messages.status[workflow_status];
      case 'printer':
        return printers.find(({ id }) => id === printer_id)?.name ?? printer_id ?? messages.order.noPrinter;
      case 'money':
        return price === '' ? '' : `${amount(price)} ${currency}`;
      default:
        return values[name];
    }
  }

  return Object.fromEntries(
    FORM_FIELDS.map((name) => [name, { label: labels[name], show: (values: OrderValues) => show(name, values) }]),
  );
}
