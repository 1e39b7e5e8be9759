import { toThousandths } from '../shared/units.ts';
import type { Db } from '../storage/dialect.ts';
import type { IdempotentResult } from '../storage/idempotency/with-idempotency.ts';
import type { Tx } from '../storage/transaction.ts';
import { applyRules, type RuleDeps } from './apply-rules.ts';
import { HOLD_MS, type Outcome } from './report.ts';
import type { PrintReport } from './report-schema.ts';
import * as store from './report-store.ts';
import type { UnidentifiedPrint } from './reported-print.ts';

/** What a report is stored under: no printer has two reports with the same event id. */
export type Identity = Pick<store.NewReportRow, 'eventId' | 'contentHash' | 'printKey'>;

/**
 * Finds the earlier report of the print that a message is about, and adds to it what the message knows: a name, or that
 * the print was cancelled or failed for a reason. Undefined if there is no such report.
 */
export async function joinSamePrint(
  deps: RuleDeps,
  tx: Tx,
  printer: store.LockedPrinter,
  print: UnidentifiedPrint,
  identity: Identity,
  now: number,
): Promise<IdempotentResult<PrintReport> | undefined> {
  const known = await findSamePrint(tx.db, printer.id, print, identity, now);
  if (!known) return undefined;
  const added = addTo(known, print, identity);
  if (!added) return { result: known.report, replayed: true };
  const stored = await store.completeReport(tx.db, known.report.id, added);
  const { held_until, outcome, reason } = stored.report;
  // its event has been sent, or what is missing may still come
  if (known.report.held_until === null || held_until !== null) {
    tx.changed(known.accountId, { kind: 'report', id: printer.id });
    return { result: stored.report, replayed: known.report.held_until === null };
  }
  return { result: await applyRules(deps, tx, printer, stored, { outcome, reason }), replayed: false };
}

/**
 * A print can't end twice within the time it took, so another message about the same file within that time is about the
 * same print. If one of the two names no file, they must agree on whether it finished.
 */
async function findSamePrint(
  db: Db,
  printerId: string,
  { source, filename, outcome, seconds }: UnidentifiedPrint,
  { eventId, printKey }: Identity,
  now: number,
): Promise<store.StoredReport | undefined> {
  const since = now - Math.max(HOLD_MS, (seconds ?? 0) * 1000);
  const outcomes: Outcome[] = outcome === 'finished' ? ['finished'] : ['failed', 'cancelled'];
  const isNamed = filename !== '';
  return (
    (isNamed ? await store.findPrint(db, printerId, printKey as string, since) : undefined) ??
    (await store.findReport(db, printerId, eventId)) ??
    (await store.findRecent(db, printerId, { source, outcomes, since, isUnnamed: isNamed }))
  );
}

/** Whether a held report is that of a failure which may turn out to be a cancelled print. */
const isUndecided = ({ held_until, outcome, reason }: PrintReport): boolean =>
  held_until !== null && outcome === 'failed' && reason === null;

/** What a report contains with a later message about its print. Undefined if the message adds nothing. */
function addTo(
  { report, contentHash, printKey, gramsMg }: store.StoredReport,
  print: UnidentifiedPrint,
  identity: Identity,
): store.CompletedReport | undefined {
  const decides = isUndecided(report) && !print.mayBeCancelled && print.outcome !== 'finished';
  const names = report.filename === '' && print.filename !== '';
  if (!decides && !names) return undefined;
  const filename = names ? print.filename : report.filename;
  return {
    ...(names ? identity : { eventId: report.event_id, contentHash, printKey }),
    filename,
    outcome: decides ? print.outcome : report.outcome,
    reason: decides ? (print.reason ?? null) : report.reason,
    gramsMg: gramsMg ?? (print.grams === undefined ? null : toThousandths(print.grams)),
    gramsText: report.grams_text ?? print.gramsText ?? null,
    notes: report.notes.filter((note) => !names || note !== 'no_file'),
    staysHeld: report.held_until !== null && (filename === '' || (isUndecided(report) && !decides)),
  };
}
