import type { Knex } from 'knex';

/** A handle that runs statements: the reader pool, or the transaction a function was given. */
export type Db = Knex;

export type Row = Record<string, unknown>;

/** One value bound to a `?` of a statement. Booleans go through `bool`, because SQLite has none. */
export type Value = string | number | null;

/**
 * Runs one statement written for both engines and gives its rows (of a SELECT or a RETURNING). Placeholders are `?`.
 * Statements are plain SQL because every one here is fixed text: it can be read, explained and measured as it stands.
 */
export async function query<R = Row>(db: Db, sql: string, values: readonly Value[] = []): Promise<R[]> {
  const result: unknown = await db.raw(sql, values as Value[]);
  // sqlite3 answers the rows, pg an object that holds them
  return (Array.isArray(result) ? result : (result as { rows: R[] }).rows) as R[];
}

/** As `query`, for a statement that gives at most one row. */
export async function queryOne<R = Row>(db: Db, sql: string, values: readonly Value[] = []): Promise<R | undefined> {
  const rows = await query<R>(db, sql, values);
  return rows[0];
}

export const isPostgres = (db: Db): boolean => db.client.config.client === 'pg';

/** Ends a SELECT that must hold its rows until the transaction ends. SQLite's writer holds the whole file already. */
export const forUpdate = (db: Db): string => (isPostgres(db) ? ' FOR UPDATE' : '');

/** As `forUpdate`, but rows that refer to the held ones may be written meanwhile. */
export const forNoKeyUpdate = (db: Db): string => (isPostgres(db) ? ' FOR NO KEY UPDATE' : '');

/** Ends a SELECT whose row must not be deleted until the transaction ends, because a row that refers to it is being written. */
export const forKeyShare = (db: Db): string => (isPostgres(db) ? ' FOR KEY SHARE' : '');

/** `(?, ?), (?, ?)` for a multi-row VALUES, and as one row for an IN. */
export const placeholders = (rows: number, columns: number): string =>
  Array.from({ length: rows }, () => `(${Array.from({ length: columns }, () => '?').join(', ')})`).join(', ');

/** Rows for a VALUES that stands as a table: PostgreSQL takes bare placeholders there for text, so each column has a type. */
export const typedRows = (rows: number, types: readonly ('BIGINT' | 'TEXT')[]): string => {
  const row = `(${types.map((type) => `CAST(? AS ${type})`).join(', ')})`;
  return Array.from({ length: rows }, () => row).join(', ');
};

export const bool = (value: boolean): number => (value ? 1 : 0);

/** A pattern for `LIKE ? ESCAPE '!'` that finds the text anywhere, its wildcards taken literally. */
export const containsPattern = (text: string): string => `%${text.replace(/[!%_]/g, '!$&')}%`;

interface DriverError {
  code?: string;
  message?: string;
  constraint?: string;
}

/** Whether a statement failed because a unique constraint or index already holds such a row. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as DriverError;
  return code === '23505' || (code === 'SQLITE_CONSTRAINT' && /UNIQUE|PRIMARY KEY/.test(message ?? ''));
}

/** Whether the engine gave the transaction up in favour of another (PostgreSQL: serialisation failure or deadlock). */
export function isConflict(error: unknown): boolean {
  const { code } = error as DriverError;
  return code === '40001' || code === '40P01';
}

const UNAVAILABLE = new Set([
  ...['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_CANTOPEN'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  // PostgreSQL: too many connections, no space left, out of memory
  ...['53300', '53100', '53200'],
]);

/** Whether the database could not be used just now: locked by another program, full, or out of reach. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = error as DriverError;
  return (
    UNAVAILABLE.has(code ?? '') ||
    /^(08...|57P0.)$/.test(code ?? '') ||
    /Timeout acquiring a connection|Connection terminated|Connection ended unexpectedly/.test(message ?? '')
  );
}
