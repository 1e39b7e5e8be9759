import { toIso } from '../../../common/src/clock.ts';
import { sha256 } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import type { Actor } from '../accounts/token.ts';
import type { PrinterService } from '../printers/printer-service.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import { type Patch, patched } from '../shared/patch.ts';
import { MIN_TIME } from '../shared/schemas.ts';
import { toThousandths } from '../shared/units.ts';
import type { Db } from '../storage/dialect.ts';
import type { IdempotentResult } from '../storage/idempotency/with-idempotency.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import type { AgentActor } from './agent-service.ts';
import type { AgentPrinter } from './agent-store.ts';
import { applyRules, type RuleDeps, releaseReportsOf } from './apply-rules.ts';
import { deleteSettled } from './refused-report-store.ts';
import { HOLD_MS } from './report.ts';
import type { Agent, PrinterRules, PrintReport } from './report-schema.ts';
import * as store from './report-store.ts';
import type { IdentifiedPrint, ReportedPrint } from './reported-print.ts';
import { type Identity, joinSamePrint } from './same-print.ts';

interface ReportDeps extends RuleDeps {
  storage: Storage;
  logger: Logger;
  printers: Pick<PrinterService, 'get' | 'listOfAgent' | 'lockForReport'>;
}

export interface Recorded extends IdempotentResult<PrintReport> {
  /** what requests had deducted for the order in the 24 hours before; 0 if the report deducted nothing */
  alreadyDeductedGrams: number;
}

/** How far a print may have ended ahead of the server's clock, if the report doesn't say when it was sent. */
const MAX_AHEAD_MS = 5 * 60_000;

/** A smaller difference is the time that a request takes, or of no importance. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/** Who reports. */
type Reporter = Pick<AgentActor, 'accountId' | 'tokenName'> & { agent: Pick<Agent, 'printer_id' | 'printer_group_id'> };

export type ReportService = ReturnType<typeof createReportService>;

/** Print reports, and the rules that say what a report does. */
export function createReportService(deps: ReportDeps) {
  const { storage, clock, printers, filaments } = deps;
  return {
    /**
     * Stores a print report once, sends its event and does what the printer's rules say, all in one transaction. A
     * report that may be a cancelled print, or that names no file, is only held at first.
     * @param before runs first in the transaction, once the printer is locked
     * @throws DomainError validation_error, idempotency_conflict
     */
    async record(actor: Reporter, print: ReportedPrint, before?: (tx: Tx) => Promise<void>): Promise<Recorded> {
      const printerId = choosePrinter(await printers.listOfAgent(actor.agent), print);
      const recorded = await storage.inTransaction(async (tx) => {
        // from here on the reports of a printer are processed one after the other
        const printer = await printers.lockForReport(tx.db, actor.accountId, printerId);
        if (!printer) throw invalid('/printer_id', 'The printer has just been deleted.');
        await before?.(tx);
        return storeReport(deps, tx, actor, printer, print);
      });
      return { ...recorded, alreadyDeductedGrams: await deductedBefore(deps, recorded.result) };
    },

    /** Processes the failures that were not reported as cancelled in time. It writes only if there are any. */
    async releaseHeld(): Promise<void> {
      const now = clock();
      for (const { account_id, printer_id } of await store.listHeldPrinters(storage.read, now)) {
        await storage
          .inTransaction(async (tx) => {
            const printer = await printers.lockForReport(tx.db, account_id, printer_id);
            if (printer) await releaseReportsOf(deps, tx, printer, now);
          })
          // the reports of other printers are still processed, and these are tried again in the next round
          .catch((error: unknown) => deps.logger.warn({ err: error, printer_id }, 'failed to process a held report'));
      }
    },

    /** Newest first. @throws DomainError not_found */
    async list(accountId: string, printerId: string, page: Page): Promise<Listed<PrintReport>> {
      await printers.get(accountId, printerId);
      return store.listReports(storage.read, accountId, printerId, page);
    },

    /** The latest report of each printer that has any. */
    last: (accountId: string): Promise<PrintReport[]> => store.listLastReports(storage.read, accountId),

    /** @throws DomainError not_found */
    async rules(accountId: string, printerId: string): Promise<PrinterRules> {
      await printers.get(accountId, printerId);
      return store.findRules(storage.read, printerId);
    },

    /** Writes the fields that are present. @throws DomainError not_found, validation_error */
    updateRules: ({ accountId }: Actor, printerId: string, patch: Patch<PrinterRules>): Promise<PrinterRules> =>
      storage.inTransaction(async (tx) => {
        if (!(await printers.lockForReport(tx.db, accountId, printerId))) throw notFound();
        const after = patched(await store.findRules(tx.db, printerId), patch);
        const { loaded_filament_id: loaded } = after;
        if (loaded !== null && !(await filaments.holdFilament(tx.db, accountId, loaded))) {
          throw invalid('/loaded_filament_id', 'No filament with this ID in the account.');
        }
        await store.saveRules(tx.db, printerId, after, clock());
        tx.changed(accountId, { kind: 'report', id: printerId });
        return after;
      }),
  };
}

/** The same for a report that is sent again, unless one of the deductions was undone meanwhile. */
async function deductedBefore({ filaments }: ReportDeps, report: PrintReport): Promise<number> {
  const { order_id, deducted_grams, received_at } = report;
  if (order_id === null || deducted_grams === null) return 0;
  return filaments.deductedFor(order_id, 'request', Date.parse(received_at));
}

