import { DomainError } from '../shared/errors.ts';
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
import * as addPasswordChecks from './migrations/20261123100000_add_password_checks.ts';
import * as addInvoicePdfs from './migrations/20261123120000_add_invoice_pdfs.ts';
import * as hashNamedPaymentLinks from './migrations/20261123123000_hash_named_payment_links.ts';
import type { Storage } from './open.ts';

interface Migration {
  name: string;
  up(db: Db): Promise<void>;
}

/** In order, append-only. Listed explicitly, because reading a folder at run time differs between source and build. */
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
  { name: '20261123100000_add_password_checks', up: addPasswordChecks.up },
  { name: '20261123120000_add_invoice_pdfs', up: addInvoicePdfs.up },
  { name: '20261123123000_hash_named_payment_links', up: hashNamedPaymentLinks.up },
];

/** The id of this database, shared by all its processes. */
export async function readDeployment(storage: Storage): Promise<string> {
  const [{ id }] = (await query<{ id: string }>(storage.read, 'SELECT id FROM deployment')) as [{ id: string }];
  return id;
}

/** Any fixed number. PostgreSQL releases this lock when the transaction ends, even if the process dies. */
const ADVISORY_LOCK = 7_260_427;

/**
 * Runs all missing migrations in one transaction together with their records, so that of many processes starting at
 * once one runs them all. Both engines roll back schema changes, so a failed migration leaves the database unchanged.
 * Safe at every start, because the transaction holds the engine's own lock. Knex's migrator keeps its lock in a row,
 * which a killed process would leave locked forever.
 * @returns the names of the migrations that ran
 * @throws DomainError validation_error if a newer version has changed the schema; nothing is written
 */
export const migrate = (storage: Storage): Promise<string[]> =>
  storage.inTransaction(async ({ db }) => {
    await lockSchema(db);
    return migrateIn(db);
  });

/** Locks the schema until the transaction ends. SQLite's writer locks the whole file anyway. */
export async function lockSchema(db: Db): Promise<void> {
  if (isPostgres(db)) await query(db, `SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
}

/** As `migrate`, in a transaction that holds the lock. */
export async function migrateIn(db: Db): Promise<string[]> {
  await query(db, 'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, ran_at BIGINT NOT NULL)');
  const done = new Set(await listMigrations(db));
  requireKnown(done, 'The database');
  const ran: string[] = [];
  for (const migration of MIGRATIONS.filter(({ name }) => !done.has(name))) {
    await migration.up(db);
    await query(db, 'INSERT INTO schema_migrations (name, ran_at) VALUES (?, ?)', [migration.name, Date.now()]);
    ran.push(migration.name);
  }
  return ran;
}

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
