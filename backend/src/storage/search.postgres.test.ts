import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createLogger } from '../../../common/src/logger.ts';
import { createTestDatabase, POSTGRES_URL, runOnPostgres, type TestDatabase } from '../../../test/kit/engine.ts';
import { MIGRATIONS, migrate } from './migrate.ts';
import { openStorage, type Storage } from './open.ts';
import { hasSearchIndex } from './search.ts';

let database: TestDatabase;
let role: string;
let storage: Storage;

beforeEach(async () => {
  database = createTestDatabase();
  const { pathname } = new URL(database.url);
  role = pathname.slice(1).replace('farmboard_test', 'farmboard_role');
  runOnPostgres(database.url, `CREATE ROLE ${role} LOGIN PASSWORD 'x'`, `GRANT ALL ON SCHEMA public TO ${role}`);
  storage = await openAs(role);
});

afterEach(async () => {
  await storage.close();
  database.drop();
  runOnPostgres(POSTGRES_URL, `DROP ROLE ${role}`);
});

const openAs = (username: string) =>
  openStorage(
    { engine: 'postgres', url: Object.assign(new URL(database.url), { username, password: 'x' }).href },
    createLogger('silent'),
  );

/** The statements that operators run later. */
function statementsOfGuide(): string[] {
  const guide = readFileSync(resolve('docs/reference/processes.md'), 'utf8');
  const [, block = ''] = /```sql\n(CREATE EXTENSION [^`]+)```/.exec(guide) ?? [];
  return block.trim().split('\n');
}

test('without the right to create the extension, all migrations run, and the guide says how to add the index', async () => {
  expect((await migrate(storage)).length).toBe(MIGRATIONS.length);
  expect(await hasSearchIndex(storage.read)).toBe(false);

  const statements = statementsOfGuide();
  expect(statements).toHaveLength(2);
  runOnPostgres(database.url, ...statements);
  expect(await hasSearchIndex(storage.read)).toBe(true);
});

test('an extension in another schema is used, and an index that an interrupted attempt left does not count', async () => {
  runOnPostgres(
    database.url,
    'CREATE SCHEMA "Ext"',
    'CREATE EXTENSION pg_trgm SCHEMA "Ext"',
    `GRANT USAGE ON SCHEMA "Ext" TO ${role}`,
  );
  await migrate(storage);
  expect(await hasSearchIndex(storage.read)).toBe(true);
  runOnPostgres(database.url, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'orders_search'::regclass");
  expect(await hasSearchIndex(storage.read)).toBe(false);
});
