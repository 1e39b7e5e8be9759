import { toIso, toIsoOrNull } from '../../../common/src/clock.ts';
import type { WorkflowStatus } from '../orders/status.ts';
import { type Listed, offsetOf, type Page } from '../shared/pagination.ts';
import { fromThousandths } from '../shared/units.ts';
import { bool, type Db, query, queryOne, type Value } from '../storage/dialect.ts';
import { queryPage } from '../storage/page.ts';
import type { ExpiredRows } from '../storage/purge.ts';
import type { Outcome, ReportNote, Source } from './report.ts';
import type { PrinterRules, PrintReport } from './report-schema.ts';

interface ReportRow {
  id: string;
  account_id: string;
  event_id: string;
  content_hash: string;
  print_key: string | null;
  printer_id: string;
  printer_name: string;
  filename: string;
  outcome: Outcome;
  at: number;
  grams_mg: number | null;
  grams_text: string | null;
  reason: string | null;
  source: Source;
  agent_name: string;
  order_id: string | null;
  order_name: string | null;
  filament_id: string | null;
  filament_name: string | null;
  deducted_mg: number | null;
  moved_to: WorkflowStatus | null;
  notes: string;
  held_until: number | null;
  received_at: number;
}

const columns = (alias: string) =>
  `id, account_id, event_id, content_hash, print_key, printer_id, (SELECT p.name FROM printers p WHERE p.id = ${alias}.printer_id) AS printer_name,
   filename, outcome, at, grams_mg, grams_text, reason, source, agent_name, order_id,
   (SELECT o.model_name FROM orders o WHERE o.id = ${alias}.order_id) AS order_name, filament_id,
   (SELECT f.name FROM filaments f WHERE f.id = ${alias}.filament_id) AS filament_name, deducted_mg, moved_to, notes, held_until,
   received_at, seq`;

const SELECTED = columns('t');
const RETURNED = columns('print_reports');

const gramsOf = (mg: number | null): number | null => (mg === null ? null : fromThousandths(mg));

/** A report with the fields that are not part of its public record. */
export interface StoredReport {
  report: PrintReport;
  accountId: string;
  contentHash: string;
  printKey: string | null;
  /** milliseconds */
  at: number;
  gramsMg: number | null;
}

const toReport = (row: ReportRow): StoredReport => ({
  report: {
    id: row.id,
    event_id: row.event_id,
    printer_id: row.printer_id,
    printer_name: row.printer_name,
    filename: row.filename,
    outcome: row.outcome,
    at: toIso(row.at),
    grams: gramsOf(row.grams_mg),
    grams_text: row.grams_text,
    reason: row.reason,
    source: row.source,
    agent_name: row.agent_name,
    order_id: row.order_id,
    order_name: row.order_name,
    filament_id: row.filament_id,
    filament_name: row.filament_name,
    deducted_grams: gramsOf(row.deducted_mg),
    moved_to: row.moved_to,
    notes: JSON.parse(row.notes) as ReportNote[],
    held_until: toIsoOrNull(row.held_until),
    received_at: toIso(row.received_at),
  },
  accountId: row.account_id,
  contentHash: row.content_hash,
  printKey: row.print_key,
  at: row.at,
  gramsMg: row.grams_mg,
});

export interface LockedPrinter {
  id: string;
  name: string;
}

export async function findReport(db: Db, printerId: string, eventId: string): Promise<StoredReport | undefined> {
  const sql = `SELECT ${SELECTED} FROM print_reports t WHERE printer_id = ? AND event_id = ?`;
  const row = await queryOne<ReportRow>(db, sql, [printerId, eventId]);
  return row && toReport(row);
}

/** The newest report with this print key, received at the given time (milliseconds) or later. */
export async function findPrint(
  db: Db,
  printerId: string,
  printKey: string,
  since: number,
): Promise<StoredReport | undefined> {
  const row = await queryOne<ReportRow>(
    db,
    `SELECT ${SELECTED} FROM print_reports t WHERE printer_id = ? AND print_key = ? AND received_at >= ?
     ORDER BY seq DESC LIMIT 1`,
    [printerId, printKey, since],
  );
  return row && toReport(row);
}

