import { bool, type Db, forKeyShare, forNoKeyUpdate, forUpdate, query, queryOne } from '../storage/dialect.ts';
import type { ExpiredRows } from '../storage/purge.ts';
import type { Actor } from './token.ts';

export interface Account {
  id: string;
  email: string;
  name: string;
  /** ISO 4217: the currency of prices and costs */
  currency: string;
}

export interface TokenRecord {
  id: string;
  name: string;
  hint: string;
  isReadOnly: boolean;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

interface TokenRow {
  id: string;
  name: string;
  hint: string;
  read_only: number;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

const toToken = (row: TokenRow): TokenRecord => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  isReadOnly: row.read_only === 1,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
});

interface ActorRow {
  token_id: string;
  token_name: string;
  read_only: number;
  expires_at: number | null;
  last_used_at: number | null;
  account_id: string;
  account_name: string;
  email: string;
}

export const countAccounts = async (db: Db): Promise<number> =>
  (await queryOne<{ n: number }>(db, 'SELECT count(*) AS n FROM accounts'))?.n ?? 0;

/** @throws the driver's unique violation if the email address is in use */
export async function insertAccount(db: Db, account: Account & { passwordHash: string; at: number }): Promise<void> {
  const { id, email, name, currency, passwordHash, at } = account;
  await query(
    db,
    'INSERT INTO accounts (id, email, name, currency, password_hash, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [id, email, name, currency, passwordHash, at, at],
  );
}

export const findAccountByEmail = (db: Db, email: string): Promise<Account | undefined> =>
  queryOne<Account>(db, 'SELECT id, email, name, currency FROM accounts WHERE email = ?', [email]);

export const findAccount = (db: Db, accountId: string): Promise<Account | undefined> =>
  queryOne<Account>(db, 'SELECT id, email, name, currency FROM accounts WHERE id = ?', [accountId]);

export async function findPasswordHash(db: Db, email: string): Promise<{ account: Account; hash: string } | undefined> {
  const row = await queryOne<Account & { password_hash: string }>(
    db,
    'SELECT id, email, name, currency, password_hash FROM accounts WHERE email = ?',
    [email],
  );
  if (!row) return undefined;
  const { password_hash: hash, ...account } = row;
  return { account, hash };
}

/** The stored hash, locked until the transaction ends. */
export async function lockPasswordHash(db: Db, accountId: string): Promise<string | undefined> {
  const row = await queryOne<{ password_hash: string }>(
    db,
    `SELECT password_hash FROM accounts WHERE id = ?${forUpdate(db)}`,
    [accountId],
  );
  return row?.password_hash;
}

export async function updatePassword(db: Db, accountId: string, passwordHash: string, at: number): Promise<void> {
  await query(db, 'UPDATE accounts SET password_hash = ?, updated_at = ? WHERE id = ?', [passwordHash, at, accountId]);
}

/**
 * Locks the account until the transaction ends, so that concurrent changes of what it may have wait for each other.
 * `FOR UPDATE` would deadlock: transactions that have inserted a record of the account share a lock on its row.
 */
export async function lockAccount(db: Db, accountId: string): Promise<void> {
  await query(db, `SELECT id FROM accounts WHERE id = ?${forNoKeyUpdate(db)}`, [accountId]);
}

const selectCurrency = async (db: Db, accountId: string, lock: string): Promise<string> => {
  const row = await queryOne<{ currency: string }>(db, `SELECT currency FROM accounts WHERE id = ?${lock}`, [
    accountId,
  ]);
  if (!row) throw new Error(`Account ${accountId} not found`);
  return row.currency;
};

export const findCurrency = (db: Db, accountId: string): Promise<string> => selectCurrency(db, accountId, '');

/**
 * As `findCurrency`, with a shared lock until the transaction ends: the currency cannot change while an amount is
 * stored.
 */
export const holdCurrency = (db: Db, accountId: string): Promise<string> =>
  selectCurrency(db, accountId, forKeyShare(db));

/** As `findCurrency`, with an exclusive lock until the transaction ends: no amounts can be stored meanwhile. */
export const lockCurrency = (db: Db, accountId: string): Promise<string> =>
  selectCurrency(db, accountId, forUpdate(db));

export async function updateCurrency(db: Db, accountId: string, currency: string, at: number): Promise<void> {
  await query(db, 'UPDATE accounts SET currency = ?, updated_at = ? WHERE id = ?', [currency, at, accountId]);
}

export async function insertToken(
  db: Db,
  token: {
    id: string;
    accountId: string;
    name: string;
    hash: string;
    hint: string;
    isReadOnly: boolean;
    at: number;
    expiresAt: number | null;
  },
): Promise<void> {
  await query(
    db,
    'INSERT INTO tokens (id, account_id, name, hash, hint, read_only, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    [token.id, token.accountId, token.name, token.hash, token.hint, bool(token.isReadOnly), token.at, token.expiresAt],
  );
}

export async function listTokens(db: Db, accountId: string): Promise<TokenRecord[]> {
  const rows = await query<TokenRow>(
    db,
    `SELECT id, name, hint, read_only, created_at, expires_at, last_used_at FROM tokens
     WHERE account_id = ? AND revoked_at IS NULL ORDER BY created_at, id`,
    [accountId],
  );
  return rows.map(toToken);
}

/** @returns whether an active token was revoked */
export async function revokeToken(db: Db, accountId: string, name: string, at: number): Promise<boolean> {
  const rows = await query(
    db,
    'UPDATE tokens SET revoked_at = ? WHERE account_id = ? AND name = ? AND revoked_at IS NULL RETURNING id',
    [at, accountId, name],
  );
  return rows.length > 0;
}

/** @returns whether an active token was revoked */
export async function revokeTokenById(db: Db, accountId: string, id: string, at: number): Promise<boolean> {
  const rows = await query(
    db,
    'UPDATE tokens SET revoked_at = ? WHERE account_id = ? AND id = ? AND revoked_at IS NULL RETURNING id',
    [at, accountId, id],
  );
  return rows.length > 0;
}

/**
 * Finds the actor of a token. Runs after every request has arrived, so a revoked token is refused as soon as its
 * revocation is committed.
 */
export async function findActor(
  db: Db,
  hash: string,
): Promise<{ actor: Actor; lastUsedAt: number | null } | undefined> {
  const row = await queryOne<ActorRow>(
    db,
    `SELECT t.id AS token_id, t.name AS token_name, t.read_only, t.expires_at, t.last_used_at, a.id AS account_id, a.name AS account_name, a.email
     FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = ? AND t.revoked_at IS NULL`,
    [hash],
  );
  return (
    row && {
      actor: {
        accountId: row.account_id,
        accountName: row.account_name,
        email: row.email,
        tokenId: row.token_id,
        tokenName: row.token_name,
        tokenExpiresAt: row.expires_at,
        isReadOnly: row.read_only === 1,
        passwordCheckedAt: null,
      },
      lastUsedAt: row.last_used_at,
    }
  );
}

export async function touchToken(db: Db, tokenId: string, at: number): Promise<void> {
  await query(db, 'UPDATE tokens SET last_used_at = ? WHERE id = ?', [at, tokenId]);
}

/** Tokens that were revoked or that expired before the given times (ms). */
export const expiredTokens = (revokedBefore: number, expiredBefore: number): ExpiredRows => ({
  table: 'tokens',
  key: ['id'],
  where: 't.revoked_at < ? OR t.expires_at < ?',
  values: [revokedBefore, expiredBefore],
});
