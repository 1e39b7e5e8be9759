import { type Db, forUpdate, query, queryOne } from '../storage/dialect.ts';
import type { ExpiredRows } from '../storage/purge.ts';
import type { Account } from './account-store.ts';

export interface SessionRecord {
  id: string;
  userAgent: string;
  createdAt: number;
  lastUsedAt: number;
}

export interface FoundSession {
  id: string;
  account: Account;
  lastUsedAt: number;
  expiresAt: number;
  passwordCheckedAt: number;
}

export async function insertSession(
  db: Db,
  session: { id: string; accountId: string; hash: string; userAgent: string; at: number; expiresAt: number },
): Promise<void> {
  const { id, accountId, hash, userAgent, at, expiresAt } = session;
  await query(
    db,
    `INSERT INTO sessions (id, account_id, hash, user_agent, created_at, last_used_at, expires_at, password_checked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, accountId, hash, userAgent, at, at, expiresAt, at],
  );
}

export async function findSession(db: Db, hash: string): Promise<FoundSession | undefined> {
  const row = await queryOne<{
    id: string;
    last_used_at: number;
    expires_at: number;
    password_checked_at: number;
    account_id: string;
    email: string;
    name: string;
    currency: string;
  }>(
    db,
    `SELECT s.id, s.last_used_at, s.expires_at, s.password_checked_at, a.id AS account_id, a.email, a.name, a.currency
     FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.hash = ?`,
    [hash],
  );
  return (
    row && {
      id: row.id,
      account: { id: row.account_id, email: row.email, name: row.name, currency: row.currency },
      lastUsedAt: row.last_used_at,
      expiresAt: row.expires_at,
      passwordCheckedAt: row.password_checked_at,
    }
  );
}

export async function touchSession(db: Db, id: string, at: number): Promise<void> {
  await query(db, 'UPDATE sessions SET last_used_at = ? WHERE id = ?', [at, id]);
}

export interface ValidityLimits {
  now: number;
  /** sessions last used before this (ms) have expired */
  usedAfter: number;
}

export async function listSessions(
  db: Db,
  accountId: string,
  { now, usedAfter }: ValidityLimits,
): Promise<SessionRecord[]> {
  const rows = await query<{ id: string; user_agent: string; created_at: number; last_used_at: number }>(
    db,
    `SELECT id, user_agent, created_at, last_used_at FROM sessions WHERE account_id = ? AND expires_at > ? AND last_used_at > ?
     ORDER BY last_used_at DESC, id DESC`,
    [accountId, now, usedAfter],
  );
  return rows.map((row) => ({
    id: row.id,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

export interface EndedSession {
  id: string;
  account_id: string;
}

export const deleteSession = (db: Db, hash: string): Promise<EndedSession[]> =>
  query<EndedSession>(db, 'DELETE FROM sessions WHERE hash = ? RETURNING id, account_id', [hash]);

export const deleteSessionById = (db: Db, accountId: string, id: string): Promise<EndedSession[]> =>
  query<EndedSession>(db, 'DELETE FROM sessions WHERE account_id = ? AND id = ? RETURNING id, account_id', [
    accountId,
    id,
  ]);

/** @param exceptId a session to keep */
export const deleteSessionsOf = (db: Db, accountId: string, exceptId = ''): Promise<EndedSession[]> =>
  query<EndedSession>(db, 'DELETE FROM sessions WHERE account_id = ? AND id <> ? RETURNING id, account_id', [
    accountId,
    exceptId,
  ]);

/** More than one sign-in adds. */
const MAX_REMOVED = 1_000;

/** Deletes all but those of an account that were used last. */
export const keepLastUsed = (db: Db, accountId: string, kept: number): Promise<EndedSession[]> =>
  query<EndedSession>(
    db,
    `DELETE FROM sessions WHERE id IN (
       SELECT id FROM sessions WHERE account_id = ? ORDER BY last_used_at DESC, id DESC LIMIT ${MAX_REMOVED} OFFSET ?)
     RETURNING id, account_id`,
    [accountId, kept],
  );

/** Sessions that ended before the given time (ms). */
export const expiredSessions = (before: number): ExpiredRows => ({
  table: 'sessions',
  key: ['id'],
  where: 't.expires_at < ?',
  values: [before],
  orderBy: 't.expires_at',
});

/** Ends all sessions and setup links. Used after a restore. */
export async function deleteAllSessions(db: Db): Promise<void> {
  await query(db, 'DELETE FROM sessions');
  await query(db, 'DELETE FROM setup_links');
}

export async function insertSetupLink(db: Db, hash: string, at: number): Promise<void> {
  await query(db, 'INSERT INTO setup_links (hash, created_at) VALUES (?, ?)', [hash, at]);
}

export const hasSetupLink = async (db: Db, hash: string): Promise<boolean> =>
  (await query(db, 'SELECT hash FROM setup_links WHERE hash = ?', [hash])).length > 0;

/** Uses a setup link and deletes all others. @returns whether the link existed */
export async function consumeSetupLink(db: Db, hash: string): Promise<boolean> {
  // lock all links in one order: of two concurrent requests with different links, the second waits and finds none
  const links = await query<{ hash: string }>(db, `SELECT hash FROM setup_links ORDER BY hash${forUpdate(db)}`);
  if (!links.some((link) => link.hash === hash)) return false;
  await query(db, 'DELETE FROM setup_links');
  return true;
}
