import type { Tx } from '../storage/transaction.ts';
import { applyRules } from './apply-rules.ts';
import type { ReportDeps } from './report-deps.ts';
import * as store from './report-store.ts';

/** How long a failure that may be a cancelled print is held, waiting for a message that says so. */
export const HOLD_MS = 10_000;

/**
 * Processes the held reports of a locked printer, oldest first.
 * @param until only those held until this time at the latest, in milliseconds; default all
 */
export async function releaseReportsOf(
  deps: ReportDeps,
  tx: Tx,
  printer: store.LockedPrinter,
  until = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  for (const held of await store.listHeld(tx.db, printer.id, until)) {
    const { outcome, reason } = held.report;
    await applyRules(deps, tx, printer, held, { outcome, reason });
  }
}

/** Processes the held reports of all printers whose time is up. It reads first and writes only if there are any. */
export async function releaseDueReports(deps: ReportDeps): Promise<void> {
  const { storage, clock, logger } = deps;
  const now = clock();
  for (const { account_id, printer_id } of await store.listHeldPrinters(storage.read, now)) {
    await storage
      .inTransaction(async (tx) => {
        const printer = await deps.lockPrinterForReport(tx.db, account_id, printer_id);
        if (printer) await releaseReportsOf(deps, tx, printer, now);
      })
      // the reports of other printers are still processed, and these are tried again in the next round
      .catch((error: unknown) => logger.warn({ err: error, printer_id }, 'failed to process a held report'));
  }
}
