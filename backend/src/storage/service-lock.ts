import { realpathSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { SettingError } from '../shared/setting-error.ts';
import { createSqliteFile, openSqlite } from './open.ts';
import { adviceFor } from './storage-faults.ts';

const RETRY_MS = 200;

/** How a start waits for the service that uses its SQLite file. */
export interface Wait {
  /** in ms */
  atMost: number;
  /** called once, with a sentence for the operator */
  report(sentence: string): void;
  /** ends the wait */
  signal?: AbortSignal;
}

/** Services that share Redis can use a file together. A service without it assumes that it is alone. */
const LOCKS = {
  alone: ['BEGIN EXCLUSIVE'],
  // the first read takes the lock
  shared: ['BEGIN', 'SELECT count(*) FROM sqlite_master'],
};

/**
 * Holds a SQLite file for a service, so that no second one starts on it. The lock is the operating system's, on an empty
 * database beside the file: it ends with the process, however that ends. Node.js can't lock files, and SQLite can on
 * every system. The file itself is not locked, because commands and backups use it beside the service.
 * @param use alone, or shared with services that have the same Redis
 * @returns releases it
 * @throws SettingError if another service holds the file, or it can't be locked; the reason of the signal
 */
export async function holdFile(path: string, use: keyof typeof LOCKS, wait: Wait): Promise<() => Promise<void>> {
  let file: string;
  try {
    // every name of the file leads to the same lock
    file = realpathSync(createSqliteFile(path));
  } catch (error) {
    throw new SettingError(
      'DATABASE_URL',
      `the SQLite file ${path} cannot be opened (${(error as Error).message})${adviceFor(error)}`,
    );
  }
  const until = Date.now() + wait.atMost;
  let isReported = false;
  for (;;) {
    const lock = await tryLock(`${file}.lock`, use);
    if (lock) return () => lock.destroy();
    if (!isReported)
      wait.report(
        `${file} is in use by another Farmboard service. Waiting up to ${wait.atMost / 1000} s for it to stop.`,
      );
    isReported = true;
    if (Date.now() >= until) throw inUse(file, wait.atMost);
    await setTimeout(RETRY_MS, undefined, { signal: wait.signal });
  }
}

/** @returns undefined if another process holds it @throws SettingError if it can't be locked */
async function tryLock(lockFile: string, use: keyof typeof LOCKS): Promise<Knex | undefined> {
  // its only connection stays open, and in the transaction; nothing is written, so a full disk does no harm
  const db = openSqlite(lockFile, 'PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY;', { min: 1, max: 1 });
  try {
    createSqliteFile(lockFile);
    for (const statement of LOCKS[use]) await db.raw(statement);
    return db;
  } catch (error) {
    await db.destroy();
    const { code, message } = error as Error & { code?: string };
    if (code === 'SQLITE_BUSY') return undefined;
    throw new SettingError('DATABASE_URL', `its lock file ${lockFile} cannot be used (${message})${adviceFor(error)}`);
  }
}

const inUse = (file: string, waited: number): SettingError =>
  new SettingError(
    'DATABASE_URL',
    `${file} is in use by another Farmboard service, which did not stop within ${waited / 1000} s. Stop it first, or give this one a database of its own; with REDIS_URL, several processes can share one.`,
  );
