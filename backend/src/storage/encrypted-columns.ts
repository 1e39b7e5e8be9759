import { type Db, query, type Value } from './dialect.ts';

/** Rows in memory at a time. */
const PAGE_SIZE = 500;

/** The columns of a table whose values are encrypted. Its key is `id`. */
export interface EncryptedColumns {
  table: string;
  /** each with the encryption context of a row's value */
  columns: Record<string, (id: string) => string>;
}

/**
 * Changes every encrypted value of a table.
 * @param change returns the value that replaces it (null clears it), or the same one to leave it
 */
export async function changeEncrypted(
  db: Db,
  { table, columns }: EncryptedColumns,
  change: (value: string, context: string, id: string) => string | null,
): Promise<void> {
  const names = Object.keys(columns);
  const changed = (row: Record<string, string | null>): Value[] =>
    names.map((name) => {
      const value = row[name] ?? null;
      const id = row.id as string;
      return value === null ? null : change(value, (columns[name] as (id: string) => string)(id), id);
    });
  const select = `SELECT id, ${names.join(', ')} FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PAGE_SIZE}`;
  const update = `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`;
  let rows: Record<string, string | null>[];
  let last = '';
  do {
    rows = await query<Record<string, string | null>>(db, select, [last]);
    for (const row of rows) {
      const values = changed(row);
      if (values.some((value, i) => value !== (row[names[i] as string] ?? null)))
        await query(db, update, [...values, row.id as string]);
    }
    last = rows.at(-1)?.id ?? '';
  } while (rows.length === PAGE_SIZE);
}