/** Stores a report of a locked printer and applies its rules, unless it is known or to be held. */
async function storeReport(
  deps: ReportDeps,
  tx: Tx,
  actor: Reporter,
  printer: store.LockedPrinter,
  print: ReportedPrint,
): Promise<IdempotentResult<PrintReport>> {
  const printerId = printer.id;
  const now = deps.clock();
  const identity = identify(printerId, print);
  const known =
    print.source === 'report'
      ? await findRepeat(tx.db, printerId, identity)
      : await joinSamePrint(deps, tx, printer, print, identity, now);
  if (known) return known;
  const endedAt = endOf(print, now);
  await releaseReportsOf(deps, tx, printer);
  const stored = await store.insertReport(tx.db, toRow(actor, printerId, print, identity, endedAt, now));
  if (!stored) throw new Error('received a report for a locked printer');
  await deleteSettled(tx.db, printerId, identity.eventId);
  if (stored.report.held_until !== null) {
    tx.changed(actor.accountId, { kind: 'report', id: printerId });
    return { result: stored.report, replayed: false };
  }
  const { outcome, reason = null } = print;
  const named = print.source === 'report' ? { orderId: print.orderId, filamentId: print.filamentId } : {};
  return { result: await applyRules(deps, tx, printer, stored, { outcome, reason, ...named }), replayed: false };
}

/** @throws DomainError validation_error */
function choosePrinter(printers: readonly AgentPrinter[], print: ReportedPrint): string {
  const isWanted = printerFilter(printers, print);
  const candidates = isWanted ? printers.filter(isWanted) : printers;
  const [only] = candidates;
  if (only && candidates.length === 1) return only.id;
  const names = printers.map(({ id, name }) => `${name} (${id})`).slice(0, 10);
  const which = names.length > 0 ? `It has: ${names.join(', ')}.` : 'Its group has no printers.';
  throw invalid(
    '/printer_id',
    isWanted
      ? `The agent has no such printer, or more than one with that name. ${which}`
      : `The agent doesn't have exactly one printer, so name the one that printed. ${which}`,
  );
}

/** Printer software has its own name for a printer, so names only count if the agent has several printers. */
function printerFilter(
  printers: readonly AgentPrinter[],
  print: ReportedPrint,
): ((printer: AgentPrinter) => boolean) | undefined {
  if (print.source === 'report') {
    const { printerId } = print;
    return printerId === undefined ? undefined : ({ id }) => id === printerId;
  }
  const wanted = print.printer?.trim().toLowerCase();
  if (wanted === undefined || printers.length === 1) return undefined;
  return ({ id, name, internal_name }) => [id, name.toLowerCase(), internal_name.toLowerCase()].includes(wanted);
}

function identify(printerId: string, print: ReportedPrint): Identity {
  if (print.source === 'report') {
    return { eventId: print.eventId, contentHash: hashContent(printerId, print), printKey: null };
  }
  const { source, file, outcome, seconds } = print;
  // a duration with a fraction differs for every print, so an equal one means the same print, however late it arrives
  const isExact = seconds !== undefined && !Number.isInteger(seconds);
  const printKey = sha256(`${source} ${file}`);
  const eventId = `${source}:${sha256(`${file} ${outcome} ${isExact ? seconds : newId()}`)}`;
  return { eventId, contentHash: printKey, printKey };
}

/** Distinguishes reports with the same event id. */
function hashContent(printerId: string, print: IdentifiedPrint): string {
  const { filename, at = null, outcome, grams = null, orderId = null, filamentId = null, reason = null } = print;
  const mg = grams === null ? null : toThousandths(grams);
  return sha256(JSON.stringify([printerId, filename, at, outcome, mg, orderId, filamentId, reason]));
}

/** @throws DomainError idempotency_conflict when the event id was used for another report */
async function findRepeat(
  db: Db,
  printerId: string,
  { eventId, contentHash }: Identity,
): Promise<IdempotentResult<PrintReport> | undefined> {
  const first = await store.findReport(db, printerId, eventId);
  if (!first) return undefined;
  if (first.contentHash !== contentHash) {
    throw new DomainError(
      'idempotency_conflict',
      'This printer already has a different report with this event_id. Use a new event_id for each print.',
    );
  }
  return { result: first.report, replayed: true };
}

/**
 * When a print ended, in milliseconds. With `sentAt` a wrong clock of the sender doesn't matter.
 * @throws DomainError validation_error
 */
function endOf(print: ReportedPrint, now: number): number {
  if (print.source !== 'report' || print.at === undefined) return now;
  const { at, sentAt } = print;
  if (sentAt !== undefined) {
    const ended = Math.abs(sentAt - now) > MAX_CLOCK_DIFFERENCE_MS ? now - (sentAt - at) : at;
    return Math.max(MIN_TIME, Math.min(ended, now));
  }
  if (at > now + MAX_AHEAD_MS) {
    throw invalid(
      '/at',
      `The end of the print is more than 5 minutes ahead of this service's clock (${toIso(now)}). Set the sender's clock, or send what it shows as sent_at.`,
    );
  }
  return at;
}

const toRow = (
  { accountId, tokenName }: Reporter,
  printerId: string,
  print: ReportedPrint,
  identity: Identity,
  at: number,
  now: number,
): store.NewReportRow => ({
  id: newId(),
  accountId,
  printerId,
  ...identity,
  source: print.source,
  agentName: tokenName,
  filename: print.filename,
  outcome: print.outcome,
  at,
  gramsMg: print.grams === undefined ? null : toThousandths(print.grams),
  gramsText: print.gramsText ?? null,
  reason: print.reason ?? null,
  heldUntil: print.source !== 'report' && (print.mayBeCancelled || print.filename === '') ? now + HOLD_MS : null,
  receivedAt: now,
});
