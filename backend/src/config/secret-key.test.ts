import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from './config.ts';
import { findOrCreateSecretKey } from './secret-key.ts';

describe('the encryption key', () => {
  let folder: string;
  const sqlite = readConfig({});
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'farmboard-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is created once beside the database, readable by its owner only, and reused', () => {
    const file = join(folder, 'a.sqlite3');
    const first = findOrCreateSecretKey(sqlite, file);
    expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600);
    expect(findOrCreateSecretKey(sqlite, file)).toBe(first);
  });

  test('comes from the setting if there is one', () => {
    const key = 'k'.repeat(32);
    expect(findOrCreateSecretKey(readConfig({ SECRET_KEY: key }), join(folder, 'a.sqlite3'))).toBe(key);
  });

  test('an empty key file is refused', () => {
    const file = join(folder, 'a.sqlite3');
    writeFileSync(`${file}.key`, '\n');
    expect(() => findOrCreateSecretKey(sqlite, file)).toThrow(/SECRET_KEY.*does not contain a key/);
  });

  test('is required with PostgreSQL', () => {
    expect(() => findOrCreateSecretKey(readConfig({ DATABASE_URL: 'postgres://h/d' }), undefined)).toThrow(
      /SECRET_KEY/,
    );
  });
});
