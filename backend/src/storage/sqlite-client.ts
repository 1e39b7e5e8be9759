import { fileURLToPath } from 'node:url';
import SqliteClient from 'knex/lib/dialects/sqlite3/index.js';

/** What Knex passes to the driver and gets back. */
interface Query {
  sql: string;
  bindings?: unknown[];
  response?: unknown;
}

interface Statement {
  all(bindings: unknown[], done: (error: Error | null, rows: unknown[]) => void): void;
  finalize(done: () => void): void;
}

/** A connection of the driver. */
interface Connection {
  prepare(sql: string, done: (error: Error | null) => void): Statement;
}

/** Others take effect while they are prepared (PRAGMA) or run too rarely to keep. */
const IS_KEPT = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|BEGIN|COMMIT|SAVEPOINT)\b/i;

/** How many statements a connection keeps prepared: more than a busy service uses, at about 10 kB each. */
export const MAX_PREPARED = 200;

/**
 * Knex's client for SQLite, with two differences. It keeps statements prepared, because preparing one takes as long as
 * reading a row with it. And it begins transactions with BEGIN IMMEDIATE: Knex uses a plain BEGIN, which takes the write
 * lock at the first write and fails immediately (SQLITE_BUSY_SNAPSHOT) if another process wrote after the first read.
 * The command line writes while the server runs, so the lock is taken at the start, where busy_timeout applies.
 */
export class PreparingSqliteClient extends SqliteClient {
  override transaction(...args: unknown[]) {
    const transaction = super.transaction(...args);
    const begin = transaction.readOnly ? 'BEGIN;' : 'BEGIN IMMEDIATE;';
    transaction.begin = (connection: unknown) => transaction.query(connection, begin);
    return transaction;
  }

  // stores only use raw SQL, so every query wants rows
  override async _query(connection: Connection, query: Query): Promise<Query> {
    try {
      if (!IS_KEPT.test(query.sql)) return (await super._query(connection, query)) as Query;
      const statement = await prepare(connection, query.sql);
      query.response = await new Promise((resolve, reject) => {
        statement.all(query.bindings ?? [], (error, rows) => (error ? reject(error) : resolve(rows)));
      });
      return query;
    } catch (error) {
      // SQLite doesn't say which file has the fault
      const { filename } = this.connectionSettings;
      throw Object.assign(error as Error, { path: filename.startsWith('file:') ? fileURLToPath(filename) : filename });
    }
  }

  override async destroyRawConnection(connection: Connection): Promise<void> {
    // a connection with prepared statements can't be closed
    for (const statement of preparedBy.get(connection)?.values() ?? []) await finalize(statement);
    preparedBy.delete(connection);
    await super.destroyRawConnection(connection);
  }
}

/** By connection, the least recently used statement first. */
const preparedBy = new WeakMap<Connection, Map<string, Statement>>();

const finalize = (statement: Statement): Promise<void> => new Promise((resolve) => statement.finalize(resolve));

async function prepare(connection: Connection, sql: string): Promise<Statement> {
  const prepared = preparedBy.get(connection) ?? new Map<string, Statement>();
  preparedBy.set(connection, prepared);
  const known = prepared.get(sql);
  if (known) {
    prepared.delete(sql);
    prepared.set(sql, known);
    return known;
  }
  const statement = await new Promise<Statement>((resolve, reject) => {
    const made = connection.prepare(sql, (error) => (error ? reject(error) : resolve(made)));
  });
  // two queries of a transaction may prepare the same text at once
  const other = prepared.get(sql);
  if (other) {
    await finalize(statement);
    return other;
  }
  prepared.set(sql, statement);
  const [oldest] = prepared.size > MAX_PREPARED ? prepared : [];
  if (oldest) {
    prepared.delete(oldest[0]);
    await finalize(oldest[1]);
  }
  return statement;
}
