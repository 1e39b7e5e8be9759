import type { StoredOrder } from '../orders/order.ts';
import type { OrderService } from '../orders/order-service.ts';
import { invalid } from '../shared/errors.ts';
import type { Db } from '../storage/dialect.ts';
import type { Tx } from '../storage/transaction.ts';
import { ordersIn, type ReportNote } from './report.ts';
import type { StoredReport } from './report-store.ts';

/** The order of a print. If there is none, `note` says why. */
export type OrderMatch =
  | { orderId: string /** the locked order, if it was locked for a move */; locked: StoredOrder | undefined }
  | { orderId: null; note: ReportNote };

/**
 * Finds the order of a print and protects it until the transaction ends: from any change if it is to be moved,
 * otherwise only from deletion.
 * @param namedId the order that the report names
 * @throws DomainError validation_error if the report names an order that the account doesn't have
 */
export async function matchOrder(
  orders: Pick<OrderService, 'holdOrder' | 'lockOrder' | 'listPrintingOn'>,
  tx: Tx,
  stored: StoredReport,
  namedId: string | undefined,
  isToMove: boolean,
): Promise<OrderMatch> {
  const { accountId } = stored;
  const candidate = await findCandidate(orders, tx.db, stored, namedId);
  if (candidate.orderId !== undefined) {
    const { orderId } = candidate;
    if (isToMove) {
      const locked = await orders.lockOrder(tx.db, accountId, orderId);
      if (locked) return { orderId, locked };
    } else if (await orders.holdOrder(tx.db, accountId, orderId)) {
      return { orderId, locked: undefined };
    }
  }
  if (namedId !== undefined) throw invalid('/order_id', 'No order with this ID in the account.');
  return { orderId: null, note: candidate.note };
}

/**
 * The order that the report names, otherwise the one whose label is in the file name, otherwise the only one that the
 * printer is printing. `note` is the reason to give if there is no such order.
 */
async function findCandidate(
  orders: Pick<OrderService, 'listPrintingOn'>,
  db: Db,
  { accountId, report }: StoredReport,
  namedId: string | undefined,
): Promise<{ orderId: string | undefined; note: ReportNote }> {
  if (namedId !== undefined) return { orderId: namedId, note: 'unknown_order' };
  const [labelled, ...more] = ordersIn(report.filename);
  if (labelled !== undefined) {
    return more.length > 0
      ? { orderId: undefined, note: 'several_orders' }
      : { orderId: labelled, note: 'unknown_order' };
  }
  const [only, ...others] = await orders.listPrintingOn(db, accountId, report.printer_id);
  return { orderId: others.length === 0 ? only : undefined, note: 'no_order' };
}
