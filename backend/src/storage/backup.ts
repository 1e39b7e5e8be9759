import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DomainError } from '../errors.ts';
import { query } from './dialect.ts';
import { openStorage, type Storage } from './open.ts';

/**
 * Writes a consistent copy of a SQLite database while others read and write it, and opens the copy to verify it before it
 * gets its name. The key file beside the database is not part of it.
 * @throws DomainError validation_error when the target exists or cannot be written, or the database has no file
 */
export async function backupTo(storage: Storage, target: string): Promise<void> {
  const file = resolve(target);
  if (storage.file === undefined) {
    throw new DomainError(
      'validation_error',
      'Only a SQLite file is backed up by this command; use pg_dump for PostgreSQL.',
    );
  }
  if (existsSync(file)) throw new DomainError('validation_error', `${target} exists already; choose another name.`);
  const aside = `${file}.part-${process.pid}`;
  try {
    createEmpty(aside, target);
    await query(storage.writer, 'VACUUM INTO ?', [aside]);
    await verify(aside);
    renameSync(aside, file);
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

async function verify(file: string): Promise<void> {
  const copy = await openStorage({ engine: 'sqlite', file });
  try {
    const faults = await checkFile(copy);
    if (faults.length > 0) throw new Error(`the copy is damaged: ${faults.join('; ')}`);
  } finally {
    await copy.close();
  }
}

/** What SQLite itself finds wrong in the file: damaged pages, rows that refer to nothing. Empty: nothing. */
export async function checkFile(storage: Storage): Promise<string[]> {
  const integrity = await query<{ integrity_check: string }>(storage.read, 'PRAGMA integrity_check');
  const orphans = await query<{ table: string }>(storage.read, 'PRAGMA foreign_key_check');
  return [
    ...integrity.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    ...orphans.map((row) => `a row of ${row.table} refers to a row that is not there`),
  ];
}
