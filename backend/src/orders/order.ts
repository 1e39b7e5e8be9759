import type { EventData } from '../events/catalog.ts';
import type { Order } from './order-fields.ts';

/** An order and its version, which increases with every change. */
export interface StoredOrder {
  order: Order;
  version: number;
}

/** The order in an event: exactly the fields that the specification lists ("`data` shapes"). */
export const toEventData = (order: Order): EventData<'order.created'> => ({
  id: order.id,
  model_name: order.model_name,
  quantity_pieces: order.quantity_pieces,
  material_name: order.material_name,
  color_hex: order.color_hex,
  material_grams: order.material_grams,
  print_hours: order.print_hours,
  due_date: order.due_date,
  order_notes: order.order_notes,
  workflow_status: order.workflow_status,
  printer_id: order.printer_id,
  printer_name: order.printer_name,
});

/** Describes a received value: a non-empty string as it is, anything else as JSON. */
export function describeReceived(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

export const ORDER_SORTS = ['-created_at', 'created_at', '-updated_at', 'updated_at', '-due_date', 'due_date'] as const;
export type OrderSort = (typeof ORDER_SORTS)[number];

export const HISTORY_KINDS = ['created', 'status_changed', 'status_reset', 'consumption'] as const;
