import { newId } from '../../shared/ids.ts';
import { type Db, query } from '../dialect.ts';

/** Adds an id of this database, which names shared resources of its processes, such as Redis keys. */
export async function up(db: Db): Promise<void> {
  await query(db, 'CREATE TABLE deployment (id TEXT PRIMARY KEY)');
  await query(db, 'INSERT INTO deployment (id) VALUES (?)', [newId()]);
}
