import { type Clock, toIso } from '../../../common/src/clock.ts';
import type { Author } from '../accounts/token.ts';
import type { Outbox } from '../events/outbox.ts';
import type { FilamentService } from '../filaments/filament-service.ts';
import type { OrderService } from '../orders/order-service.ts';
import type { WorkflowStatus } from '../orders/status.ts';
import { DomainError, invalid } from '../shared/errors.ts';
import { fromThousandths } from '../shared/units.ts';
import type { Tx } from '../storage/transaction.ts';
import { IMPLAUSIBLE_GRAMS, readGrams } from './ingest/quantities.ts';
import { matchOrder, type OrderMatch } from './match-order.ts';
import { hasMovedOn, type Outcome, type ReportNote } from './report.ts';
import type { PrinterRules, PrintReport } from './report-schema.ts';
import * as store from './report-store.ts';

export interface RuleDeps {
  clock: Clock;
  outbox: Outbox;
  orders: Pick<OrderService, 'holdOrder' | 'lockOrder' | 'listPrintingOn' | 'updateInTransaction'>;
  filaments: Pick<FilamentService, 'holdFilament' | 'lockFilament' | 'consumeInTransaction' | 'deductedFor'>;
}

/** What a report says in addition to what is stored. */
export interface PrintDetails {
  outcome: Outcome;
  reason: string | null;
  /** the order and the filament that the report names */
  orderId?: string | undefined;
  filamentId?: string | undefined;
}

/**
 * Sends the event of a stored report and carries out the rules of its printer: deducts filament and moves the order, in
 * the caller's transaction, which has locked the printer.
 *
 * Locks are taken in the order printer, filament, order, as a deduction takes them, and each at its final strength.
 * Otherwise two reports about the same filament and order could deadlock.
 * @throws DomainError validation_error if the report names an order or a filament that the account doesn't have
 */
export async function applyRules(
  deps: RuleDeps,
  tx: Tx,
  printer: store.LockedPrinter,
  stored: store.StoredReport,
  { outcome, reason, orderId, filamentId: namedFilamentId }: PrintDetails,
): Promise<PrintReport> {
  const { accountId, report } = stored;
  const actor: Author = { accountId, tokenName: report.agent_name };
  await sendEvent(deps, tx, printer, stored, outcome);
  const rules = await store.findRules(tx.db, printer.id);
  const target = rules[`on_${outcome}`];
  const filamentId = await protectFilament(deps, tx, stored, rules, namedFilamentId);
  const match = await matchOrder(deps.orders, tx, stored, orderId, target !== null);
  const doubt = doubtfulGrams(stored);
  const deduction =
    rules.deduct_grams && !doubt
      ? await deductFilament(deps, tx, actor, stored, filamentId, match.orderId)
      : { deductedMg: null, note: doubt };
  const move = target === null ? { movedTo: null } : await moveOrder(deps, tx, actor, match, target);
  const unnamed: ReportNote | undefined = report.filename === '' && report.source !== 'report' ? 'no_file' : undefined;
  const notes = [unnamed, move.missing, deduction.note, move.note].filter((note) => note !== undefined);
  const { report: processed } = await store.saveOutcome(tx.db, report.id, {
    outcome,
    reason,
    orderId: match.orderId,
    filamentId,
    notes,
    deductedMg: deduction.deductedMg,
    movedTo: move.movedTo,
  });
  tx.changed(accountId, { kind: 'report', id: printer.id });
  return processed;
}

/**
 * Applies the rules to the held reports of a locked printer, oldest first.
 * @param until only those held until this time at the latest, in milliseconds; default all
 */
export async function releaseReportsOf(
  deps: RuleDeps,
  tx: Tx,
  printer: store.LockedPrinter,
  until = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  for (const held of await store.listHeld(tx.db, printer.id, until)) {
    const { outcome, reason } = held.report;
    await applyRules(deps, tx, printer, held, { outcome, reason });
  }
}

