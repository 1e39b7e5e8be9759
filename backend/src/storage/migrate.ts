import { setTimeout } from 'node:timers/promises';
import { DomainError } from '../shared/errors.ts';
import type { Db } from './dialect.ts';
import { isPostgres, query, queryOne } from './dialect.ts';
import * as createSchema from './migrations/20261201000000_create_schema.ts';
import type { Storage } from './open.ts';

interface Migration {
  name: string;
  up(db: Db): Promise<void>;
  /**
   * Runs instead of `up` on PostgreSQL, outside a transaction, if `up` would make writers wait. Runs again after it was
   * interrupted.
   */
  online?(db: Db): Promise<void>;
}

/** In order, append-only. Listed explicitly, because reading a folder at run time differs between source and build. */
export const MIGRATIONS: Migration[] = [{ name: '20261201000000_create_schema', up: createSchema.up }];

/** The id of this database, shared by all its processes. */
export async function readDeployment(storage: Storage): Promise<string> {
  const [{ id }] = (await query<{ id: string }>(storage.read, 'SELECT id FROM deployment')) as [{ id: string }];
  return id;
}

/** Any fixed numbers. PostgreSQL releases these locks when the transaction ends, even if the process dies. */
const ADVISORY_LOCK = 7_260_427;
const ONLINE_LOCK = 7_260_428;
const LOCK_INTERVAL_MS = 100;

/**
 * Runs all missing migrations together with their records, so that of many processes starting at once one runs them
 * all. Safe at every start, because a transaction holds the engine's own lock. Knex's migrator keeps its lock in a row,
 * which a killed process would leave locked forever.
 *
 * They run in one transaction, up to the first that is online. Both engines roll back schema changes, so a failed
 * migration leaves the database unchanged.
 * @param report called with the name of each online migration before it runs, which can take minutes
 * @returns the names of the migrations that ran
 * @throws DomainError validation_error if a newer version has changed the schema; nothing is written
 */
export async function migrate(storage: Storage, report: (name: string) => void = () => undefined): Promise<string[]> {
  const ran: string[] = [];
  for (;;) {
    const { names, online } = await storage.inTransaction(async ({ db }) => {
      await lockSchema(db);
      return migrateUntilOnline(db);
    });
    ran.push(...names);
    if (!online) return ran;
    report(online.name);
    if (await migrateOnline(storage, online)) ran.push(online.name);
  }
}

/** Locks the schema until the transaction ends. SQLite's writer locks the whole file anyway. */
export async function lockSchema(db: Db): Promise<void> {
  if (isPostgres(db)) await query(db, `SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
}

/** As `migrate`, in a transaction that holds the lock: an online migration makes writers wait, too. */
export async function migrateIn(db: Db): Promise<string[]> {
  return run(db, await listMissing(db));
}

async function migrateUntilOnline(db: Db): Promise<{ names: string[]; online: Migration | undefined }> {
  const missing = await listMissing(db);
  // nobody waits for a database that is new
  const isInUse = missing.length < MIGRATIONS.length;
  const first = isInUse && isPostgres(db) ? missing.findIndex(({ online }) => online) : -1;
  const now = first < 0 ? missing : missing.slice(0, first);
  return { names: await run(db, now), online: missing[first] };
}

/** @returns whether it ran: another process may have been faster */
const migrateOnline = (storage: Storage, migration: Migration): Promise<boolean> =>
  storage.inTransaction(async ({ db }) => {
    // a statement that waits for a lock has a snapshot, and CREATE INDEX CONCURRENTLY waits for all of them
    while (!(await tryLock(db))) await setTimeout(LOCK_INTERVAL_MS);
    if ((await listMigrations(db)).includes(migration.name)) return false;
    await migration.online?.(storage.writer);
    await record(db, migration);
    return true;
  });

async function tryLock(db: Db): Promise<boolean> {
  const row = await queryOne<{ locked: boolean }>(db, `SELECT pg_try_advisory_xact_lock(${ONLINE_LOCK}) AS locked`);
  return row?.locked === true;
}

async function listMissing(db: Db): Promise<Migration[]> {
  await query(db, 'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, ran_at BIGINT NOT NULL)');
  const done = new Set(await listMigrations(db));
  requireKnown(done, 'The database');
  return MIGRATIONS.filter(({ name }) => !done.has(name));
}

/** @returns their names */
async function run(db: Db, migrations: Migration[]): Promise<string[]> {
  for (const migration of migrations) {
    await migration.up(db);
    await record(db, migration);
  }
  return migrations.map(({ name }) => name);
}

const record = (db: Db, { name }: Migration) =>
  query(db, 'INSERT INTO schema_migrations (name, ran_at) VALUES (?, ?)', [name, Date.now()]);

/** @throws DomainError validation_error if a newer version, whose tables this one doesn't know, has changed the schema */
export function requireKnown(done: Iterable<string>, what: string): void {
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const newer = [...done].find((name) => !known.has(name));
  if (newer === undefined) return;
  const detail = `${what} was written by a newer version of Farmboard (${newer}). Use that version, or restore a backup from before the upgrade.`;
  throw new DomainError('validation_error', detail);
}

/** The migrations that have run on this database. */
export const listMigrations = async (db: Db): Promise<string[]> =>
  (await query<{ name: string }>(db, 'SELECT name FROM schema_migrations')).map(({ name }) => name);
