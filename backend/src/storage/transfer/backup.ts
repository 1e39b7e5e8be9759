import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DomainError } from '../../shared/errors.ts';
import { syncFolder } from '../../shared/sync-folder.ts';
import { cannotWrite, isPostgres, query } from '../dialect.ts';
import { openStorage, type Storage } from '../open.ts';
import { requireCurrentSchema } from '../schema.ts';
import { renameFault } from '../storage-faults.ts';
import { copyDatabase, type Progress, type TableTally, tallyAll } from './copy.ts';
import { openBackup } from './source.ts';

/** Finds inconsistencies in a database, described as sentences. */
export type FindFaults = (storage: Storage) => Promise<string[]>;

/**
 * Writes a consistent copy of a database into a new SQLite file during normal operation, and verifies it before
 * renaming it to the target. The secret key is not included.
 * @throws DomainError if the target exists or cannot be written, or the copy is damaged or inconsistent
 */
export async function backupTo(
  storage: Storage,
  target: string,
  findFaults: FindFaults,
  progress?: Progress,
): Promise<TableTally[]> {
  const file = resolve(target);
  const requireNew = () => {
    if (existsSync(file)) throw new DomainError('validation_error', `${target} already exists; choose another name.`);
  };
  requireNew();
  await requireCurrentSchema(storage.read, 'The database');
  const temporaryFile = `${file}.part-${process.pid}`;
  try {
    createEmpty(temporaryFile, target);
    if (isPostgres(storage.read)) await copyInto(temporaryFile, storage, progress);
    else await vacuumInto(temporaryFile, storage);
    const copy = await openBackup(temporaryFile);
    try {
      await requireConsistent(copy, 'The copy', findFaults);
      const tallies = await tallyAll(copy);
      // another backup may have been written meanwhile
      requireNew();
      renameSync(temporaryFile, file);
      syncFolder(dirname(file));
      return tallies;
    } finally {
      await copy.close();
    }
  } catch (error) {
    throw renameFault(error, temporaryFile, file);
  } finally {
    for (const left of [temporaryFile, `${temporaryFile}-wal`, `${temporaryFile}-shm`]) rmSync(left, { force: true });
  }
}

/** Creates an empty file readable by its owner only, for SQLite to fill. */
function createEmpty(path: string, target: string): void {
  try {
    writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new DomainError('validation_error', `${target} cannot be written (${(error as Error).message}).`);
  }
}

async function vacuumInto(file: string, { writer, file: source = '' }: Storage): Promise<void> {
  await query(writer, 'VACUUM INTO ?', [file]).catch((error: unknown) => {
    // it only reads the source
    throw cannotWrite(error) ? renameFault(error, source, file) : error;
  });
}

async function copyInto(file: string, storage: Storage, progress: Progress | undefined): Promise<void> {
  const copy = await openStorage({ engine: 'sqlite', file });
  try {
    await copyDatabase(storage, copy, progress);
    // a single file, as from VACUUM INTO, that can be read without writing beside it
    await query(copy.writer, 'PRAGMA journal_mode = DELETE');
  } finally {
    await copy.close();
  }
}

/** @throws DomainError if the file is damaged, has another schema, or violates the stored invariants */
export async function requireConsistent(storage: Storage, what: string, findFaults: FindFaults): Promise<void> {
  const refuse = (detail: string) => new DomainError('validation_error', `${what} ${detail}`);
  const summarize = (faults: string[]) =>
    `${faults.slice(0, 3).join('; ')}${faults.length > 3 ? `; ${faults.length} in total` : ''}`;
  try {
    const damage = await checkFile(storage);
    if (damage.length > 0) throw refuse(`is damaged: ${summarize(damage)}`);
    await requireCurrentSchema(storage.read, what);
    const faults = await findFaults(storage);
    if (faults.length > 0) {
      throw refuse(`is inconsistent (use "--faults accept" to continue anyway): ${summarize(faults)}`);
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw refuse(`is damaged (${(error as Error).message}).`);
  }
}

/** In kB. Each entry of an index is looked up in its table: with SQLite's 2 MB, the time grows faster than the file. */
const CHECK_CACHE = 65_536;

/** Damage found by SQLite: damaged pages and violated foreign keys. @returns an empty list if there is none */
export const checkFile = (storage: Storage): Promise<string[]> =>
  storage.inSnapshot(async (db) => {
    await query(db, `PRAGMA cache_size = -${CHECK_CACHE}`);
    const integrity = await query<{ integrity_check: string }>(db, 'PRAGMA integrity_check');
    const damage = integrity.map((row) => row.integrity_check).filter((line) => line !== 'ok');
    // what is damaged can't be read
    if (damage.length > 0) return damage;
    const orphans = await query<{ table: string }>(db, 'PRAGMA foreign_key_check');
    return orphans.map((row) => `a row in ${row.table} refers to a missing row`);
  });
