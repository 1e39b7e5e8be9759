import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DomainError } from '../../shared/errors.ts';
import { isPostgres, query } from '../dialect.ts';
import { openStorage, type Storage } from '../open.ts';
import { requireCurrentSchema } from '../schema.ts';
import { copyDatabase, type Progress, type TableTally, tallyAll } from './copy.ts';
import { openBackup } from './source.ts';

/** Finds what is wrong in a database, as sentences. */
export type FindFaults = (storage: Storage) => Promise<string[]>;

/**
 * Writes a consistent copy of a database into a new SQLite file while others read and write it, and opens the copy to verify
 * it before it gets its name. The secret key is not part of it.
 * @throws DomainError when the target exists or cannot be written, or the copy is not sound
 */
export async function backupTo(
  storage: Storage,
  target: string,
  findFaults: FindFaults,
  progress?: Progress,
): Promise<TableTally[]> {
  const file = resolve(target);
  if (existsSync(file)) throw new DomainError('validation_error', `${target} already exists; choose another name.`);
  await requireCurrentSchema(storage.read, 'The database');
  const aside = `${file}.part-${process.pid}`;
  try {
    createEmpty(aside, target);
    if (isPostgres(storage.read)) await copyInto(aside, storage, progress);
    else await query(storage.writer, 'VACUUM INTO ?', [aside]);
    const copy = await openBackup(aside);
    try {
      await requireSound(copy, 'The copy', findFaults);
      const tallies = await tallyAll(copy);
      renameSync(aside, file);
      return tallies;
    } finally {
      await copy.close();
    }
  } finally {
    for (const left of [aside, `${aside}-wal`, `${aside}-shm`]) rmSync(left, { force: true });
  }
}

/** An empty file that only its owner may read, which SQLite then fills. */
function createEmpty(path: string, target: string): void {
  try {
    writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new DomainError('validation_error', `${target} cannot be written (${(error as Error).message}).`);
  }
}

async function copyInto(file: string, storage: Storage, progress: Progress | undefined): Promise<void> {
  const copy = await openStorage({ engine: 'sqlite', file });
  try {
    await copyDatabase(storage, copy, progress);
    // a file alone, as VACUUM INTO makes it: one that can be read without writing beside it
    await query(copy.writer, 'PRAGMA journal_mode = DELETE');
  } finally {
    await copy.close();
  }
}

/** @throws DomainError when the file is damaged, of another schema, or holds what breaks the stored invariants */
export async function requireSound(storage: Storage, what: string, findFaults: FindFaults): Promise<void> {
  const refuse = (detail: string) => new DomainError('validation_error', `${what} ${detail}`);
  const some = (faults: string[]) =>
    `${faults.slice(0, 3).join('; ')}${faults.length > 3 ? `; ${faults.length} in total` : ''}`;
  try {
    const damage = await checkFile(storage);
    if (damage.length > 0) throw refuse(`is damaged: ${some(damage)}`);
    await requireCurrentSchema(storage.read, what);
    const faults = await findFaults(storage);
    if (faults.length > 0) {
      throw refuse(`is inconsistent (use "--faults accept" to continue anyway): ${some(faults)}`);
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw refuse(`is damaged (${(error as Error).message}).`);
  }
}

/** What SQLite itself finds wrong in the file: damaged pages, rows that refer to nothing. Empty: nothing. */
export async function checkFile(storage: Storage): Promise<string[]> {
  const integrity = await query<{ integrity_check: string }>(storage.read, 'PRAGMA integrity_check');
  const orphans = await query<{ table: string }>(storage.read, 'PRAGMA foreign_key_check');
  return [
    ...integrity.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    ...orphans.map((row) => `a row in ${row.table} refers to a missing row`),
  ];
}
