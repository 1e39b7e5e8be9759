import { TERMINAL_STATUSES } from '../orders/status.ts';
import { type Db, placeholders, query, queryOne } from '../storage/dialect.ts';
import type { ExpiredRows } from '../storage/purge.ts';

/** Bytes per row, 64 kB as base64. Copying a database holds some hundred rows in memory at once. */
const CHUNK_BYTES = 48 * 1024;
const CHUNKS_AT_ONCE = 16;

export interface NewFile {
  id: string;
  accountId: string;
  purpose: 'lead' | 'photo';
  name: string;
  kind: string;
  content: Buffer;
  at: number;
}

export async function insertFile(db: Db, { content, ...file }: NewFile): Promise<void> {
  await query(
    db,
    'INSERT INTO files (id, account_id, purpose, name, kind, bytes, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [file.id, file.accountId, file.purpose, file.name, file.kind, content.length, file.at],
  );
  const count = Math.ceil(content.length / CHUNK_BYTES);
  for (let first = 0; first < count; first += CHUNKS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(CHUNKS_AT_ONCE, count - first) }, (_, index) => first + index);
    await query(
      db,
      `INSERT INTO file_chunks (file_id, number, data) VALUES ${placeholders(numbers.length, 3)}`,
      numbers.flatMap((number) => [
        file.id,
        number,
        content.toString('base64', number * CHUNK_BYTES, Math.min(content.length, (number + 1) * CHUNK_BYTES)),
      ]),
    );
  }
}

export interface StoredFile {
  id: string;
  purpose: NewFile['purpose'];
  name: string;
  kind: string;
  bytes: number;
}

export const findFile = (db: Db, accountId: string, id: string): Promise<StoredFile | undefined> =>
  queryOne<StoredFile>(db, 'SELECT id, purpose, name, kind, bytes FROM files WHERE id = ? AND account_id = ?', [
    id,
    accountId,
  ]);

export async function readContent(db: Db, id: string): Promise<Buffer> {
  const rows = await query<{ data: string }>(db, 'SELECT data FROM file_chunks WHERE file_id = ? ORDER BY number', [
    id,
  ]);
  return Buffer.concat(rows.map(({ data }) => Buffer.from(data, 'base64')));
}

/** Deletes a file with its content. */
export async function deleteFile(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM files WHERE id = ?', [id]);
}

/** The total size in bytes of the files attached to requests. */
export async function countBytes(db: Db, accountId: string): Promise<number> {
  const row = await queryOne<{ total: number | string | null }>(
    db,
    "SELECT sum(bytes) AS total FROM files WHERE account_id = ? AND purpose = 'lead'",
    [accountId],
  );
  return Number(row?.total ?? 0);
}

/** Files of requests that were archived before the given time (ms), unless the order made from one is still open. */
export const expiredFiles = (archivedBefore: number): ExpiredRows => ({
  table: 'files',
  key: ['id'],
  where: `t.purpose = 'lead' AND EXISTS (
    SELECT 1 FROM leads l LEFT JOIN orders o ON o.id = l.order_id
    WHERE l.file_id = t.id AND l.state = 'archived' AND l.updated_at < ?
      AND (o.id IS NULL OR o.workflow_status IN ${placeholders(1, TERMINAL_STATUSES.length)}))`,
  values: [archivedBefore, ...TERMINAL_STATUSES],
  // SQLite overwrites up to 27 MB of base64 for each
  maxBatchRows: 1,
});
