import { type Db, isPostgres, query, queryOne } from '../../dialect.ts';

/** An index for the search in orders. On SQLite triggers keep it. */
export async function createOrderSearch(db: Db): Promise<void> {
  if (!isPostgres(db)) return createSqliteIndex(db);
  const operators = await findOperators(db);
  if (operators) await query(db, `CREATE INDEX orders_search ON orders USING gin (search_text ${operators})`);
}

/**
 * The operator class of pg_trgm, which PostgreSQL may not have or not let us install: searches then read all texts.
 * Another role may have installed it in another schema.
 */
async function findOperators(db: Db): Promise<string | undefined> {
  const find = () =>
    queryOne<{ name: string }>(
      db,
      `SELECT format('%I.%I', n.nspname, c.opcname) AS name
       FROM pg_opclass c JOIN pg_namespace n ON n.oid = c.opcnamespace WHERE c.opcname = 'gin_trgm_ops'`,
    );
  const found = await find();
  if (found) return found.name;
  try {
    // a statement that fails would end the transaction of the migrations
    await db.transaction((trx) => query(trx, 'CREATE EXTENSION pg_trgm'));
  } catch {
    // the service reports that the index is missing
  }
  return (await find())?.name;
}

/**
 * The texts are indexed, not stored: a search checks the texts of the orders that it finds. Rows have numbers of their
 * own, because VACUUM may change the rowid of an order.
 */
async function createSqliteIndex(db: Db): Promise<void> {
  await query(db, 'CREATE TABLE order_search_keys (n INTEGER PRIMARY KEY, order_id TEXT NOT NULL UNIQUE)');
  await query(
    db,
    `CREATE VIRTUAL TABLE order_search USING
       fts5(search_text, content = '', contentless_delete = 1, tokenize = 'trigram', detail = none)`,
  );
  const key = (row: 'NEW' | 'OLD') => `(SELECT n FROM order_search_keys WHERE order_id = ${row}.id)`;
  for (const trigger of [
    `order_search_insert AFTER INSERT ON orders BEGIN
       INSERT INTO order_search_keys (order_id) VALUES (NEW.id);
       INSERT INTO order_search (rowid, search_text) VALUES (${key('NEW')}, NEW.search_text); END`,
    `order_search_delete AFTER DELETE ON orders BEGIN
       DELETE FROM order_search WHERE rowid = ${key('OLD')};
       DELETE FROM order_search_keys WHERE order_id = OLD.id; END`,
    `order_search_update AFTER UPDATE OF search_text ON orders WHEN OLD.search_text IS NOT NEW.search_text BEGIN
       UPDATE order_search SET search_text = NEW.search_text WHERE rowid = ${key('NEW')}; END`,
  ]) {
    await query(db, `CREATE TRIGGER ${trigger}`);
  }
  // leaves what deleted orders have in the index to the merges that new orders cause: those that deletions cause read as
  // many pages as were deleted, during the commit
  await query(db, "INSERT INTO order_search (order_search, rank) VALUES ('deletemerge', 0)");
}
