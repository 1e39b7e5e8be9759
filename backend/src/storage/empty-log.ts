import { isPostgres, query } from './dialect.ts';
import { openSqlite, type Storage } from './open.ts';

/**
 * Empties SQLite's write-ahead log, which contains pages as they were before a deletion until others overwrite them.
 * Never waits, and nobody waits long for it: what a reader or another writer still needs stays until the next time.
 */
export async function emptyLog({ file, writer }: Pick<Storage, 'file' | 'writer'>): Promise<void> {
  if (file === undefined || isPostgres(writer)) return;
  // the writer's connection would wait for readers, and requests for it
  const db = openSqlite(file, 'PRAGMA busy_timeout = 0;', { min: 0, max: 1 });
  try {
    await query(db, 'PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    await db.destroy();
  }
}
