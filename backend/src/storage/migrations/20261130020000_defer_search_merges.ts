import { type Db, isPostgres, query } from '../dialect.ts';

/**
 * Leaves what deleted orders have in SQLite's search index to the merges that new orders cause. The merges that
 * deletions cause read as many pages as were deleted, during the commit: 40,000 orders held the writer for a second.
 */
export async function up(db: Db): Promise<void> {
  if (isPostgres(db)) return;
  await query(db, "INSERT INTO order_search (order_search, rank) VALUES ('deletemerge', 0)");
}
