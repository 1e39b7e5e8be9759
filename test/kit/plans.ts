import { isPostgres, query } from '../../backend/src/storage/dialect.ts';
import type { Storage } from '../../backend/src/storage/open.ts';

/** On PostgreSQL. Few rows are faster to scan and to sort: show what is done where that can be avoided. */
const AVOIDED = ['seqscan', 'bitmapscan', 'sort'];

/**
 * The query plan of every statement that the work sends, line by line.
 * @param avoided kinds of steps that PostgreSQL avoids
 */
export async function plansOf(
  storage: Storage,
  work: () => Promise<unknown>,
  avoided: readonly string[] = AVOIDED,
): Promise<string[]> {
  const statements: { sql: string; bindings: (string | number | null)[] }[] = [];
  const note = ({ sql, bindings = [] }: { sql: string; bindings?: (string | number | null)[] }) =>
    void (/^\s*(SELECT|UPDATE|WITH|DELETE)/.test(sql) && statements.push({ sql, bindings }));
  const handles = new Set([storage.writer, storage.read]);
  for (const handle of handles) handle.on('query', note);
  await work();
  for (const handle of handles) handle.off('query', note);
  const plans: string[] = [];
  for (const { sql, bindings } of statements) plans.push(...(await explain(storage, sql, bindings, avoided)));
  return plans;
}

async function explain(
  { writer }: Storage,
  sql: string,
  bindings: (string | number | null)[],
  avoided: readonly string[],
): Promise<string[]> {
  if (!isPostgres(writer)) {
    const steps = await query<{ detail: string }>(writer, `EXPLAIN QUERY PLAN ${sql}`, bindings);
    return steps.map(({ detail }) => detail);
  }
  return writer.transaction(async (trx) => {
    for (const kind of avoided) await trx.raw(`SET LOCAL enable_${kind} = off`);
    // knex numbers the placeholders of the statements that it reports
    const steps = await query<{ 'QUERY PLAN': string }>(trx, `EXPLAIN ${sql.replace(/\$\d+/g, '?')}`, bindings);
    return steps.map((step) => step['QUERY PLAN'].trim());
  });
}
