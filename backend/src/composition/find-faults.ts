import { findStockFaults } from '../filaments/stock-check-store.ts';
import { findInvoiceFaults } from '../invoices/invoice-check-store.ts';
import { findMiscounts } from '../storage/counters.ts';
import type { Storage } from '../storage/open.ts';
import { findFaults as findDeliveryFaults } from '../webhooks/delivery/delivery-check-store.ts';

/** Checks stored invariants. @returns violations as sentences */
export const findFaults = async ({ read }: Pick<Storage, 'read'>): Promise<string[]> => [
  ...(await findStockFaults(read)),
  ...(await findDeliveryFaults(read)),
  ...(await findInvoiceFaults(read)),
  ...(await findMiscounts(read)),
];