/** The newest report that printer software sent of a print with one of these outcomes, received at that time or later. */
export async function findRecent(
  db: Db,
  printerId: string,
  {
    source,
    outcomes,
    since,
    isUnnamed,
  }: {
    source: Source;
    outcomes: readonly Outcome[];
    since: number /** only one that names no file */;
    isUnnamed: boolean;
  },
): Promise<StoredReport | undefined> {
  const row = await queryOne<ReportRow>(
    db,
    `SELECT ${SELECTED} FROM print_reports t WHERE printer_id = ? AND source = ? AND received_at >= ?
       AND outcome IN (${outcomes.map(() => '?').join(', ')}) ${isUnnamed ? "AND filename = ''" : ''}
     ORDER BY seq DESC LIMIT 1`,
    [printerId, source, since, ...outcomes],
  );
  return row && toReport(row);
}

export interface NewReportRow {
  id: string;
  accountId: string;
  printerId: string;
  eventId: string;
  contentHash: string;
  printKey: string | null;
  source: Source;
  agentName: string;
  filename: string;
  outcome: Outcome;
  at: number;
  gramsMg: number | null;
  gramsText: string | null;
  reason: string | null;
  heldUntil: number | null;
  receivedAt: number;
}

/** @returns undefined if the printer already has a report with this event id */
export async function insertReport(db: Db, report: NewReportRow): Promise<StoredReport | undefined> {
  const row = await queryOne<ReportRow>(
    db,
    `INSERT INTO print_reports (id, account_id, printer_id, event_id, content_hash, print_key, source, agent_name, filename, outcome, at,
       grams_mg, grams_text, reason, notes, held_until, received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, ?)
     ON CONFLICT (printer_id, event_id) DO NOTHING RETURNING ${RETURNED}`,
    [
      report.id,
      report.accountId,
      report.printerId,
      report.eventId,
      report.contentHash,
      report.printKey,
      report.source,
      report.agentName,
      report.filename,
      report.outcome,
      report.at,
      report.gramsMg,
      report.gramsText,
      report.reason,
      report.heldUntil,
      report.receivedAt,
    ],
  );
  return row && toReport(row);
}

/** A report with what a later message about its print adds. */
export interface CompletedReport
  extends Pick<
    NewReportRow,
    'eventId' | 'contentHash' | 'printKey' | 'filename' | 'outcome' | 'gramsMg' | 'gramsText' | 'reason'
  > {
  notes: readonly ReportNote[];
  staysHeld: boolean;
}

export async function completeReport(db: Db, id: string, report: CompletedReport): Promise<StoredReport> {
  const [row] = await query<ReportRow>(
    db,
    `UPDATE print_reports SET event_id = ?, content_hash = ?, print_key = ?, filename = ?, outcome = ?, grams_mg = ?,
       grams_text = ?, reason = ?, notes = ?, held_until = CASE WHEN ? = 1 THEN held_until END WHERE id = ? RETURNING ${RETURNED}`,
    [
      report.eventId,
      report.contentHash,
      report.printKey,
      report.filename,
      report.outcome,
      report.gramsMg,
      report.gramsText,
      report.reason,
      JSON.stringify(report.notes),
      bool(report.staysHeld),
      id,
    ],
  );
  return toReport(row as ReportRow);
}

/** Stores what was done with a report, which ends its being held. */
export async function saveOutcome(
  db: Db,
  id: string,
  done: {
    outcome: Outcome;
    reason: string | null;
    orderId: string | null;
    filamentId: string | null;
    deductedMg: number | null;
    movedTo: WorkflowStatus | null;
    notes: readonly ReportNote[];
  },
): Promise<StoredReport> {
  const [row] = await query<ReportRow>(
    db,
    `UPDATE print_reports SET outcome = ?, reason = ?, order_id = ?, filament_id = ?, deducted_mg = ?, moved_to = ?, notes = ?,
       held_until = NULL WHERE id = ? RETURNING ${RETURNED}`,
    [
      done.outcome,
      done.reason,
      done.orderId,
      done.filamentId,
      done.deductedMg,
      done.movedTo,
      JSON.stringify(done.notes),
      id,
    ],
  );
  return toReport(row as ReportRow);
}

