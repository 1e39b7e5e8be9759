import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from '../../config/config.ts';
import { DomainError } from '../../shared/errors.ts';
import { isPostgres, query } from '../dialect.ts';
import { openSqlite, openStorage, SESSION_NAME, type Storage, sqliteStorage } from '../open.ts';

const refuse = (detail: string) => new DomainError('validation_error', detail);

/**
 * Opens a backup for reading. Nothing is written, not even beside it, because it may be on a read-only medium.
 * @throws DomainError if it does not exist or is a database in use
 */
export async function openBackup(path: string): Promise<Storage> {
  const file = resolve(path);
  if (!existsSync(file)) throw refuse(`File not found: ${path}.`);
  // with `immutable`, SQLite ignores the write-ahead log
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) {
    throw refuse(`${path} isn't a backup but a database in use (${path}-wal is beside it). Use "farmboard move".`);
  }
  const db = openSqlite(`${pathToFileURL(file).href}?mode=ro&immutable=1`, 'PRAGMA query_only = ON;', {
    min: 1,
    max: 1,
  });
  const storage = sqliteStorage(db, db, file);
  try {
    await query(db, 'SELECT count(*) FROM sqlite_master');
    return storage;
  } catch (error) {
    await storage.close();
    throw refuse(`${path} cannot be read as a SQLite database (${(error as Error).message}).`);
  }
}

/** As `openStorage`, but never creates a database. @throws DomainError if it does not exist */
export async function openExisting(database: Database): Promise<Storage> {
  requireFile(database);
  return openStorage(database);
}

function requireFile(database: Database): void {
  if (database.engine === 'sqlite' && !existsSync(database.file)) throw refuse(`File not found: ${database.file}.`);
}

/**
 * Opens a database for exclusive use. A SQLite file is locked against other processes; on PostgreSQL, other Farmboard
 * processes are looked up.
 * @throws DomainError if it is in use or does not exist
 */
export async function openExclusively(database: Database, setting: string): Promise<Storage> {
  requireFile(database);
  if (database.engine === 'sqlite') {
    const file = resolve(database.file);
    const pragmas =
      'PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;';
    const db = openSqlite(file, pragmas, { min: 1, max: 1 });
    const storage = sqliteStorage(db, db, file);
    try {
      await query(db, 'SELECT count(*) FROM sqlite_master');
      return storage;
    } catch (error) {
      await storage.close();
      const isBusy = (error as { code?: string }).code === 'SQLITE_BUSY';
      throw refuse(
        isBusy
          ? `${database.file} is in use. Stop the service first.`
          : `${database.file} cannot be read as a SQLite database (${(error as Error).message}).`,
      );
    }
  }
  const storage = await openStorage(database, undefined, setting);
  try {
    const [other] = await findOtherProcesses(storage);
    if (other) throw refuse(`The database is in use (${other}). Stop the service first.`);
    return storage;
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Other Farmboard processes connected to this PostgreSQL database. */
async function findOtherProcesses(storage: Storage): Promise<string[]> {
  if (!isPostgres(storage.read)) return [];
  const rows = await query<{ name: string }>(
    storage.read,
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'farmboard %' AND application_name <> ?`,
    [SESSION_NAME],
  );
  return rows.map(({ name }) => name);
}
