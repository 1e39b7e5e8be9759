import pg from 'pg';
import sqlite3 from 'sqlite3';
import { runOnPostgres } from './engine.ts';
import { PATIENCE_MS } from './eventually.ts';

/** Inspects the database of a running service; read-only. */
export interface DatabaseInspector {
  rows<R = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

/** @param file as `createDataFolder` names it: a SQLite file, or the address of a PostgreSQL database */
export async function inspectDatabase(file: string): Promise<DatabaseInspector> {
  return file.startsWith('postgres:') ? inspectPostgres(file) : inspectSqlite(file);
}

/** The rows of one query. */
export async function readRows<R = Record<string, unknown>>(file: string, sql: string): Promise<R[]> {
  const inspector = await inspectDatabase(file);
  return inspector.rows<R>(sql).finally(inspector.close);
}

async function inspectPostgres(url: string): Promise<DatabaseInspector> {
  const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=on' });
  client.setTypeParser(pg.types.builtins.INT8, Number);
  // a test may drop the database meanwhile
  client.on('error', () => undefined);
  await client.connect();
  return {
    async rows<R>(sql: string, values: unknown[] = []) {
      let at = 0;
      const numbered = sql.replace(/\?/g, () => {
        at += 1;
        return `$${at}`;
      });
      return (await client.query(numbered, values)).rows as R[];
    },
    close: () => client.end(),
  };
}

async function inspectSqlite(file: string): Promise<DatabaseInspector> {
  const db = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened: sqlite3.Database = new sqlite3.Database(file, sqlite3.OPEN_READONLY, (error) =>
      error ? reject(error) : resolve(opened),
    );
  });
  db.configure('busyTimeout', PATIENCE_MS);
  return {
    rows: <R>(sql: string, values: unknown[] = []) =>
      new Promise<R[]>((resolve, reject) => {
        db.all<R>(sql, values, (error, rows) => (error ? reject(error) : resolve(rows)));
      }),
    close: () =>
      new Promise<void>((resolve, reject) => {
        db.close((error) => (error ? reject(error) : resolve()));
      }),
  };
}

/** Changes the database directly, for conditions that need time to pass. */
export async function write(file: string, sql: string): Promise<void> {
  if (file.startsWith('postgres:')) return runOnPostgres(file, sql);
  await new Promise<void>((resolve, reject) => {
    const db = new sqlite3.Database(file);
    db.configure('busyTimeout', PATIENCE_MS);
    db.run(sql, (error) => db.close(() => (error ? reject(error) : resolve())));
  });
}

export interface DeliveryRow {
  seq: number;
  id: string | null;
  subject: string;
  state: string;
  error: string | null;
  sequence: number | null;
  claimed_by: string | null;
  response_status: number | null;
}

export const deliveriesOf = (inspector: DatabaseInspector, subscription: string): Promise<DeliveryRow[]> =>
  inspector.rows<DeliveryRow>('SELECT * FROM deliveries WHERE subscription_id = ? ORDER BY seq', [subscription]);
