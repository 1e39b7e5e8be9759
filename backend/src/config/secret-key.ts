import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readFileAtMost } from '../../../common/src/read-file.ts';
import { SettingError } from '../shared/setting-error.ts';
import { syncFolder } from '../shared/sync-folder.ts';
import { type Config, MAX_SECRET_FILE_BYTES, MIN_SECRET_LENGTH } from './config.ts';

/** @throws SettingError naming SECRET_KEY if it is required but missing */
export function checkSecretKey(config: Config): void {
  if (config.secretKey === undefined && config.database.engine === 'postgres') {
    throw new SettingError(
      'SECRET_KEY',
      'is required with PostgreSQL and must be the same for every process; generate one with openssl rand -base64 32',
    );
  }
}

/**
 * Finds an existing key: `SECRET_KEY`, or the key file beside the SQLite file. @throws SettingError if the key file is
 * invalid
 */
export function findSecretKey(secretKey: string | undefined, databaseFile: string | undefined): string | undefined {
  if (secretKey !== undefined || databaseFile === undefined) return secretKey;
  const path = keyFileOf(databaseFile);
  let key: string;
  try {
    key = readFileAtMost(path, MAX_SECRET_FILE_BYTES).toString('utf8').trim();
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw new SettingError('SECRET_KEY', `the key file ${path} cannot be read (${(error as Error).message})`);
  }
  if (key.length >= MIN_SECRET_LENGTH) return key;
  throw new SettingError(
    'SECRET_KEY',
    `the key file ${path} does not contain a key of at least ${MIN_SECRET_LENGTH} characters`,
  );
}

export const createSecretKey = (): string => randomBytes(32).toString('base64');

export const keyFileOf = (databaseFile: string): string => `${databaseFile}.key`;

/** Where the key of a database is, in words for the operator. @param databaseFile undefined on PostgreSQL */
export const placeOfKey = ({ secretKey }: Pick<Config, 'secretKey'>, databaseFile: string | undefined): string =>
  secretKey === undefined && databaseFile !== undefined ? keyFileOf(databaseFile) : 'SECRET_KEY';

/**
 * Finds the key that encrypts stored secrets, or creates it: a file with mode 0600 beside the SQLite file. Processes
 * that start concurrently all get the same key. Not for a database with values that are encrypted with another key.
 * @throws SettingError naming SECRET_KEY if there is no key and none can be created
 */
export function findOrCreateSecretKey(config: Config, databaseFile: string | undefined): string {
  checkSecretKey(config);
  const found = findSecretKey(config.secretKey, databaseFile);
  if (found !== undefined) return found;
  if (databaseFile === undefined) return createSecretKey();
  const path = keyFileOf(databaseFile);
  // write a temporary file and link it, so a key file is never partial and never replaced
  const temporaryFile = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporaryFile, `${createSecretKey()}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    linkSync(temporaryFile, path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') {
      throw new SettingError('SECRET_KEY', `the key file ${path} cannot be created (${(error as Error).message})`);
    }
  } finally {
    rmSync(temporaryFile, { force: true });
  }
  // without its key, a database that survives a power loss is useless
  syncFolder(dirname(path));
  return findSecretKey(undefined, databaseFile) as string;
}