/** The printers that have a report held until `now` at the latest. */
export const listHeldPrinters = (db: Db, now: number): Promise<{ account_id: string; printer_id: string }[]> =>
  query(
    db,
    'SELECT DISTINCT account_id, printer_id FROM print_reports WHERE held_until IS NOT NULL AND held_until <= ?',
    [now],
  );

/** The reports of a printer that are held until then at the latest, oldest first. */
export async function listHeld(db: Db, printerId: string, until: number): Promise<StoredReport[]> {
  const sql = `SELECT ${SELECTED} FROM print_reports t WHERE printer_id = ? AND held_until <= ? ORDER BY seq`;
  return (await query<ReportRow>(db, sql, [printerId, until])).map(toReport);
}

/** Newest first. */
export async function listReports(
  db: Db,
  accountId: string,
  printerId: string,
  page: Page,
): Promise<Listed<PrintReport>> {
  const values: Value[] = [accountId, printerId];
  const { rows, total } = await queryPage<ReportRow>(db, {
    columns: SELECTED,
    table: 'print_reports',
    where: ['t.account_id = ?', 't.printer_id = ?'],
    values,
    orderBy: 't.seq DESC',
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map((row) => toReport(row).report), total };
}

/** The latest report of each printer that has any. */
export async function listLastReports(db: Db, accountId: string): Promise<PrintReport[]> {
  const rows = await query<ReportRow>(
    db,
    `SELECT ${SELECTED} FROM print_reports t WHERE t.seq IN (
       SELECT (SELECT max(r.seq) FROM print_reports r WHERE r.printer_id = p.id) FROM printers p WHERE p.account_id = ?)`,
    [accountId],
  );
  return rows.map((row) => toReport(row).report);
}

interface RulesRow extends Omit<PrinterRules, 'deduct_grams'> {
  deduct_grams: number;
}

const NO_RULES: PrinterRules = {
  deduct_grams: false,
  loaded_filament_id: null,
  on_finished: null,
  on_failed: null,
  on_cancelled: null,
};

export async function findRules(db: Db, printerId: string): Promise<PrinterRules> {
  const row = await queryOne<RulesRow>(
    db,
    'SELECT deduct_grams, loaded_filament_id, on_finished, on_failed, on_cancelled FROM printer_rules WHERE printer_id = ?',
    [printerId],
  );
  return row ? { ...row, deduct_grams: row.deduct_grams === 1 } : NO_RULES;
}

export async function saveRules(db: Db, printerId: string, rules: PrinterRules, at: number): Promise<void> {
  await query(
    db,
    `INSERT INTO printer_rules (printer_id, deduct_grams, loaded_filament_id, on_finished, on_failed, on_cancelled, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (printer_id) DO UPDATE SET deduct_grams = excluded.deduct_grams, loaded_filament_id = excluded.loaded_filament_id,
       on_finished = excluded.on_finished, on_failed = excluded.on_failed, on_cancelled = excluded.on_cancelled,
       updated_at = excluded.updated_at`,
    [
      printerId,
      bool(rules.deduct_grams),
      rules.loaded_filament_id,
      rules.on_finished,
      rules.on_failed,
      rules.on_cancelled,
      at,
    ],
  );
}

/** Reports received before the given time (ms), except those that are held and the newest of each printer. */
export const expiredReports = (before: number, keptPerPrinter: number): ExpiredRows => ({
  table: 'print_reports',
  key: ['seq'],
  where: `t.received_at < ? AND t.held_until IS NULL AND t.seq <= (
    SELECT r.seq FROM print_reports r WHERE r.printer_id = t.printer_id ORDER BY r.seq DESC LIMIT 1 OFFSET ?)`,
  values: [before, keptPerPrinter],
});
