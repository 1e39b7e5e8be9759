import { DomainError } from '../../shared/errors.ts';
import { type Db, isPostgres, query, queryOne } from '../dialect.ts';
import { lockSchema, migrateIn } from '../migrate.ts';
import type { Storage } from '../open.ts';
import { describeTables, listTables, requireCurrentSchema, type Table } from '../schema.ts';
import { insertRows, lastNumber, setLastNumber, type Tally, walk } from './rows.ts';

export type TableTally = Tally & { table: string };

/** Reports each table, and the progress of large ones. */
export type Progress = (line: string) => void;

/** Tables with more rows report intermediate progress. */
const MIN_PROGRESS_ROWS = 20_000;

/**
 * Copies a whole database into an empty one, from any engine to any engine. The source is read in one snapshot during
 * normal operation. The target gets its schema, rows and sequences in one transaction, in which they are also read back
 * and compared, so that any failure leaves the target empty.
 * @param afterwards further changes to the copy in its transaction, after the comparison
 * @throws DomainError if the source does not have the current schema, the target is not empty, or the two differ
 */
export async function copyDatabase(
  source: Storage,
  target: Storage,
  progress: Progress = () => undefined,
  afterwards: (db: Db) => Promise<void> = async () => undefined,
): Promise<TableTally[]> {
  const tables = await describeTables();
  return source.inSnapshot(async (from) => {
    await requireCurrentSchema(from, 'The database to copy');
    return target.inTransaction(async ({ db: to }) => {
      await lockSchema(to);
      await requireEmpty(to);
      await migrateIn(to);
      // rows inserted by migrations are for new databases; the copy brings its own
      for (const { name } of [...tables].reverse()) await query(to, `DELETE FROM "${name}"`);
      const tallies: TableTally[] = [];
      for (const table of tables) tallies.push(await copyTable(from, to, table, progress));
      await compare(to, tables, tallies, progress);
      await afterwards(to);
      return tallies;
    });
  });
}

async function requireEmpty(db: Db): Promise<void> {
  const [first, ...others] = await listTables(db);
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  throw new DomainError(
    'validation_error',
    `The target is not empty (it contains the table ${first}${more}); nothing was changed. Use a file that doesn't exist yet, or a new PostgreSQL database (createdb).`,
  );
}

async function copyTable(from: Db, to: Db, table: Table, progress: Progress): Promise<TableTally> {
  const row = await queryOne<{ n: string | number }>(from, `SELECT count(*) AS n FROM "${table.name}"`);
  const expected = Number(row?.n);
  let copied = 0;
  let reportedPercent = 0;
  const tally = await walk(from, table, async (rows) => {
    await insertRows(to, table, rows);
    copied += rows.length;
    const percent = Math.floor((copied / expected) * 10) * 10;
    if (expected > MIN_PROGRESS_ROWS && percent > reportedPercent && percent < 100)
      progress(`${table.name}: ${percent}%`);
    reportedPercent = percent;
  });
  if (tally.rows !== expected) throw differs(table.name, expected, tally.rows);
  if (table.isAutoIncrement) await setLastNumber(to, table, await lastNumber(from, table));
  // PostgreSQL has no statistics until autovacuum runs, and queries would be slow for minutes
  if (isPostgres(to)) await query(to, `ANALYZE "${table.name}"`);
  progress(`${table.name}: ${tally.rows} rows copied`);
  return { table: table.name, ...tally };
}

/** Reads the copy back and compares it with the source. */
async function compare(db: Db, tables: Table[], tallies: TableTally[], progress: Progress): Promise<void> {
  progress('comparing');
  for (const [i, table] of tables.entries()) {
    const { rows, checksum } = tallies[i] as TableTally;
    const stored = await walk(db, table);
    if (stored.rows !== rows) throw differs(table.name, rows, stored.rows);
    if (stored.checksum !== checksum) throw differs(table.name, checksum, stored.checksum);
  }
}

const differs = (table: string, source: number | string, copy: number | string): DomainError =>
  new DomainError(
    'internal_error',
    `The copy doesn't match the source and was rolled back: ${table} has ${source} in the source and ${copy} in the copy.`,
  );

/** Counts and checksums all tables. */
export const tallyAll = async (storage: Storage): Promise<TableTally[]> => {
  const tables = await describeTables();
  return storage.inSnapshot(async (db) => {
    const tallies: TableTally[] = [];
    for (const table of tables) tallies.push({ table: table.name, ...(await walk(db, table)) });
    return tallies;
  });
};
