import { type Db, query, queryOne } from '../storage/dialect.ts';

/** The table of each kind of sample record. */
const TABLES = {
  order: 'orders',
  filament: 'filaments',
  printer: 'printers',
  printer_group: 'printer_groups',
  lead: 'leads',
  invoice: 'invoices',
} as const;
/** An account that has none of these is empty. */
const MAIN_KINDS = ['order', 'filament', 'printer', 'printer_group'] as const;
export type SampleKind = keyof typeof TABLES;

/** Whether the account has no orders, filaments, printers or groups. */
export async function isEmpty(db: Db, accountId: string): Promise<boolean> {
  for (const kind of MAIN_KINDS) {
    if (await queryOne(db, `SELECT id FROM ${TABLES[kind]} WHERE account_id = ? LIMIT 1`, [accountId])) return false;
  }
  return true;
}

export async function hasSample(db: Db, accountId: string): Promise<boolean> {
  const found = await queryOne(db, 'SELECT record_id FROM sample_records WHERE account_id = ? LIMIT 1', [accountId]);
  return found !== undefined;
}

export async function insertSampleRecord(
  db: Db,
  accountId: string,
  kind: SampleKind | 'event',
  id: string,
): Promise<void> {
  await query(db, 'INSERT INTO sample_records (account_id, kind, record_id) VALUES (?, ?, ?)', [accountId, kind, id]);
}

/** The ids of the sample records of a kind that still exist. */
export async function listSampleRecords(db: Db, accountId: string, kind: SampleKind): Promise<string[]> {
  const rows = await query<{ record_id: string }>(
    db,
    `SELECT s.record_id FROM sample_records s JOIN ${TABLES[kind]} t ON t.id = s.record_id AND t.account_id = s.account_id
     WHERE s.account_id = ? AND s.kind = ?`,
    [accountId, kind],
  );
  return rows.map(({ record_id }) => record_id);
}

/** The positions in the log of all sample events, also of those that have expired. */
export async function listSampleEvents(db: Db, accountId: string): Promise<number[]> {
  const rows = await query<{ record_id: string }>(
    db,
    "SELECT record_id FROM sample_records WHERE account_id = ? AND kind = 'event'",
    [accountId],
  );
  return rows.map(({ record_id }) => Number(record_id));
}

export async function deleteSampleRecords(db: Db, accountId: string): Promise<void> {
  await query(db, 'DELETE FROM sample_records WHERE account_id = ?', [accountId]);
}
