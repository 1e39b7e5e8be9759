import type { Actor } from '../accounts/token.ts';
import { invalid, notFound } from '../shared/errors.ts';
import { type Patch, patched } from '../shared/patch.ts';
import type { Listed, Page } from '../shared/schemas.ts';
import type { AgentActor } from './agent-service.ts';
import { releaseDueReports } from './held-reports.ts';
import { type Recorded, recordReport } from './record-report.ts';
import type { PrinterRules, PrintReport } from './report.ts';
import type { ReportDeps } from './report-deps.ts';
import * as store from './report-store.ts';
import type { ReportedPrint } from './reported-print.ts';

export type ReportService = ReturnType<typeof createReportService>;

/** Print reports, and the rules that say what a report does. */
export function createReportService(deps: ReportDeps) {
  const { storage } = deps;

  /** @throws DomainError not_found */
  async function checkPrinter(accountId: string, printerId: string): Promise<void> {
    if (!(await deps.printerExists(storage.read, accountId, printerId))) throw notFound();
  }

  return {
    /** Stores a report and does what the printer's rules say. @throws DomainError validation_error, idempotency_conflict */
    record: (actor: AgentActor, print: ReportedPrint): Promise<Recorded> => recordReport(deps, actor, print),

    /** As `record`, of a printer without an agent: for sample data. */
    backfill: ({ accountId, tokenName }: Actor, printerId: string, print: ReportedPrint): Promise<Recorded> =>
      recordReport(deps, { accountId, tokenName, agent: { printer_id: printerId, printer_group_id: null } }, print),

    /** Processes the failures that were not reported as cancelled in time. */
    releaseHeld: (): Promise<void> => releaseDueReports(deps),

    /** Newest first. @throws DomainError not_found */
    async list(accountId: string, printerId: string, page: Page): Promise<Listed<PrintReport>> {
      await checkPrinter(accountId, printerId);
      return store.listReports(storage.read, accountId, printerId, page);
    },

    /** The latest report of each printer that has any. */
    last: (accountId: string): Promise<PrintReport[]> => store.listLastReports(storage.read, accountId),

    /** @throws DomainError not_found */
    async rules(accountId: string, printerId: string): Promise<PrinterRules> {
      await checkPrinter(accountId, printerId);
      return store.findRules(storage.read, printerId);
    },

    /** Writes the fields that are present. @throws DomainError not_found, validation_error */
    updateRules: ({ accountId }: Actor, printerId: string, patch: Patch<PrinterRules>): Promise<PrinterRules> =>
      storage.inTransaction(async (tx) => {
        if (!(await deps.lockPrinterForReport(tx.db, accountId, printerId))) throw notFound();
        const after = patched(await store.findRules(tx.db, printerId), patch);
        const { loaded_filament_id: loaded } = after;
        if (loaded !== null && !(await deps.filaments.holdFilament(tx.db, accountId, loaded))) {
          throw invalid('/loaded_filament_id', 'No filament with this ID in the account.');
        }
        await store.saveRules(tx.db, printerId, after, deps.clock());
        tx.changed(accountId, { kind: 'report', id: printerId });
        return after;
      }),
  };
}
