import type { Order } from '../orders/order-fields.ts';
import type { OrderService } from '../orders/order-service.ts';
import { DomainError, invalid } from '../shared/errors.ts';
import type { Tx } from '../storage/transaction.ts';
import { amountOf, type Line, MAX_AMOUNT, totalOf } from './invoice.ts';
import type { InvoiceInput } from './invoice-schema.ts';

/** The lines in stored form. @throws DomainError validation_error if the account has no such order */
export async function toLines(
  orders: Pick<OrderService, 'holdOrder'>,
  tx: Tx,
  accountId: string,
  input: NonNullable<InvoiceInput['lines']>,
): Promise<Line[]> {
  for (const [index, { order_id }] of input.entries()) {
    if (order_id && !(await orders.holdOrder(tx.db, accountId, order_id))) {
      throw invalid(`/lines/${index}/order_id`, 'No order with this ID in the account.');
    }
  }
  return input.map((line) => ({ ...line, order_id: line.order_id ?? null }));
}

/** @throws DomainError validation_error if an amount is too large */
export function checkedTotal(lines: readonly Line[]): number {
  const tooMuch = lines.findIndex((line) => Math.abs(amountOf(line)) > MAX_AMOUNT);
  if (tooMuch >= 0) throw invalid(`/lines/${tooMuch}`, `A line can't exceed ${MAX_AMOUNT} minor units.`);
  const total = totalOf(lines);
  if (Math.abs(total) > MAX_AMOUNT) throw invalid('/lines', `An invoice can't exceed ${MAX_AMOUNT} minor units.`);
  return total;
}

/** The orders to invoice, whose lines must fit on one invoice. @throws DomainError validation_error */
export async function readOrders(
  orders: Pick<OrderService, 'get'>,
  accountId: string,
  ids: readonly string[],
): Promise<Order[]> {
  const found: Order[] = [];
  for (const [index, id] of ids.entries()) {
    const { order } = await orders.get(accountId, id).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === 'not_found') {
        throw invalid(`/order_ids/${index}`, 'No order with this ID in the account.');
      }
      throw error;
    });
    found.push(order);
  }
  const differ = (values: unknown[]) => new Set(values.filter((value) => value !== null)).size > 1;
  if (differ(found.map(({ price, currency }) => (price === null ? null : currency)))) {
    throw invalid('/order_ids', 'These orders have prices in different currencies. Create one invoice per currency.');
  }
  if (differ(found.map(({ customer_name }) => customer_name?.trim() || null))) {
    throw invalid('/order_ids', 'These orders belong to different customers. Create one invoice per customer.');
  }
  return found;
}
