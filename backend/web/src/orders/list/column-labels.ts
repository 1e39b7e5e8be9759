import { useMemo } from 'react';
import { useI18n, useMessages } from '../../i18n/i18n';
import type { ColumnName } from './columns';
import { MESSAGES } from './messages';

/** Column headings. */
export function useColumnLabels(): Record<ColumnName, string> {
  const { order } = useI18n().messages;
  const pageMessages = useMessages(MESSAGES);
  return useMemo(
    () => ({
      model_name: order.item,
      workflow_status: order.status,
      due_date: order.due,
      quantity_pieces: order.quantity,
      material_name: order.material,
      material_grams: order.grams,
      print_hours: order.hours,
      printer_name: order.printer,
      customer_name: order.customer,
      customer_contact: order.contact,
      price: order.price,
      order_notes: order.notes,
      created_at: pageMessages.created,
      updated_at: pageMessages.updated,
      id: pageMessages.id,
    }),
    [order, pageMessages],
  );
}
