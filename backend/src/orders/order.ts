import type { EventData } from '../events/catalogue.ts';
import type { WorkflowStatus } from './status.ts';

/** An order as the API returns it. Grams and hours are decimals with at most three places. */
export interface Order {
  id: string;
  model_name: string;
  quantity_pieces: number;
  material_name: string;
  color_hex: string;
  material_grams: number;
  print_hours: number;
  due_date: string;
  order_notes: string;
  workflow_status: WorkflowStatus;
  printer_id: string | null;
  printer_name: string | null;
  customer_name: string | null;
  customer_contact: string | null;
  /** minor units of `currency` */
  price: number | null;
  currency: string | null;
  /** the unlisted value that last reset the status; null once a listed one is set */
  status_reset_received: string | null;
  created_at: string;
  updated_at: string;
}

/** An order and its version, which increases with every change. */
export interface StoredOrder {
  order: Order;
  version: number;
}

/** The fields a client may write. */
export interface OrderFields {
  model_name: string;
  quantity_pieces: number;
  material_name: string;
  color_hex: string;
  material_grams: number;
  print_hours: number;
  due_date: string;
  order_notes: string;
  printer_id: string | null;
  customer_name: string | null;
  customer_contact: string | null;
  price: number | null;
  currency: string | null;
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

/** A strong entity tag for a version of an order. */
export const toETag = (version: number): string => `"${version}"`;

/**
 * Whether an `If-Match` or `If-None-Match` header matches this version. A proxy that compresses a response makes its
 * tag weak (`W/"1"`), although the record is the same, so `W/` is ignored.
 */
export function matchesETag(header: string, version: number): boolean {
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(toETag(version));
}

/** Describes a received value: a non-empty string as it is, anything else as JSON. */
export function describeReceived(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

export const ORDER_SORTS = ['-created_at', 'created_at', '-updated_at', 'updated_at', '-due_date', 'due_date'] as const;
export type OrderSort = (typeof ORDER_SORTS)[number];

export const HISTORY_KINDS = ['created', 'status_changed', 'status_reset', 'consumption'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];
