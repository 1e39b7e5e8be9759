import { type Db, isPostgres, query } from './dialect.ts';

/** A table is small, and changes of it may be ignored, up to as many rows. */
const FEW_ROWS = 500;

interface Table {
  name: string;
  /** more than a tenth of the rows have changed since the statistics were made */
  is_outdated: boolean;
  /** more rows are dead than alive, which every reader of an index passes */
  is_bloated: boolean;
}

/**
 * What PostgreSQL does by itself after a minute or more, and never where autovacuum is off: without statistics of what
 * an import has written, the planner reads every order of the account.
 */
export async function refreshStatistics({ writer }: { writer: Db }): Promise<void> {
  if (!isPostgres(writer)) return;
  const tables = await query<Table>(
    writer,
    `SELECT quote_ident(relname) AS name, n_mod_since_analyze > ${FEW_ROWS} + n_live_tup / 10 AS is_outdated,
       n_dead_tup > ${FEW_ROWS} + n_live_tup AS is_bloated
     FROM pg_stat_user_tables WHERE relid = to_regclass(quote_ident(relname))`,
  );
  for (const { name, is_outdated, is_bloated } of tables) {
    // another process, or PostgreSQL itself, may be at it
    if (is_bloated) await writer.raw(`VACUUM (SKIP_LOCKED, ANALYZE) ${name}`);
    else if (is_outdated) await writer.raw(`ANALYZE (SKIP_LOCKED) ${name}`);
  }
}
