import { deleteCounts } from './counters.ts';
import { type Db, query } from './dialect.ts';
import type { Storage } from './open.ts';
import { type ExpiredRows, purgeRows } from './purge.ts';

/** By what somebody outside reaches an account; sessions, whose end is announced, are not among them. */
const ENTRANCES = ['tokens', 'agents', 'profiles'];

interface OwnRows extends Pick<ExpiredRows, 'table' | 'key'> {
  /** a table of the account that the rows belong to, and the column that refers to it; undefined: the account itself */
  of?: { table: string; column: string };
}

/**
 * The tables in which an account can have many rows, those that others refer to last. A filament and a file have many
 * themselves; the little that an order, invoice or event has goes with it.
 */
const LONG_TABLES: OwnRows[] = [
  { table: 'idempotency_keys', key: ['account_id', 'key'] },
  { table: 'sample_records', key: ['account_id', 'kind', 'record_id'] },
  { table: 'refused_reports', key: ['id'] },
  { table: 'print_reports', key: ['seq'] },
  { table: 'events', key: ['seq'] },
  { table: 'invoice_payments', key: ['seq'] },
  { table: 'invoices', key: ['id'] },
  { table: 'leads', key: ['id'] },
  { table: 'file_chunks', key: ['file_id', 'number'], of: { table: 'files', column: 'file_id' } },
  { table: 'files', key: ['id'] },
  { table: 'filament_ledger', key: ['seq'], of: { table: 'filaments', column: 'filament_id' } },
  { table: 'filaments', key: ['id'] },
  { table: 'orders', key: ['id'] },
  { table: 'printers', key: ['id'] },
  { table: 'printer_groups', key: ['id'] },
  { table: 'sessions', key: ['id'] },
];

/** Ends all access to an account from outside but by its sessions. */
export async function closeAccount(db: Db, accountId: string): Promise<void> {
  for (const table of ENTRANCES) await query(db, `DELETE FROM ${table} WHERE account_id = ?`, [accountId]);
}

/** What an account has in tables that may be long, in the order in which it can be deleted. */
export const rowsOfAccount = (accountId: string): ExpiredRows[] =>
  LONG_TABLES.map(({ of, ...rows }) => ({
    ...rows,
    where: of ? `t.${of.column} IN (SELECT id FROM ${of.table} WHERE account_id = ?)` : 't.account_id = ?',
    values: [accountId],
  }));

/**
 * Deletes an account with everything in it: in pieces, so that writers hardly wait, and the account last, with the
 * little that is left. It should be closed before.
 * @param isStopping ends it early; the rest is deleted the next time
 */
export async function deleteAccount(
  storage: Pick<Storage, 'read' | 'inTransaction'>,
  accountId: string,
  isStopping: () => boolean,
): Promise<void> {
  for (const rows of rowsOfAccount(accountId)) await purgeRows(storage, rows, isStopping);
  if (isStopping()) return;
  await storage.inTransaction(
    async ({ db }) => {
      await query(db, 'DELETE FROM accounts WHERE id = ?', [accountId]);
      await deleteCounts(db, accountId);
    },
    { isLong: true },
  );
}
