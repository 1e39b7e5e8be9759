import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import knexPackage, { type Knex } from 'knex';
import SqliteClient from 'knex/lib/dialects/sqlite3/index.js';
import { type Database, SettingError } from '../config/config.ts';
import { DomainError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { type Db, isConflict, isUnavailable } from './dialect.ts';

// CommonJS: its function is no named export of an ES module import
const { knex } = knexPackage;

/** A transaction: its handle, and what is to happen once it is committed (and only then). */
export interface Tx {
  readonly db: Db;
  afterCommit(action: () => void): void;
}

export interface Storage {
  /** Readers: never sees an uncommitted change, never waits for a writer. */
  readonly read: Db;
  /**
   * Runs the work in one transaction and commits it before it resolves. On SQLite transactions run one after the other
   * and take the write lock at their beginning, so nothing read in one can be out of date when it writes.
   * Every function called inside must use `tx.db`: another handle would wait for this very transaction.
   */
  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Reads everything as it was at one moment, for as long as it takes. Never waits for a writer and holds none up. */
  inSnapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Statements that cannot run in a transaction (VACUUM INTO, the migrations). */
  readonly writer: Db;
  /** The SQLite file; undefined on PostgreSQL and in memory. */
  readonly file: string | undefined;
  close(): Promise<void>;
}

/**
 * Knex begins SQLite transactions with a plain BEGIN: the write lock is then taken at the first write, and fails at once
 * (SQLITE_BUSY_SNAPSHOT, no waiting) when another process wrote since the first read. The command line does write beside a
 * running server, so the lock is taken at the beginning, where busy_timeout applies.
 */
class ImmediateSqliteClient extends SqliteClient {
  override transaction(...args: unknown[]) {
    const transaction = super.transaction(...args);
    const begin = transaction.readOnly ? 'BEGIN;' : 'BEGIN IMMEDIATE;';
    transaction.begin = (connection: unknown) => transaction.query(connection, begin);
    return transaction;
  }
}

interface SqliteConnection {
  exec(sql: string, done: (error: Error | null) => void): void;
}

/** For the commands, which are not told another number. */
const DEFAULT_CONNECTIONS = 20;
/** How long a connection waits for another's lock. */
const BUSY_TIMEOUT_MS = 5000;
/** Set on every open: these hold for a connection, not for the file (`journal_mode` apart). */
const WRITER_PRAGMAS = `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 2000;`;
const READER_PRAGMAS = `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;`;
const READERS = 4;

/**
 * Two that open a new file at once both switch it to WAL. SQLite answers one of them SQLITE_BUSY at once, without its
 * busy timeout (it takes the two for a deadlock), so that one tries again.
 */
function setUp(connection: SqliteConnection, pragmas: string, until: number, done: (error: Error | null) => void) {
  connection.exec(pragmas, (error) => {
    const isBusy = (error as { code?: string } | null)?.code === 'SQLITE_BUSY';
    if (isBusy && Date.now() < until) setTimeout(() => setUp(connection, pragmas, until, done), 10);
    else done(error);
  });
}

export function openSqlite(filename: string, pragmas: string, pool: { min: number; max: number }): Knex {
  return knex({
    client: ImmediateSqliteClient as unknown as typeof Knex.Client,
    connection: { filename, flags: filename.startsWith('file:') ? ['OPEN_URI'] : [] },
    useNullAsDefault: true,
    log: SILENT,
    acquireConnectionTimeout: 30_000,
    pool: {
      ...pool,
      // A connection that goes away costs the next caller an open and its pragmas; these are few and cheap to keep.
      idleTimeoutMillis: 2_000_000_000,
      afterCreate: (connection: SqliteConnection, done: (error: Error | null, connection: SqliteConnection) => void) =>
        setUp(connection, pragmas, Date.now() + BUSY_TIMEOUT_MS, (error) => done(error, connection)),
    },
  });
}

/**
 * Opens the database and proves that it can be used.
 * @param setting where its address was given
 * @throws SettingError naming the setting when it cannot
 */
export async function openStorage(database: Database, logger?: Logger, setting = 'DATABASE_URL'): Promise<Storage> {
  try {
    return database.engine === 'sqlite'
      ? await openSqliteStorage(database.file)
      : await openPostgresStorage(database, logger);
  } catch (error) {
    if (error instanceof SettingError) throw error;
    const { message } = error as Error;
    const what = database.engine === 'sqlite' ? `the SQLite file ${database.file}` : 'PostgreSQL';
    throw new SettingError(setting, `${what} cannot be opened (${message})`);
  }
}

/** As `mkdir -p`, level by level: Node's own `recursive` never returns where a parent can hold no folders (/proc). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
}

/** Knex would print what it also throws; the errors reach our own log, or the one line that ends a start. */
const quiet = () => undefined;
const SILENT = { warn: quiet, error: quiet, deprecate: quiet, debug: quiet };

async function openSqliteStorage(path: string): Promise<Storage> {
  const inMemory = path === ':memory:';
  const file = inMemory ? path : resolve(path);
  if (!inMemory) {
    makeFolder(dirname(file));
  }
  // The file holds customers' names and password hashes: nobody else's business on a shared machine. SQLite gives the files
  // it keeps beside it the same mode, so it must have it before it is opened. (Never for one that is there: to close it
  // would let go of the locks this process holds on it.)
  if (!inMemory && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const writer = openSqlite(file, WRITER_PRAGMAS, { min: 1, max: 1 });
  await writer.raw('SELECT count(*) FROM sqlite_master');
  // A database in memory belongs to its one connection.
  const read = inMemory ? writer : openSqlite(file, READER_PRAGMAS, { min: 1, max: READERS });
  return sqliteStorage(read, writer, inMemory ? undefined : file);
}

export const sqliteStorage = (read: Knex, writer: Knex, file: string | undefined): Storage => ({
  read,
  writer,
  file,
  inTransaction: (work) => transact(writer, work),
  inSnapshot: (work) => transact(read, ({ db }) => work(db), { readOnly: true }),
  close: async () => {
    if (read !== writer) await read.destroy();
    await writer.destroy();
  },
});

/** What this process calls itself on PostgreSQL, so that others can see whether the service runs (pg_stat_activity). */
export const SESSION_NAME = `farmboard ${process.pid}@${hostname()}`.slice(0, 63);

async function openPostgresStorage(
  { url, connections = DEFAULT_CONNECTIONS }: Extract<Database, { engine: 'postgres' }>,
  logger: Logger | undefined,
): Promise<Storage> {
  // the start on SQLite does not wait for it
  const { default: pg } = await import('pg');
  // Counts and milliseconds are well below 2^53: numbers, as SQLite gives them.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const db = knex({
    client: 'pg',
    connection: { connectionString: url, application_name: SESSION_NAME },
    log: SILENT,
    pool: { min: 0, max: connections },
    acquireConnectionTimeout: 10_000,
  });
  try {
    await db.raw('SELECT 1');
  } catch (error) {
    await db.destroy();
    throw error;
  }
  if (logger) logOutages(db, logger);
  return {
    read: db,
    writer: db,
    file: undefined,
    inTransaction: (work) => withRetry(() => transact(db, work, {}, UNKNOWN_COMMIT)),
    inSnapshot: (work) => transact(db, (tx) => work(tx.db), { isolationLevel: 'repeatable read', readOnly: true }),
    close: () => db.destroy(),
  };
}

