import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import knexPackage, { type Knex } from 'knex';
import type { Logger } from '../../../common/src/logger.ts';
import type { Database } from '../config/config.ts';
import { SettingError } from '../shared/setting-error.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { type Db, isUnavailable } from './dialect.ts';
import { createGroupCommit } from './group-commit.ts';
import { PreparingSqliteClient } from './sqlite-client.ts';
import { adviceFor } from './storage-faults.ts';
import { runAlone, type TransactionOptions, type Tx, transact, UNKNOWN_COMMIT, withRetry } from './transaction.ts';

// a CommonJS module without named exports
const { knex } = knexPackage;

export interface Storage {
  /** Readers: never see uncommitted changes and never wait for a writer. */
  readonly read: Db;
  /**
   * Runs the work in one transaction and commits it before resolving. On SQLite transactions run one at a time and take
   * the write lock at the start, so data read in one is current when it writes; those that wait share a commit.
   * Functions called inside must use `tx.db`; another handle would wait for this transaction.
   * @throws DomainError version_conflict after repeated conflicts (PostgreSQL), unavailable if the outcome of the
   * commit is unknown
   */
  inTransaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Reads everything from one snapshot. Never waits for a writer and never blocks one. */
  inSnapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** For statements that cannot run in a transaction (VACUUM INTO, migrations). */
  readonly writer: Db;
  /** How many transactions of this process wait for SQLite's writer; on PostgreSQL they wait for a connection instead. */
  waiting(): number;
  /** The SQLite file; undefined on PostgreSQL and in memory. */
  readonly file: string | undefined;
  close(): Promise<void>;
}

interface SqliteConnection {
  exec(sql: string, done: (error: Error | null) => void): void;
}

/** Default for CLI commands. */
const DEFAULT_CONNECTIONS = 20;
/** How long a connection waits for another one's lock. */
const BUSY_TIMEOUT_MS = 5000;
/** Applied on every open: except for `journal_mode`, these settings are per connection. */
const WRITER_PRAGMAS = `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 33554432;`;
const READER_PRAGMAS = `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;`;
const READERS = 4;

/**
 * Applies the pragmas. Of two processes that switch a new file to WAL, SQLite fails one with SQLITE_BUSY immediately,
 * ignoring its busy timeout (it assumes a deadlock), so that one retries.
 */
function configure(connection: SqliteConnection, pragmas: string, until: number, done: (error: Error | null) => void) {
  connection.exec(pragmas, (error) => {
    const isBusy = (error as { code?: string } | null)?.code === 'SQLITE_BUSY';
    if (isBusy && Date.now() < until) setTimeout(() => configure(connection, pragmas, until, done), 10);
    else done(error);
  });
}

export function openSqlite(filename: string, pragmas: string, pool: { min: number; max: number }): Knex {
  return knex({
    client: PreparingSqliteClient as unknown as typeof Knex.Client,
    connection: { filename, flags: filename.startsWith('file:') ? ['OPEN_URI'] : [] },
    useNullAsDefault: true,
    // errors are logged: with the statement, but not with the values bound to it
    compileSqlOnError: false,
    log: SILENT,
    acquireConnectionTimeout: 30_000,
    pool: {
      ...pool,
      // reopening a connection costs an open and its pragmas, and keeping these few is cheap
      idleTimeoutMillis: 2_000_000_000,
      afterCreate: (connection: SqliteConnection, done: (error: Error | null, connection: SqliteConnection) => void) =>
        configure(connection, pragmas, Date.now() + BUSY_TIMEOUT_MS, (error) => done(error, connection)),
    },
  });
}

/**
 * Opens the database and checks that it is usable.
 * @param setting where the address was given
 * @throws SettingError naming the setting if it is not
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
    throw new SettingError(setting, `${what} cannot be opened (${message})${adviceFor(error)}`);
  }
}

/**
 * Creates a SQLite file and its folder unless they exist. It contains customer names and password hashes, so only its
 * owner may read it; SQLite copies its mode to the files beside it. An existing file is not touched: closing it would
 * release this process's locks on it.
 * @returns its absolute path
 */
export function createSqliteFile(path: string): string {
  const file = resolve(path);
  makeFolder(dirname(file));
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  return file;
}

/** As `mkdir -p`, level by level: Node's `recursive` never returns if a parent cannot contain folders (/proc). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
}

/** Knex would also print the errors it throws; they are logged by us, or end the start in one line. */
const ignore = () => undefined;
const SILENT = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

async function openSqliteStorage(path: string): Promise<Storage> {
  const inMemory = path === ':memory:';
  const file = inMemory ? path : createSqliteFile(path);
  const writer = openSqlite(file, WRITER_PRAGMAS, { min: 1, max: 1 });
  await writer.raw('SELECT count(*) FROM sqlite_master');
  // a database in memory exists in one connection only
  const read = inMemory ? writer : openSqlite(file, READER_PRAGMAS, { min: 1, max: READERS });
  return sqliteStorage(read, writer, inMemory ? undefined : file);
}

export const sqliteStorage = (read: Knex, writer: Knex, file: string | undefined): Storage => ({
  read,
  writer,
  file,
  ...createGroupCommit((work) => transact(writer, work)),
  inSnapshot: (work) => transact(read, ({ db }) => work(db), { readOnly: true }),
  close: async () => {
    if (read !== writer) await read.destroy();
    await writer.destroy();
  },
});

/** How long closing waits for statements that a PostgreSQL which is away leaves without a response. */
const CLOSE_WITHIN_MS = 500;

/** The application name of this process on PostgreSQL, which shows in pg_stat_activity whether the service runs. */
export const SESSION_NAME = `farmboard ${process.pid}@${hostname()}`.slice(0, 63);

async function openPostgresStorage(
  { url, connections = DEFAULT_CONNECTIONS }: Extract<Database, { engine: 'postgres' }>,
  logger: Logger | undefined,
): Promise<Storage> {
  // loaded on demand, to start faster on SQLite
  const { default: pg } = await import('pg');
  // counts and milliseconds are well below 2^53, so return numbers as SQLite does
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
    inTransaction: (work, options) =>
      withRetry(() => (options?.oneStatement ? runAlone(db, work) : transact(db, work, {}, UNKNOWN_COMMIT))),
    waiting: () => 0,
    inSnapshot: (work) => transact(db, (tx) => work(tx.db), { isolationLevel: 'repeatable read', readOnly: true }),
    close: async () => void (await waitAtMost(CLOSE_WITHIN_MS, db.destroy())),
  };
}

/** Logs one line when the database connection is lost, and one when it is back. */
function logOutages(db: Knex, logger: Logger): void {
  let lost = false;
  const onError = (error: Error) => {
    if (!lost && isUnavailable(error)) {
      lost = true;
      logger.warn({ err: error }, 'lost the connection to the database; reconnecting');
    }
  };
  const acquire = db.client.acquireConnection.bind(db.client) as () => Promise<unknown>;
  db.client.acquireConnection = () =>
    acquire().catch((error: Error) => {
      onError(error);
      throw error;
    });
  db.on('query-error', onError);
  db.on('query-response', () => {
    if (lost) logger.info('reconnected to the database');
    lost = false;
  });
}
