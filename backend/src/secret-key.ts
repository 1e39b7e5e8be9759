import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Config, SettingError } from './config.ts';

/** @throws SettingError naming SECRET_KEY where it must be set and is not */
export function checkSecretKey(config: Config): void {
  if (config.secretKey === undefined && config.database.engine === 'postgres') {
    throw new SettingError(
      'SECRET_KEY',
      'must be set with PostgreSQL, the same for every process (openssl rand -base64 32)',
    );
  }
}

/**
 * The key that stored secrets are sealed with: `SECRET_KEY`, or a file of mode 0600 beside the SQLite file, made at the first
 * start. Processes that start at once all get the one that was first.
 * @returns the key, and whether it was made just now
 * @throws SettingError naming SECRET_KEY when there is neither and none can be made
 */
export function readSecretKey(config: Config, databaseFile: string | undefined): { key: string; isNew: boolean } {
  if (config.secretKey !== undefined) return { key: config.secretKey, isNew: false };
  checkSecretKey(config);
  if (databaseFile === undefined) return { key: randomBytes(32).toString('base64'), isNew: true };
  const path = `${databaseFile}.key`;
  const read = () => {
    const key = readFileSync(path, 'utf8').trim();
    if (key.length >= 32) return key;
    throw new SettingError('SECRET_KEY', `the key file ${path} holds no key of at least 32 characters`);
  };
  try {
    return { key: read(), isNew: false };
  } catch (error) {
    if (error instanceof SettingError) throw error;
    if ((error as { code?: string }).code !== 'ENOENT') {
      throw new SettingError('SECRET_KEY', `the key file ${path} cannot be read (${(error as Error).message})`);
    }
  }
  // written whole under another name first: a key file is never seen half written, and never replaced
  const aside = `${path}.${randomUUID()}`;
  try {
    writeFileSync(aside, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(aside, path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') {
      throw new SettingError('SECRET_KEY', `no key file can be made at ${path} (${(error as Error).message})`);
    }
  } finally {
    rmSync(aside, { force: true });
  }
  return { key: read(), isNew: true };
}