/** One line when the database is lost, and one when it is back, whoever notices first. */
function logOutages(db: Knex, logger: Logger): void {
  let lost = false;
  const met = (error: Error) => {
    if (!lost && isUnavailable(error)) {
      lost = true;
      logger.warn({ err: error }, 'lost the connection to the database; reconnecting');
    }
  };
  const acquire = db.client.acquireConnection.bind(db.client) as () => Promise<unknown>;
  db.client.acquireConnection = () =>
    acquire().catch((error: Error) => {
      met(error);
      throw error;
    });
  db.on('query-error', met);
  db.on('query-response', () => {
    if (lost) logger.info('reconnected to the database');
    lost = false;
  });
}

/** A server that dies while it commits tells nobody whether it did. */
const UNKNOWN_COMMIT =
  'The database connection was lost while saving, so the change may or may not have been made. Check before you send it again, or send it again with the same Idempotency-Key.';

/** @param unknownCommit what to say where a commit that failed may yet have been done */
async function transact<T>(
  db: Knex,
  work: (tx: Tx) => Promise<T>,
  config: Knex.TransactionConfig = {},
  unknownCommit?: string,
): Promise<T> {
  const actions: (() => void)[] = [];
  let failure: { error: unknown } | undefined;
  let isCommitting = false;
  const result = await db
    .transaction(async (trx) => {
      try {
        const done = await work({ db: trx, afterCommit: (action) => void actions.push(action) });
        isCommitting = true;
        return done;
      } catch (error) {
        failure = { error };
        throw error;
      }
    }, config)
    .catch((error: unknown) => {
      // where the engine has rolled back by itself (a full disk, a lost connection) Knex's own ROLLBACK fails too, and
      // its error would hide the reason
      if (failure) throw failure.error;
      throw isCommitting && unknownCommit !== undefined && isUnavailable(error)
        ? new DomainError('unavailable', unknownCommit)
        : error;
    });
  for (const action of actions) action();
  return result;
}

/** PostgreSQL may sacrifice one of two transactions that wait for each other; it did nothing and can run again. */
async function withRetry<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === 3) {
        throw new DomainError(
          'version_conflict',
          'Another request changed the same records at the same time. Send the request again.',
        );
      }
    }
  }
}
