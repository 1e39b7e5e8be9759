import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { insertAccount } from '../accounts/store.ts';
import { newId } from '../ids.ts';
import { migrate } from '../storage/migrate.ts';
import { openStorage, type Storage } from '../storage/open.ts';

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

/** An open, migrated database: in memory, or in the given file where readers must be connections of their own. */
export async function openTestStorage(file = ':memory:'): Promise<Storage> {
  const storage = await openStorage({ engine: 'sqlite', file });
  await migrate(storage);
  return storage;
}

/** An account to hang rows on. @returns its id */
export async function insertTestAccount(storage: Storage, at = 0): Promise<string> {
  const id = newId();
  await storage.inTransaction(({ db }) =>
    insertAccount(db, { id, email: `${id}@test.example`, name: 'Test farm', passwordHash: 'x', at }),
  );
  return id;
}
