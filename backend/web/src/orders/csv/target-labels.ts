import type { Messages } from '../../i18n/messages';
import type { Target } from './fields';
import type { CsvMessages } from './messages';

/** What the fields of an import are called. */
export const targetLabels = (order: Messages['order'], csv: CsvMessages): Record<Target, string> => ({
  model_name: order.model,
  quantity_pieces: order.quantity,
  customer_name: order.customer,
  customer_contact: order.contact,
  due_date: order.due,
  price: csv.priceOfAll,
  unit_price: csv.unitPrice,
  currency: order.currency,
  workflow_status: order.status,
  material_name: order.material,
  color_hex: order.color,
  material_grams: order.grams,
  print_hours: order.hours,
  printer_name: order.printer,
  printer_id: csv.printerId,
  order_notes: order.notes,
  order_number: csv.orderNumber,
  id: csv.orderId,
});
