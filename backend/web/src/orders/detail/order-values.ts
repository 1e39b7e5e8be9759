import type { UseFormReturnType } from '@mantine/form';
import { changesOf } from '../../drafts/changes';
import { toMajor, toMinor } from '../../i18n/currency';
import type { NewOrder, Order, OrderPatch } from '../../order-data/orders-api';
import { DAY_MS } from '../../time';
import { columnOf, FORM_FIELDS, type FormField } from '../order-columns';

/** Form values of an order: never null but for the printer, numbers may be empty, money is in major units. */
export type OrderValues = {
  [Name in FormField]: NonNullable<Order[Name]> extends number ? number | string : NonNullable<Order[Name]>;
} & { printer_id: string | null };

export type OrderForm = UseFormReturnType<OrderValues>;

const DEFAULT_DUE_DAYS = 14;

const valuesFrom = (read: (name: FormField) => unknown) =>
  Object.fromEntries(FORM_FIELDS.map((name) => [name, read(name)]));

/** @param currency used if a price is given */
export const newValues = (currency: string) =>
  ({
    ...valuesFrom((name) => columnOf(name).initial),
    due_date: new Date(Date.now() + DEFAULT_DUE_DAYS * DAY_MS).toISOString().slice(0, 10),
    currency,
  }) as OrderValues;

export const toValues = (order: Order) =>
  ({
    ...valuesFrom((name) => order[name] ?? columnOf(name).initial),
    price: order.price === null ? '' : toMajor(order.price, order.currency),
  }) as OrderValues;

function toRequestValue(name: FormField, value: OrderValues[FormField]) {
  const { kind, empty } = columnOf(name);
  if (empty === null && String(value ?? '').trim() === '') return null;
  return kind === 'whole' || kind === 'decimal' ? Number(value) : value;
}

function toRequest(values: OrderValues) {
  const request = valuesFrom((name) => toRequestValue(name, values[name])) as NewOrder;
  const { price, currency = null } = request;
  return { ...request, price: price == null ? null : toMinor(price, currency) };
}

/** The currency is only sent together with a price. */
export function toNewOrder(values: OrderValues): NewOrder {
  const order = toRequest(values);
  return order.price === null ? { ...order, currency: null } : order;
}

/** Only the edited fields, so that concurrent changes to other fields are kept. */
export const toPatch = (values: OrderValues, initial: OrderValues): OrderPatch =>
  changesOf(toRequest(values), toRequest(initial));
