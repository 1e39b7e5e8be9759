import { ColorSwatch, Group } from '@mantine/core';
import type { FieldNames } from '../../drafts/draft-notice';
import { useI18n } from '../../i18n/i18n';
import { usePrinters } from '../../printers/use-printers';
import type { OrderValues } from './order-values';

/** The fields of an order as a conflict shows them. */
export function useFieldNames(): FieldNames<OrderValues> {
  const { messages, language, formatDay } = useI18n();
  const { order: labels, status, board } = messages;
  const printers = usePrinters();
  // with every decimal, because the versions may differ only there
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
  const amount = (value: number | string) => (value === '' ? '' : format.format(Number(value)));
  return {
    model_name: { label: labels.item },
    quantity_pieces: { label: labels.quantity, show: (values) => amount(values.quantity_pieces) },
    material_name: { label: labels.material },
    color_hex: {
      label: labels.color,
      show: ({ color_hex }) => (
        <Group gap={6}>
          <ColorSwatch color={color_hex} size={16} aria-hidden />
          {color_hex}
        </Group>
      ),
    },
    material_grams: { label: labels.grams, show: (values) => board.grams(amount(values.material_grams)) },
    print_hours: { label: labels.hours, show: (values) => board.hours(amount(values.print_hours)) },
    due_date: { label: labels.due, show: ({ due_date }) => due_date && formatDay(due_date) },
    order_notes: { label: labels.notes },
    workflow_status: { label: labels.status, show: (values) => status[values.workflow_status] },
    printer_id: {
      label: labels.printer,
      show: ({ printer_id }) =>
        printer_id === null ? labels.noPrinter : (printers.find(({ id }) => id === printer_id)?.name ?? printer_id),
    },
    customer_name: { label: labels.customer },
    customer_contact: { label: labels.contact },
    price: {
      label: labels.price,
      show: ({ price, currency }) => (price === '' ? '' : `${amount(price)} ${currency}`),
    },
  };
}
