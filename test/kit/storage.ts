import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { insertAccount } from '../../backend/src/accounts/account-store.ts';
import { newId } from '../../backend/src/shared/ids.ts';
import { query } from '../../backend/src/storage/dialect.ts';
import { migrate } from '../../backend/src/storage/migrate.ts';
import { openStorage, type Storage } from '../../backend/src/storage/open.ts';
import { count } from './count.ts';
import { copyMigratedDatabase, ENGINE, POSTGRES_URL, runOnPostgres } from './engine.ts';

export interface TestFolder {
  path(name: string): string;
  remove(): void;
}

export function createTestFolder(): TestFolder {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-unit-'));
  return {
    path: (name) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** PostgreSQL databases by the file that a test names, so that opening it twice gives the same one. */
const databases = new Map<string, string>();

/**
 * An open, migrated database: on SQLite in memory, or in the given file if readers need connections of their own; on
 * PostgreSQL a new database, which is dropped when its last handle is closed.
 */
export async function openTestStorage(file = ':memory:'): Promise<Storage> {
  count('databases');
  if (ENGINE === 'postgres') return openTestPostgres(file);
  const storage = await openStorage({ engine: 'sqlite', file });
  await migrate(storage);
  return storage;
}

async function openTestPostgres(file: string): Promise<Storage> {
  const known = file === ':memory:' ? undefined : databases.get(file);
  const made = known === undefined ? await copyMigratedDatabase() : undefined;
  const url = known ?? (made?.url as string);
  if (file !== ':memory:') databases.set(file, url);
  const storage = await openStorage({ engine: 'postgres', url });
  return {
    ...storage,
    file: file === ':memory:' ? undefined : file,
    async close() {
      await storage.close();
      await made?.drop();
      databases.delete(file);
    },
  };
}

/** Runs the work while the database is locked: by SQLite's lock, or by refusing connections on PostgreSQL. */
export async function whileUnusable(storage: Storage, work: () => Promise<void>): Promise<void> {
  if (ENGINE === 'sqlite') {
    await storage.writer.raw('PRAGMA busy_timeout = 0');
    const other = await openStorage({ engine: 'sqlite', file: storage.file as string });
    await other.inTransaction(work).finally(() => other.close());
    return;
  }
  const [{ name }] = (await query<{ name: string }>(storage.read, 'SELECT current_database() AS name')) as [
    { name: string },
  ];
  runOnPostgres(
    POSTGRES_URL,
    `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  await work().finally(() => runOnPostgres(POSTGRES_URL, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`));
}

/** An account for rows that need one. @returns its id */
export async function insertTestAccount(storage: Storage, at = 0): Promise<string> {
  const id = newId();
  await storage.inTransaction(({ db }) =>
    insertAccount(db, { id, email: `${id}@test.example`, name: 'Test farm', currency: 'RUB', passwordHash: 'x', at }),
  );
  return id;
}
