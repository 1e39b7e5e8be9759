import { lookupTable } from '../../../common/src/lookup-table.ts';
import { DomainError } from '../shared/errors.ts';
import { type Db, isPostgres, query } from './dialect.ts';
import { listMigrations, MIGRATIONS, migrate, requireKnown } from './migrate.ts';
import { openStorage } from './open.ts';

export interface Table {
  name: string;
  columns: { name: string; kind: 'text' | 'integer' }[];
  /** columns of the primary key, in order */
  key: string[];
  /** whether the key is an auto-increment number */
  isAutoIncrement: boolean;
}

/**
 * Tables that triggers fill from others, on either engine or one of them. Nothing copies or compares them: the triggers
 * of the target fill them as its rows arrive.
 */
export const DERIVED_TABLES: ReadonlySet<string> = new Set([
  'order_counts',
  'event_counts',
  'order_search_keys',
  'order_search',
  // where FTS5 stores it
  'order_search_config',
  'order_search_data',
  'order_search_docsize',
  'order_search_idx',
]);

const KINDS = lookupTable<Table['columns'][number]['kind']>({
  TEXT: 'text',
  BIGINT: 'integer',
  SMALLINT: 'integer',
  INTEGER: 'integer',
});

/**
 * Describes all tables created by the migrations but derived ones, referenced tables first. Read from a database in
 * memory, so that one description fits both engines and no migration is missed.
 * @throws Error if a migration created something that cannot be copied, which tests detect
 */
export async function describeTables(): Promise<Table[]> {
  const storage = await openStorage({ engine: 'sqlite', file: ':memory:' });
  try {
    await migrate(storage);
    const waiting = new Map<string, { table: Table; references: string[] }>();
    for (const name of await listTables(storage.read)) {
      if (name !== 'schema_migrations' && !DERIVED_TABLES.has(name))
        waiting.set(name, await describeTable(storage.read, name));
    }
    const ordered: Table[] = [];
    while (waiting.size > 0) {
      const ready = [...waiting.values()].filter(({ references }) => !references.some((name) => waiting.has(name)));
      if (ready.length === 0) throw new Error(`${[...waiting.keys()].join(', ')} refer to each other in a cycle`);
      for (const { table } of ready) {
        ordered.push(table);
        waiting.delete(table.name);
      }
    }
    return ordered;
  } finally {
    await storage.close();
  }
}

async function describeTable(db: Db, name: string): Promise<{ table: Table; references: string[] }> {
  const columns = await query<{ name: string; type: string; pk: number }>(db, `PRAGMA table_info("${name}")`);
  const references = await query<{ table: string }>(db, `PRAGMA foreign_key_list("${name}")`);
  const [created] = await query<{ sql: string }>(db, 'SELECT sql FROM sqlite_master WHERE name = ?', [name]);
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (key.length === 0) throw new Error(`${name} has no primary key`);
  return {
    table: {
      name,
      columns: columns.map((column) => {
        const kind = KINDS.get(column.type);
        if (!kind) throw new Error(`${name}.${column.name}: ${column.type} is a type that cannot be copied`);
        return { name: column.name, kind };
      }),
      key: key.map((column) => column.name),
      isAutoIncrement: /\bAUTOINCREMENT\b/.test(created?.sql ?? ''),
    },
    references: references.map(({ table }) => table),
  };
}

/** Lists all tables in the database, including those of other programs. */
export async function listTables(db: Db): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db,
    isPostgres(db)
      ? `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') ORDER BY c.relname`
      : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name",
  );
  return rows.map(({ name }) => name);
}

/** @throws DomainError validation_error if the database does not have exactly the current schema */
export async function requireCurrentSchema(db: Db, what: string): Promise<void> {
  const refuse = (detail: string) => new DomainError('validation_error', `${what} ${detail}`);
  if (!(await listTables(db)).includes('schema_migrations')) throw refuse('is not a Farmboard database.');
  const done = await listMigrations(db);
  requireKnown(done, what);
  const missing = MIGRATIONS.map(({ name }) => name).find((name) => !done.includes(name));
  if (missing) {
    throw refuse(
      `was written by an older version of Farmboard (missing: ${missing}). Run "farmboard migrate" on it first. For a backup, migrate a copy of the file.`,
    );
  }
}
