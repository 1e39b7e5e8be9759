import { toIso } from '../../../common/src/clock.ts';
import { type Listed, offsetOf, type Page } from '../shared/pagination.ts';
import { type Db, forUpdate, query, queryOne, type Value } from '../storage/dialect.ts';
import { queryPage, toOrderBy } from '../storage/page.ts';
import type { ExpiredRows } from '../storage/purge.ts';
import { matchesText } from '../storage/search.ts';
import type { LeadSort, LeadState } from './lead.ts';
import type { Lead, LeadText } from './lead-schema.ts';

interface LeadRow extends LeadText {
  id: string;
  state: LeadState;
  file_name: string | null;
  file_kind: string | null;
  file_bytes: number | null;
  order_id: string | null;
  created_at: number;
  updated_at: number;
}

const columns = (alias: string) => `id, state, description, contact, client_email, budget, deadline,
   (SELECT f.name FROM files f WHERE f.id = ${alias}.file_id) AS file_name,
   (SELECT f.kind FROM files f WHERE f.id = ${alias}.file_id) AS file_kind,
   (SELECT f.bytes FROM files f WHERE f.id = ${alias}.file_id) AS file_bytes,
   order_id, created_at, updated_at`;

const SELECTED = columns('t');
const RETURNED = columns('leads');

const toLead = (row: LeadRow): Lead => ({
  id: row.id,
  state: row.state,
  description: row.description,
  contact: row.contact,
  client_email: row.client_email,
  budget: row.budget,
  deadline: row.deadline,
  file:
    row.file_name === null
      ? null
      : { name: row.file_name, kind: row.file_kind as string, bytes: row.file_bytes as number },
  order_id: row.order_id,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export interface LeadFilter {
  state?: LeadState | undefined;
  q?: string | undefined;
  order_id?: string | undefined;
  sort?: LeadSort | undefined;
}

export async function listLeads(db: Db, accountId: string, filter: LeadFilter, page: Page): Promise<Listed<Lead>> {
  const byText = matchesText(filter.q);
  const where = ['t.account_id = ?', ...byText.where];
  const values: Value[] = [accountId, ...byText.values];
  const and = (condition: string, value: Value) => {
    where.push(condition);
    values.push(value);
  };
  if (filter.state !== undefined) and('t.state = ?', filter.state);
  if (filter.order_id !== undefined) and('t.order_id = ?', filter.order_id);
  const { rows, total } = await queryPage<LeadRow>(db, {
    columns: SELECTED,
    table: 'leads',
    where,
    values,
    orderBy: toOrderBy(filter.sort ?? '-created_at'),
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map(toLead), total };
}

export async function findLead(db: Db, accountId: string, id: string): Promise<Lead | undefined> {
  const row = await queryOne<LeadRow>(db, `SELECT ${SELECTED} FROM leads t WHERE id = ? AND account_id = ?`, [
    id,
    accountId,
  ]);
  return row && toLead(row);
}

/** As `findLead`, and locks the request (FOR UPDATE) until the transaction ends. */
export async function lockLead(db: Db, accountId: string, id: string): Promise<Lead | undefined> {
  const sql = `SELECT ${SELECTED} FROM leads t WHERE id = ? AND account_id = ?${forUpdate(db)}`;
  const row = await queryOne<LeadRow>(db, sql, [id, accountId]);
  return row && toLead(row);
}

export const findLeadFile = (db: Db, accountId: string, id: string): Promise<{ file_id: string | null } | undefined> =>
  queryOne<{ file_id: string | null }>(db, 'SELECT file_id FROM leads WHERE id = ? AND account_id = ?', [
    id,
    accountId,
  ]);

/** Whether an identical request is already stored. */
export async function fingerprintExists(db: Db, fingerprint: string): Promise<boolean> {
  return (await query(db, 'SELECT id FROM leads WHERE fingerprint = ?', [fingerprint])).length > 0;
}

export interface NewLead extends LeadText {
  id: string;
  fileId: string | null;
  fingerprint: string;
  at: number;
}

export async function insertLead(db: Db, accountId: string, lead: NewLead): Promise<void> {
  const { description, contact, client_email, budget, deadline } = lead;
  await query(
    db,
    `INSERT INTO leads (id, account_id, state, description, contact, client_email, budget, deadline, file_id, fingerprint,
       search_text, created_at, updated_at) VALUES (?, ?, 'new', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[lead.id, accountId, description, contact, client_email, budget, deadline, lead.fileId, lead.fingerprint],
      [description, contact, client_email, budget, deadline].join('\n').toLowerCase(),
      ...[lead.at, lead.at],
    ],
  );
}

export async function updateLead(
  db: Db,
  id: string,
  change: { state?: LeadState; order_id?: string },
  at: number,
): Promise<Lead> {
  const entries = Object.entries(change);
  const [row] = await query<LeadRow>(
    db,
    `UPDATE leads SET ${entries.map(([field]) => `${field} = ?, `).join('')}updated_at = ? WHERE id = ? RETURNING ${RETURNED}`,
    [...entries.map(([, value]) => value), at, id],
  );
  return toLead(row as LeadRow);
}

export async function deleteLead(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM leads WHERE id = ?', [id]);
}

export async function countLeads(db: Db, accountId: string): Promise<Record<LeadState, number>> {
  const rows = await query<{ state: LeadState; n: number }>(
    db,
    'SELECT state, count(*) AS n FROM leads WHERE account_id = ? GROUP BY state',
    [accountId],
  );
  const counts = { new: 0, answered: 0, archived: 0 };
  for (const { state, n } of rows) counts[state] = Number(n);
  return counts;
}

const toTimes = (text: string | undefined): number[] => JSON.parse(text ?? '[]') as number[];

/** The times counted under a key. */
export async function readTimes(db: Db, key: string): Promise<number[]> {
  const row = await queryOne<{ times: string }>(db, 'SELECT times FROM lead_limits WHERE key = ?', [key]);
  return toTimes(row?.times);
}

/** As `readTimes`, and locks the key until the transaction ends, even if nothing was counted under it yet. */
export async function lockTimes(db: Db, key: string, at: number): Promise<number[]> {
  const [row] = await query<{ times: string }>(
    db,
    `INSERT INTO lead_limits (key, times, last_at) VALUES (?, '[]', ?)
     ON CONFLICT (key) DO UPDATE SET last_at = excluded.last_at RETURNING times`,
    [key, at],
  );
  return toTimes(row?.times);
}

export async function saveTimes(db: Db, key: string, times: readonly number[]): Promise<void> {
  await query(db, 'UPDATE lead_limits SET times = ? WHERE key = ?', [JSON.stringify(times), key]);
}

/** Counts of rate limits that none needs any more. */
export const expiredTimes = (before: number): ExpiredRows => ({
  table: 'lead_limits',
  key: ['key'],
  where: 't.last_at < ?',
  values: [before],
  orderBy: 't.last_at',
});
