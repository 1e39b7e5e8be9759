import type { Db } from './dialect.ts';
import { isPostgres, query } from './dialect.ts';
import * as createOrderBook from './migrations/20261121120000_create_order_book.ts';
import * as nameDeployment from './migrations/20261121160000_name_deployment.ts';
import * as addSessions from './migrations/20261121190000_add_sessions.ts';
import * as addSampleRecords from './migrations/20261121210000_add_sample_records.ts';
import * as addUndo from './migrations/20261121220000_add_undo.ts';
import * as addFigureIndexes from './migrations/20261121223000_add_figure_indexes.ts';
import * as addAgents from './migrations/20261122010000_add_agents.ts';
import * as addLeads from './migrations/20261122020000_add_leads.ts';
import * as addInvoices from './migrations/20261122030000_add_invoices.ts';
import * as addAccountCurrency from './migrations/20261122233000_add_account_currency.ts';
import type { Storage } from './open.ts';

interface Migration {
  name: string;
  up(db: Db): Promise<void>;
}

/** In order, append only. The list is explicit because a folder read at run time differs between source and build. */
export const MIGRATIONS: Migration[] = [
  { name: '20261121120000_create_order_book', up: createOrderBook.up },
  { name: '20261121160000_name_deployment', up: nameDeployment.up },
  { name: '20261121190000_add_sessions', up: addSessions.up },
  { name: '20261121210000_add_sample_records', up: addSampleRecords.up },
  { name: '20261121220000_add_undo', up: addUndo.up },
  { name: '20261121223000_add_figure_indexes', up: addFigureIndexes.up },
  { name: '20261122010000_add_agents', up: addAgents.up },
  { name: '20261122020000_add_leads', up: addLeads.up },
  { name: '20261122030000_add_invoices', up: addInvoices.up },
  { name: '20261122233000_add_account_currency', up: addAccountCurrency.up },
];

/** The name of this database, the same for every process on it. */
export async function readDeployment(storage: Storage): Promise<string> {
  const [{ id }] = (await query<{ id: string }>(storage.read, 'SELECT id FROM deployment')) as [{ id: string }];
  return id;
}

/** Any fixed number: PostgreSQL holds this lock until the transaction ends, however its process ends. */
const ADVISORY_LOCK = 7_260_427;

/**
 * Brings the schema up to date: all missing migrations in one transaction, with the rows that say they ran, so that of
 * many processes starting at once one runs them all and the others find nothing to do. Both engines take changes of the
 * schema back with the transaction, so a migration that fails leaves the database as it was.
 * Safe at every start: the transaction holds the engine's own lock. (Knex's migrator keeps its lock in a row, which a
 * killed process leaves locked for ever; that is why it is not used here.)
 * @returns the names of the migrations that ran now
 */
export const migrate = (storage: Storage): Promise<string[]> =>
  storage.inTransaction(async ({ db }) => {
    await lockSchema(db);
    return migrateIn(db);
  });

/** Waits for whoever is changing the schema and keeps others from it until the transaction ends. SQLite's holds the file. */
export async function lockSchema(db: Db): Promise<void> {
  if (isPostgres(db)) await query(db, `SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
}

/** As `migrate`, in a transaction that holds the lock. */
export async function migrateIn(db: Db): Promise<string[]> {
  await query(db, 'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, ran_at BIGINT NOT NULL)');
  const done = new Set(await listMigrations(db));
  const ran: string[] = [];
  for (const migration of MIGRATIONS.filter(({ name }) => !done.has(name))) {
    await migration.up(db);
    await query(db, 'INSERT INTO schema_migrations (name, ran_at) VALUES (?, ?)', [migration.name, Date.now()]);
    ran.push(migration.name);
  }
  return ran;
}

/** The migrations this database has had. */
export const listMigrations = async (db: Db): Promise<string[]> =>
  (await query<{ name: string }>(db, 'SELECT name FROM schema_migrations')).map(({ name }) => name);
