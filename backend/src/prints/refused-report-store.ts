import { toIso } from '../../../common/src/clock.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { type Db, query, queryOne, type Value } from '../storage/dialect.ts';
import type { ExpiredRows } from '../storage/purge.ts';
import type { Source } from './report.ts';
import type { RefusedReport } from './report-schema.ts';

interface RefusedRow extends Omit<RefusedReport, 'can_retry' | 'received_at' | 'last_received_at'> {
  body: string | null;
  received_at: number;
  last_received_at: number;
}

const COLUMNS =
  'id, printer_id, source, agent_name, event_id, filename, body, code, reason, received_count, received_at, last_received_at';

export interface StoredRefusal {
  refused: RefusedReport;
  /** JSON; null: not stored */
  body: string | null;
  /** milliseconds */
  receivedAt: number;
}

const toRefusal = ({ body, received_at, last_received_at, ...row }: RefusedRow): StoredRefusal => ({
  refused: {
    ...row,
    // the event id stays used, so it would be refused again
    can_retry: body !== null && row.code !== 'idempotency_conflict',
    received_at: toIso(received_at),
    last_received_at: toIso(last_received_at),
  },
  body,
  receivedAt: received_at,
});

export interface NewRefusal {
  id: string;
  accountId: string;
  printerId: string | null;
  /** of the agent, if the printer is unknown */
  groupId: string | null;
  contentHash: string;
  source: Source;
  agentName: string;
  eventId: string | null;
  filename: string | null;
  body: string | null;
  code: ErrorCode;
  reason: string;
  at: number;
}

/** Stores a refused report, or counts the same again. */
export async function saveRefusal(db: Db, refusal: NewRefusal): Promise<void> {
  await query(
    db,
    `INSERT INTO refused_reports (id, account_id, printer_id, printer_group_id, content_hash, source, agent_name, event_id,
       filename, body, code, reason, received_count, received_at, last_received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
     ON CONFLICT (coalesce(printer_id, printer_group_id), content_hash) DO UPDATE SET
       code = excluded.code, reason = excluded.reason, received_count = refused_reports.received_count + 1,
       last_received_at = excluded.last_received_at`,
    [
      refusal.id,
      refusal.accountId,
      refusal.printerId,
      refusal.groupId,
      refusal.contentHash,
      refusal.source,
      refusal.agentName,
      refusal.eventId,
      refusal.filename,
      refusal.body,
      refusal.code,
      refusal.reason,
      refusal.at,
      refusal.at,
    ],
  );
}

const NEWEST_FIRST = 'ORDER BY last_received_at DESC, id DESC';
/** More than one transaction adds. */
const MAX_REMOVED = 1_000;

/** Deletes all but the newest of a printer, a group or an account. */
export async function keepNewest(
  db: Db,
  column: 'printer_id' | 'printer_group_id' | 'account_id',
  id: string,
  kept: number,
): Promise<void> {
  await query(
    db,
    `DELETE FROM refused_reports WHERE id IN (
       SELECT id FROM refused_reports WHERE ${column} = ? ${NEWEST_FIRST} LIMIT ${MAX_REMOVED} OFFSET ?)`,
    [id, kept],
  );
}

/** Those of a printer, and those of its group that don't say which printer they are from. */
const OF_PRINTER = `account_id = ? AND (printer_id = ? OR printer_group_id = (SELECT p.group_id FROM printers p WHERE p.id = ?))`;
const ofPrinter = (accountId: string, printerId: string): Value[] => [accountId, printerId, printerId];

/** Newest first. */
export async function listRefused(db: Db, accountId: string, printerId: string): Promise<RefusedReport[]> {
  const sql = `SELECT ${COLUMNS} FROM refused_reports WHERE ${OF_PRINTER} ${NEWEST_FIRST}`;
  const rows = await query<RefusedRow>(db, sql, ofPrinter(accountId, printerId));
  return rows.map((row) => toRefusal(row).refused);
}

export async function findRefused(
  db: Db,
  accountId: string,
  printerId: string,
  id: string,
): Promise<StoredRefusal | undefined> {
  const sql = `SELECT ${COLUMNS} FROM refused_reports WHERE id = ? AND ${OF_PRINTER}`;
  const row = await queryOne<RefusedRow>(db, sql, [id, ...ofPrinter(accountId, printerId)]);
  return row && toRefusal(row);
}

/** How many each printer's page shows; printers without any are left out. */
export const countRefused = (db: Db, accountId: string): Promise<{ printer_id: string; refused: number }[]> =>
  query(
    db,
    `SELECT p.id AS printer_id, count(*) AS refused FROM printers p
     JOIN refused_reports r ON r.account_id = p.account_id AND (r.printer_id = p.id OR r.printer_group_id = p.group_id)
     WHERE p.account_id = ? GROUP BY p.id`,
    [accountId],
  );

/** @returns whether it existed */
export async function deleteRefused(db: Db, accountId: string, printerId: string, id: string): Promise<boolean> {
  const sql = `DELETE FROM refused_reports WHERE id = ? AND ${OF_PRINTER} RETURNING id`;
  return (await queryOne(db, sql, [id, ...ofPrinter(accountId, printerId)])) !== undefined;
}

/** Deletes what was refused under an event id that has a report now. */
export async function deleteSettled(db: Db, printerId: string, eventId: string): Promise<void> {
  await query(db, 'DELETE FROM refused_reports WHERE printer_id = ? AND event_id = ?', [printerId, eventId]);
}

/** Stores why a report was refused once more. */
export async function saveReason(db: Db, id: string, code: ErrorCode, reason: string): Promise<void> {
  await query(db, 'UPDATE refused_reports SET code = ?, reason = ? WHERE id = ?', [code, reason, id]);
}

/** Reports that were last received before the given time (ms). */
export const expiredRefusals = (before: number): ExpiredRows => ({
  table: 'refused_reports',
  key: ['id'],
  where: 't.last_received_at < ?',
  values: [before],
});
