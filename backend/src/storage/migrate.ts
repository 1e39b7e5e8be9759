import { setTimeout } from 'node:timers/promises';
import { DomainError } from '../shared/errors.ts';
import type { Db } from './dialect.ts';
import { isPostgres, query, queryOne } from './dialect.ts';
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
import * as addListIndexes from './migrations/20261124100000_add_list_indexes.ts';
import * as addCounters from './migrations/20261124120000_add_counters.ts';
import * as addOrderSearch from './migrations/20261124130000_add_order_search.ts';
import * as addBackupSchedule from './migrations/20261124150000_add_backup_schedule.ts';
import * as addEventTraceparent from './migrations/20261124170000_add_event_traceparent.ts';
import * as addGramsText from './migrations/20261128060000_add_grams_text.ts';
import * as addRefusedReports from './migrations/20261128060000_add_refused_reports.ts';
import * as addStockMarks from './migrations/20261128060000_add_stock_marks.ts';
import * as addChannelKeys from './migrations/20261128120000_add_channel_keys.ts';
import * as normalizeEmails from './migrations/20261128130000_normalize_emails.ts';
import * as addSimulations from './migrations/20261129010000_add_simulations.ts';
import * as addExternalIds from './migrations/20261129060000_add_external_ids.ts';
import * as addReadOnlyTokens from './migrations/20261129060000_add_read_only_tokens.ts';
import * as addPreviousSecrets from './migrations/20261129120000_add_previous_secrets.ts';
import * as addPauses from './migrations/20261129130000_add_pauses.ts';
import * as deferSearchMerges from './migrations/20261130020000_defer_search_merges.ts';
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
  { name: '20261124100000_add_list_indexes', up: addListIndexes.up, online: addListIndexes.online },
  { name: '20261124120000_add_counters', up: addCounters.up, online: addCounters.online },
  { name: '20261124130000_add_order_search', up: addOrderSearch.up, online: addOrderSearch.online },
  { name: '20261124150000_add_backup_schedule', up: addBackupSchedule.up },
  { name: '20261124170000_add_event_traceparent', up: addEventTraceparent.up, online: addEventTraceparent.online },
  { name: '20261128060000_add_grams_text', up: addGramsText.up, online: addGramsText.online },
  { name: '20261128060000_add_refused_reports', up: addRefusedReports.up },
  { name: '20261128060000_add_stock_marks', up: addStockMarks.up, online: addStockMarks.online },
  { name: '20261128120000_add_channel_keys', up: addChannelKeys.up, online: addChannelKeys.online },
  { name: '20261128130000_normalize_emails', up: normalizeEmails.up },
  { name: '20261129010000_add_simulations', up: addSimulations.up },
  { name: '20261129060000_add_external_ids', up: addExternalIds.up, online: addExternalIds.online },
  { name: '20261129060000_add_read_only_tokens', up: addReadOnlyTokens.up, online: addReadOnlyTokens.online },
  { name: '20261129120000_add_previous_secrets', up: addPreviousSecrets.up, online: addPreviousSecrets.online },
  { name: '20261129130000_add_pauses', up: addPauses.up, online: addPauses.online },
  { name: '20261130020000_defer_search_merges', up: deferSearchMerges.up },
];

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
