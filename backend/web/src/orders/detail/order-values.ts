import type { UseFormReturnType } from '@mantine/form';
import { changesOf } from '../../drafts/changes';
import { toMajor, toMinor } from '../../i18n/currency';
import type { NewOrder, Order, OrderPatch, WorkflowStatus } from '../../order-data/orders-api';
import { DAY_MS } from '../../time';

/** Form values of an order: never null, money in major units. */
export interface OrderValues {
  model_name: string;
  quantity_pieces: number | string;
  material_name: string;
  color_hex: string;
  material_grams: number | string;
  print_hours: number | string;
  due_date: string;
  order_notes: string;
  workflow_status: WorkflowStatus;
  printer_id: string | null;
  customer_name: string;
  customer_contact: string;
  price: number | string;
  currency: string;
}

export type OrderForm = UseFormReturnType<OrderValues>;

const DEFAULT_DUE_DAYS = 14;

/** @param currency used if a price is given */
export const newValues = (currency: string): OrderValues => ({
  model_name: '',
  quantity_pieces: 1,
  material_name: '',
  color_hex: '#808080',
  material_grams: 0,
  print_hours: 0,
  due_date: new Date(Date.now() + DEFAULT_DUE_DAYS * DAY_MS).toISOString().slice(0, 10),
  order_notes: '',
  workflow_status: 'negotiation',
  printer_id: null,
  customer_name: '',
  customer_contact: '',
  price: '',
  currency,
});

export const toValues = (order: Order): OrderValues => ({
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
  customer_name: order.customer_name ?? '',
  customer_contact: order.customer_contact ?? '',
  price: order.price === null ? '' : toMajor(order.price, order.currency),
  currency: order.currency ?? '',
});

const orNull = (text: string) => (text.trim() === '' ? null : text);

function toRequest(values: OrderValues): NewOrder {
  const { price, currency, customer_name, customer_contact } = values;
  return {
    ...values,
    quantity_pieces: Number(values.quantity_pieces),
    material_grams: Number(values.material_grams),
    print_hours: Number(values.print_hours),
    customer_name: orNull(customer_name),
    customer_contact: orNull(customer_contact),
    currency: orNull(currency),
    price: price === '' ? null : toMinor(price, orNull(currency)),
  };
}

/** The currency is only sent together with a price. */
export function toNewOrder(values: OrderValues): NewOrder {
  const order = toRequest(values);
  return order.price === null ? { ...order, currency: null } : order;
}

/** Only the edited fields, so that concurrent changes to other fields are kept. */
export const toPatch = (values: OrderValues, initial: OrderValues): OrderPatch =>
  changesOf(toRequest(values), toRequest(initial));
