import { newId } from '../../shared/ids.ts';
import { type Db, query } from '../dialect.ts';

/** A name of this very database: what several processes on it share elsewhere (keys in Redis) is called after it. */
export async function up(db: Db): Promise<void> {
  await query(db, 'CREATE TABLE deployment (id TEXT PRIMARY KEY)');
  await query(db, 'INSERT INTO deployment (id) VALUES (?)', [newId()]);
}