/** Cancelled prints send no event. */
async function sendEvent(
  { outbox, clock }: RuleDeps,
  tx: Tx,
  printer: store.LockedPrinter,
  { accountId, report, at }: store.StoredReport,
  outcome: Outcome,
): Promise<void> {
  if (outcome === 'cancelled') return;
  await outbox.append(tx, {
    accountId,
    event: outcome === 'finished' ? 'printer.print_finished' : 'printer.print_failed',
    subject: `printer:${printer.id}`,
    data: { printer_id: printer.id, printer_name: printer.name, filename: report.filename, at: toIso(at) },
    occurredAt: clock(),
  });
}

/**
 * The filament that the report names, or the one loaded on the printer; null if there is none. It is locked if grams
 * are to be deducted, otherwise only protected from deletion.
 * @throws DomainError validation_error if the report names a filament that the account doesn't have
 */
async function protectFilament(
  { filaments }: RuleDeps,
  tx: Tx,
  { accountId, gramsMg }: store.StoredReport,
  rules: PrinterRules,
  namedId: string | undefined,
): Promise<string | null> {
  const wanted = namedId ?? (rules.deduct_grams ? rules.loaded_filament_id : null);
  if (wanted === null) return null;
  const protect = rules.deduct_grams && gramsMg ? filaments.lockFilament : filaments.holdFilament;
  if (await protect(tx.db, accountId, wanted)) return wanted;
  if (namedId !== undefined) throw invalid('/filament_id', 'No filament with this ID in the account.');
  return null;
}

/** Why a person must look at the grams before they are deducted. */
function doubtfulGrams({ report, gramsMg }: store.StoredReport): ReportNote | undefined {
  if (report.grams_text !== null) {
    const read = readGrams(report.grams_text);
    return 'fault' in read ? read.fault : 'unreadable_grams';
  }
  return gramsMg !== null && fromThousandths(gramsMg) >= IMPLAUSIBLE_GRAMS ? 'implausible_grams' : undefined;
}

/** Deducts the reported grams, even if that overdraws the filament. If nothing is deducted, `note` says why. */
async function deductFilament(
  { filaments }: RuleDeps,
  tx: Tx,
  actor: Author,
  { report, gramsMg }: store.StoredReport,
  filamentId: string | null,
  orderId: string | null,
): Promise<{ deductedMg: number | null; note?: ReportNote }> {
  if (!gramsMg) return { deductedMg: null, note: 'no_grams' };
  if (filamentId === null) return { deductedMg: null, note: 'no_filament' };
  const use = {
    grams: fromThousandths(gramsMg),
    order_id: orderId,
    printer_id: report.printer_id,
    note: report.filename,
    allow_overdraw: true,
  };
  try {
    await filaments.consumeInTransaction(tx, actor, filamentId, use, 'report');
    return { deductedMg: gramsMg };
  } catch (error) {
    // thrown before anything is written, so the transaction can continue
    if (error instanceof DomainError && error.code === 'insufficient_stock')
      return { deductedMg: null, note: 'no_stock' };
    throw error;
  }
}

/** Moves the order of a print. `missing` says why there is no order, `note` why the order was not moved. */
async function moveOrder(
  { orders }: RuleDeps,
  tx: Tx,
  actor: Author,
  match: OrderMatch,
  target: WorkflowStatus,
): Promise<{ movedTo: WorkflowStatus | null; missing?: ReportNote; note?: ReportNote }> {
  if (match.orderId === null) return { movedTo: null, missing: match.note };
  const status = match.locked?.order.workflow_status;
  if (status === undefined || status === target) return { movedTo: null };
  if (hasMovedOn(status)) return { movedTo: null, note: 'order_moved_on' };
  const options = { strict: true, ifMatch: undefined };
  await orders.updateInTransaction(tx, actor, match.orderId, { workflow_status: target }, options);
  return { movedTo: target };
}
