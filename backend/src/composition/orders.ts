import { holdCurrency } from '../accounts/account-store.ts';
import { createFilamentService } from '../filaments/filament-service.ts';
import { createOrderService } from '../orders/order-service.ts';
import { createPrinterService } from '../printers/printer-service.ts';
import { holdPrinter } from '../printers/printer-store.ts';
import type { WithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Shared } from './parts.ts';

/**
 * Orders, stock and printers, which depend on each other. Built on a joined transaction, their changes commit together.
 */
export function createOrderFeatures(
  shared: Pick<Shared, 'storage' | 'clock' | 'outbox'> & { withIdempotency: WithIdempotency },
) {
  const orders = createOrderService({ ...shared, printers: { holdPrinter } });
  const printers = createPrinterService({ ...shared, printerChanged: orders.printerChanged });
  const filaments = createFilamentService({
    ...shared,
    orders,
    printers: { holdPrinter },
    accounts: { holdCurrency },
  });
  return { orders, filaments, printers };
}
