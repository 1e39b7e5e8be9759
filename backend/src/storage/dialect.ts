import type { Knex } from 'knex';
import { sha256 } from '../../../common/src/crypto.ts';

/** A handle that runs statements: the reader pool or a transaction. */
export type Db = Knex;

export type Row = Record<string, unknown>;

/** A value bound to `?`. Convert booleans with `bool`, because SQLite has none. */
export type Value = string | number | null;

/**
 * Runs one statement in the common SQL of both engines, with `?` placeholders.
 * @returns the rows of a SELECT or RETURNING
 */
export async function query<R = Row>(db: Db, sql: string, values: readonly Value[] = []): Promise<R[]> {
  const result: unknown = await db.raw(sql, values as Value[]);
  // sqlite3 returns the rows, pg an object with rows
  return (Array.isArray(result) ? result : (result as { rows: R[] }).rows) as R[];
}

/**
 * As `query`, for a long statement that runs often: PostgreSQL parses and plans it once per connection. SQLite plans any
 * statement in a fraction of a millisecond.
 */
export async function queryPrepared<R = Row>(db: Db, sql: string, values: readonly Value[]): Promise<R[]> {
  if (!isPostgres(db)) return query<R>(db, sql, values);
  // PostgreSQL cuts names off after 63 characters
  const name = sha256(sql).slice(0, 63);
  const { rows } = (await db.raw(sql, values as Value[]).options({ name })) as { rows: R[] };
  return rows;
}

/** As `query`, for statements with at most one row. */
export async function queryOne<R = Row>(db: Db, sql: string, values: readonly Value[] = []): Promise<R | undefined> {
  const rows = await query<R>(db, sql, values);
  return rows[0];
}

export const isPostgres = (db: Db): boolean => db.client.config.client === 'pg';

/** The current time in ms as an SQL expression, given the handle that it will run on. */
export type DatabaseClock = (db: Db) => string;

/**
 * The database's time: the same for all processes, whose machines' clocks may differ. A subquery, so that a statement
 * reads it once and not for each row.
 */
export const databaseTime: DatabaseClock = (db) =>
  isPostgres(db)
    ? '(SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT))'
    : "(SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER))";

/** Suffix for a SELECT that locks its rows until the transaction ends. SQLite's writer locks the whole file anyway. */
export const forUpdate = (db: Db): string => (isPostgres(db) ? ' FOR UPDATE' : '');

/** As `forUpdate`, but allows writing rows that refer to the locked ones. */
export const forNoKeyUpdate = (db: Db): string => (isPostgres(db) ? ' FOR NO KEY UPDATE' : '');

/**
 * Suffix for a SELECT whose rows must not be deleted until the transaction ends, because rows that refer to them are
 * being written.
 * @param table the one of a join that is locked
 */
export const forKeyShare = (db: Db, table?: string): string =>
  isPostgres(db) ? ` FOR KEY SHARE${table === undefined ? '' : ` OF ${table}`}` : '';

/** `(?, ?), (?, ?)` for a multi-row VALUES; one row also fits an IN. */
export const placeholders = (rows: number, columns: number): string =>
  Array.from({ length: rows }, () => `(${Array.from({ length: columns }, () => '?').join(', ')})`).join(', ');

/** Rows for a VALUES used as a table. Typed, because PostgreSQL treats bare placeholders there as text. */
export const typedRows = (rows: number, types: readonly ('BIGINT' | 'TEXT')[]): string => {
  const row = `(${types.map((type) => `CAST(? AS ${type})`).join(', ')})`;
  return Array.from({ length: rows }, () => row).join(', ');
};

/** A SELECT of the rows in a JSON array, so that the text of a statement is the same for any number of rows. */
export function jsonRows(db: Db, columns: Record<string, 'BIGINT' | 'TEXT'>): string {
  const names = Object.keys(columns);
  if (!isPostgres(db))
    return `SELECT ${names.map((name) => `value ->> '${name}' AS ${name}`).join(', ')} FROM json_each(?)`;
  const typed = names.map((name) => `${name} ${columns[name]}`).join(', ');
  return `SELECT ${names.join(', ')} FROM json_to_recordset(CAST(? AS JSON)) AS given (${typed})`;
}

/**
 * An SQL expression that completes the time of a new id (`newIdTime`) with random digits to an id for each row, as
 * `newId` makes them.
 */
export const newIdOf = (db: Db, time: string): string =>
  isPostgres(db)
    ? `${time} || '-7' || substr(CAST(gen_random_uuid() AS TEXT), 16)`
    : `${time} || lower('-7' || substr(hex(randomblob(2)), 2) || '-' || substr('89AB', 1 + (random() & 3), 1) ||
         substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;

export const bool = (value: boolean): number => (value ? 1 : 0);

/** A pattern for `LIKE ? ESCAPE '!'` that matches the text literally anywhere. */
export const containsPattern = (text: string): string => `%${text.replace(/[!%_]/g, '!$&')}%`;

interface DriverError {
  code?: string;
  message?: string;
  constraint?: string;
}

/** Whether a statement violated a unique constraint or index. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as DriverError;
  return code === '23505' || (code === 'SQLITE_CONSTRAINT' && /UNIQUE|PRIMARY KEY/.test(message ?? ''));
}

/** Whether the engine aborted the transaction in favor of another (PostgreSQL: serialization failure or deadlock). */
export function isConflict(error: unknown): boolean {
  const { code } = error as DriverError;
  return code === '40001' || code === '40P01';
}

/** Writes fail until the operator helps: the disk is full, or the database read-only. */
const CANNOT_WRITE = new Set(['SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_IOERR', '53100', '25006']);

export const cannotWrite = (error: unknown): boolean => CANNOT_WRITE.has((error as DriverError).code ?? '');

const UNAVAILABLE = new Set([
  ...CANNOT_WRITE,
  ...['SQLITE_BUSY', 'SQLITE_CANTOPEN'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  // PostgreSQL: too many connections, out of memory
  ...['53300', '53200'],
]);

/** Whether the database is temporarily unavailable: locked by another program, full or unreachable. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = error as DriverError;
  return (
    UNAVAILABLE.has(code ?? '') ||
    /^(08...|57P0.)$/.test(code ?? '') ||
    /Timeout acquiring a connection|Connection terminated|Connection ended unexpectedly|is not queryable/.test(
      message ?? '',
    )
  );
}
