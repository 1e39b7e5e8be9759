import { createHash } from 'node:crypto';
import { DomainError } from '../../shared/errors.ts';
import { type Db, isPostgres, placeholders, query, type Row, type Value } from '../dialect.ts';
import type { Table } from '../schema.ts';

/** Rows in memory at a time. */
const PAGE_SIZE = 500;

/** The content of a table: equal on every engine if every value of every row is equal. */
export interface Tally {
  rows: number;
  /** SHA-256 of the rows in key order */
  checksum: string;
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/**
 * Reads a table in key order, by bytes on both engines.
 * @param onPage receives each page, with rows as the JSON texts that the checksum covers
 */
export async function walk(
  db: Db,
  table: Table,
  onPage: (rows: string[]) => Promise<void> = async () => undefined,
): Promise<Tally> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of isPostgres(db) ? readWithCursor(db, table) : readByKey(db, table)) {
    const texts = page.map((row) => toText(table, row));
    for (const text of texts) hash.update(text).update('\n');
    rows += texts.length;
    await onPage(texts);
  }
  return { rows, checksum: hash.digest('hex') };
}

/** Encodes a row as an array of values. SQLite accepts any value in any column, so each is checked against its type. */
function toText(table: Table, row: Row): string {
  const values = table.columns.map(({ name, kind }) => {
    const value = row[name];
    if (value === null || (kind === 'text' ? typeof value === 'string' : Number.isSafeInteger(value))) return value;
    const where = table.key.map((key) => `${key} ${row[key]}`).join(', ');
    throw new DomainError('validation_error', `${table.name}.${name} of ${where} is not a valid ${kind}.`);
  });
  return JSON.stringify(values);
}

/**
 * PostgreSQL: reads with a cursor, because the index uses a linguistic collation, and sorting for every page would be
 * slow.
 */
async function* readWithCursor(db: Db, table: Table): AsyncGenerator<Row[]> {
  const order = table.key.map((name) => {
    const isText = table.columns.find((column) => column.name === name)?.kind === 'text';
    return `"${name}"${isText ? ' COLLATE "C"' : ''}`;
  });
  await query(
    db,
    `DECLARE pages NO SCROLL CURSOR FOR SELECT ${quoted(table.columns.map(({ name }) => name))} FROM "${table.name}" ORDER BY ${order.join(', ')}`,
  );
  for (;;) {
    const page = await query(db, `FETCH ${PAGE_SIZE} FROM pages`);
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) break;
  }
  await query(db, 'CLOSE pages');
}

/** SQLite: reads by keyset pagination. */
async function* readByKey(db: Db, table: Table): AsyncGenerator<Row[]> {
  const select = `SELECT ${quoted(table.columns.map(({ name }) => name))} FROM "${table.name}"`;
  const rest = `ORDER BY ${quoted(table.key)} LIMIT ${PAGE_SIZE}`;
  const after = `WHERE (${quoted(table.key)}) > ${placeholders(1, table.key.length)}`;
  let page = await query(db, `${select} ${rest}`);
  for (;;) {
    if (page.length > 0) yield page;
    const last = page[PAGE_SIZE - 1];
    if (!last) return;
    page = await query(
      db,
      `${select} ${after} ${rest}`,
      table.key.map((name) => last[name] as Value),
    );
  }
}

/** Inserts rows as returned by `walk`, in one statement with a single JSON value. */
export async function insertRows(db: Db, table: Table, rows: string[]): Promise<void> {
  const values = table.columns.map(({ kind }, i) => `CAST(r.value ->> ${i} AS ${kind === 'text' ? 'TEXT' : 'BIGINT'})`);
  const from = isPostgres(db) ? 'jsonb_array_elements(CAST(? AS JSONB)) r (value)' : 'json_each(?) r';
  await query(
    db,
    `INSERT INTO "${table.name}" (${quoted(table.columns.map(({ name }) => name))}) SELECT ${values.join(', ')} FROM ${from}`,
    [`[${rows.join(',')}]`],
  );
}

/** The highest number ever assigned, even if its row was deleted. */
export async function lastNumber(db: Db, table: Table): Promise<number> {
  const [row] = await query<{ last: number | null }>(
    db,
    isPostgres(db)
      ? 'SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(?, ?) AS regclass)) AS last'
      : 'SELECT seq AS last FROM sqlite_sequence WHERE name = ?',
    isPostgres(db) ? [table.name, table.key[0] as string] : [table.name],
  );
  return row?.last ?? 0;
}

/** New rows continue after this number. */
export async function setLastNumber(db: Db, table: Table, last: number): Promise<void> {
  if (last === 0) return;
  if (isPostgres(db)) {
    await query(db, 'SELECT setval(pg_get_serial_sequence(?, ?), ?)', [table.name, table.key[0] as string, last]);
    return;
  }
  await query(db, 'DELETE FROM sqlite_sequence WHERE name = ?', [table.name]);
  await query(db, 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))', [table.name, last]);
}
